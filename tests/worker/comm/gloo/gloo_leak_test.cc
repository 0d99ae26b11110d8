#include <dirent.h>

#include <memory>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/comm_world.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/comm/gloo/gloo_for_test.h"

namespace muster {
namespace {

constexpr absl::Duration kLong = absl::Seconds(60);

int CountEntries(const char* folder) {
  DIR* const dir = opendir(folder);
  int count = 0;
  while (readdir(dir) != nullptr) ++count;
  closedir(dir);
  return count;
}

int Descriptors() { return CountEntries("/proc/self/fd"); }
int Threads() { return CountEntries("/proc/self/task"); }

// Forms a group, uses it, and lets it end: in good order, by a timeout, by an abort, or before it
// was built.
void LiveAndDie(CommWorld& world, int how) {
  world.Open();
  if (how % 4 == 3) {
    for (const absl::Status& status : world.Build(absl::Milliseconds(30), /*absent=*/{0})) {
      EXPECT_TRUE(status.ok() || !status.message().empty());
    }
    return;
  }
  for (const absl::Status& status : world.Build(kLong)) ASSERT_THAT(status, IsOk());
  for (const absl::Status& status : world.Run([](Communicator&comm, int) {
         std::vector<double> values(3000, 1);
         return comm.AllReduce(BufferOf(values), BufferOf(values), ReduceOp::kSum, kLong)->Wait();
       })) {
    ASSERT_THAT(status, IsOk());
  }
  if (how % 4 == 1) {
    EXPECT_FALSE(world.at(0).Barrier(absl::Milliseconds(30))->Wait().ok());
  } else if (how % 4 == 2) {
    auto work = world.at(1).Barrier(kLong);
    world.at(1).Abort(absl::UnavailableError("lost"));
    EXPECT_FALSE(work->Wait().ok());
  }
}

TEST(GlooLeakTest, NothingIsLeftOfFiftyGroupsHoweverTheyEnded) {
  const int descriptors = Descriptors();
  const int threads = Threads();
  for (int cycle = 0; cycle < 50; ++cycle) {
    CommWorld world(MakeGlooForTest, 3);
    LiveAndDie(world, cycle);
    world.FreeAll();
  }
  EXPECT_EQ(Descriptors(), descriptors);
  EXPECT_EQ(Threads(), threads);
}

TEST(GlooLeakTest, BackendKeepsTheSameThreadsAndDescriptorsOverManyEpochs) {
  const RealClock clock;
  auto left = MakeGlooForTest(&clock);
  auto right = MakeGlooForTest(&clock);
  int descriptors = 0;
  int threads = 0;
  for (int cycle = 0; cycle < 50; ++cycle) {
    EpochPlan plan{.job = JobUid(1),
                   .epoch = Epoch(cycle + 1),
                   .rank = GlobalRank(0),
                   .incarnation = Incarnation(5),
                   .groups = {},
                   .on_peer_reset = {}};
    plan.groups.push_back(
        {.membership = {.id = {}, .rank = GroupRank(0), .size = 2}, .name = "job/world#0"});
    EpochPlan other = plan;
    other.rank = GlobalRank(1);
    other.incarnation = Incarnation(6);
    other.groups[0].membership.rank = GroupRank(1);
    auto mine = *left->OpenEndpoints(plan);
    auto theirs = *right->OpenEndpoints(other);
    const Peer them{{}, GroupRank(1), GlobalRank(1), Incarnation(6), theirs->endpoints()[0].bytes};
    const Peer me{{}, GroupRank(0), GlobalRank(0), Incarnation(5), mine->endpoints()[0].bytes};
    absl::Status status;
    std::thread builder([&] {
      auto built = theirs->Build({}, {me}, kLong);
      status = built.ok() ? (*built)->Barrier(kLong)->Wait() : built.status();
    });
    auto built = mine->Build({}, {them}, kLong);
    ASSERT_THAT(built, IsOk());
    EXPECT_THAT((*built)->Barrier(kLong)->Wait(), IsOk());
    builder.join();
    EXPECT_THAT(status, IsOk());
    built->reset();
    mine.reset();
    theirs.reset();
    if (cycle == 0) descriptors = Descriptors();
    if (cycle == 0) threads = Threads();
    EXPECT_EQ(Descriptors(), descriptors) << "cycle " << cycle;
    EXPECT_EQ(Threads(), threads) << "cycle " << cycle;
  }
}

}  // namespace
}  // namespace muster
