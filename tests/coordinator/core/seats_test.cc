#include "coordinator/core/seats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace muster::coordinator {
namespace {

using ::testing::ElementsAre;

Candidate On(const std::string& id, const std::string& host, int32_t device) {
  return {id, std::nullopt, host, host, device};
}

TEST(SeatsTest, HostsGoByNumberAndDevicesByIndexInEveryOrderOfArrival) {
  std::vector<Candidate> workers = {On("a", "n10", 0), On("b", "n2", 1), On("c", "n2", 0),
                                    On("d", "n1", 0), On("e", "n20", 3)};
  std::sort(workers.begin(), workers.end(),
            [](const Candidate& x, const Candidate& y) { return x.id < y.id; });
  do {
    EXPECT_THAT(AllotSeats(std::vector<WorkerId>(5), workers),
                ElementsAre("d", "c", "b", "a", "e"));
  } while (
      std::next_permutation(workers.begin(), workers.end(),
                            [](const Candidate& x, const Candidate& y) { return x.id < y.id; }));
}

TEST(SeatsTest, WorkersWithoutDevicesGoByIdAsPeopleCount) {
  const std::vector<Candidate> workers = {On("w10", "h", -1), On("w9", "h", -1)};
  EXPECT_THAT(AllotSeats(std::vector<WorkerId>(2), workers), ElementsAre("w9", "w10"));
}

TEST(SeatsTest, WantedRankComesFirstAndHoldersAreNotMoved) {
  std::vector<Candidate> workers = {On("a", "n1", 0), On("b", "n1", 1)};
  workers[1].wanted_rank = GlobalRank(0);
  EXPECT_THAT(AllotSeats({"", "kept", ""}, workers), ElementsAre("b", "kept", "a"));
}

TEST(SeatsTest, TooFewLeaveSeatsVacantAndTooManyAreLeftOver) {
  EXPECT_THAT(AllotSeats(std::vector<WorkerId>(2), {On("a", "h", 0)}), ElementsAre("a", ""));
  EXPECT_THAT(AllotSeats(std::vector<WorkerId>(1), {On("b", "h", 1), On("a", "h", 0)}),
              ElementsAre("a"));
}

TEST(SeatsTest, WorkersOfOneHostStayTogetherWhateverItIsCalled) {
  std::vector<Candidate> workers = {On("a", "x", 0), On("b", "y", 0), On("c", "x", 1)};
  workers[0].hostname = "gpu-9";
  workers[2].hostname = "gpu-1";
  workers[1].hostname = "gpu-5";
  EXPECT_THAT(AllotSeats(std::vector<WorkerId>(3), workers), ElementsAre("a", "c", "b"));
}

}  // namespace
}  // namespace muster::coordinator
