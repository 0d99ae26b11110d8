#include "worker/agent/live_epoch.h"

#include <memory>
#include <utility>
#include <vector>

#include "common/base/error_detail.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/agent/event_log.h"
#include "worker/agent/registry.h"
#include "worker/agent/solo_communicator.h"

namespace muster::worker {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(20);

class RegistryTest : public testing::Test {
 protected:
  // An epoch of a world of two with a mesh of groups of one; this process is rank 1.
  std::shared_ptr<LiveEpoch> Add(int64_t epoch) {
    auto spec = std::make_shared<JobSpec>();
    spec->name = "wan";
    spec->layout.world_size = 2;
    spec->layout.meshes = {{.name = "dit", .dims = {{"dp", 2}, {"tp", 1}}}};
    Layout layout = *Layout::Create(spec->layout);
    return registry_.Add({JobUid(9), Epoch(epoch), GlobalRank(1), Incarnation(4), spec},
                         std::move(layout));
  }

  static std::shared_ptr<GroupSlot> SlotOf(const LiveEpoch& live, const char* name) {
    return live.Find(*live.layout().Find(name));
  }

  static absl::Status Barrier(GroupSlot& slot) {
    return slot.Start({.operation = Operation::kBarrier}, kTimeout)->Wait();
  }

  EventLog events_;
  Registry registry_{std::make_shared<OperationBoard>(events_.sink())};
};

TEST_F(RegistryTest, GatesOpenWithTheEpoch) {
  const auto live = Add(3);
  const auto alone = SlotOf(*live, "dit.tp#1");
  ASSERT_NE(alone, nullptr);
  EXPECT_EQ(SlotOf(*live, "dit.tp#0"), nullptr);
  EXPECT_THAT(Barrier(*alone), HasKind(ErrorKind::kStaleEpoch));
  registry_.Activate(Epoch(3));
  EXPECT_THAT(Barrier(*alone), IsOk());
  const absl::Status why = absl::UnavailableError("slept");
  registry_.CloseGates(Epoch(3), why);
  EXPECT_EQ(Barrier(*alone), why);
  registry_.OpenGates(Epoch(3));
  EXPECT_THAT(Barrier(*alone), IsOk());
}

TEST_F(RegistryTest, TheFirstEndOfAnEpochCounts) {
  const auto live = Add(3);
  registry_.Activate(Epoch(3));
  const absl::Status lost = absl::UnavailableError("rank 0 was lost");
  registry_.End(Epoch(3), lost);
  registry_.End(Epoch(3), absl::FailedPreconditionError("retired"));
  registry_.OpenGates(Epoch(3));
  EXPECT_EQ(Barrier(*SlotOf(*live, "dit.tp#1")), lost);
  EXPECT_EQ(Barrier(*SlotOf(*live, "world#0")), lost);
}

TEST_F(RegistryTest, AnOlderEpochIsToldTheNewerOne) {
  const auto old = Add(3);
  registry_.Activate(Epoch(3));
  Add(5);
  registry_.Activate(Epoch(5));
  const absl::Status stale = Barrier(*SlotOf(*old, "dit.tp#1"));
  EXPECT_THAT(stale, HasKind(ErrorKind::kStaleEpoch));
  EXPECT_EQ(DetailOf(stale)->epoch, Epoch(5));
}

TEST_F(RegistryTest, ACommunicatorThatComesTooLateIsAborted) {
  const auto live = Add(3);
  const absl::Status why = absl::UnavailableError("rolled back");
  live->End(why);
  auto late = std::make_unique<SoloCommunicator>(
      GroupFacts{.members = {GroupMember{GlobalRank(1), Incarnation(4)}}});
  SoloCommunicator* const communicator = late.get();
  SlotOf(*live, "world#0")->Put(std::move(late));
  EXPECT_EQ(communicator->Barrier(kTimeout)->Wait(), why);
}

TEST_F(RegistryTest, WaitersGetTheEpochTheEndOrTheDoubt) {
  constexpr MonotonicTime kPast;
  EXPECT_THAT(registry_.WaitForEpochAfter(Epoch(0), kPast), HasKind(ErrorKind::kDeadlineExceeded));
  Add(3);
  const absl::Status doubt = absl::UnavailableError("verdict unknown");
  registry_.CloseGates(Epoch(3), doubt);
  EXPECT_EQ(registry_.WaitForEpochAfter(Epoch(0), kPast).status(), doubt);
  registry_.Activate(Epoch(3));
  const auto active = registry_.WaitForEpochAfter(Epoch(0), kPast);
  ASSERT_THAT(active, IsOk());
  EXPECT_EQ((*active)->info().epoch, Epoch(3));
  EXPECT_THAT(registry_.WaitForEpochAfter(Epoch(3), kPast), HasKind(ErrorKind::kDeadlineExceeded));
  const absl::Status end = absl::FailedPreconditionError("deleted");
  registry_.Finish({end, 0});
  EXPECT_EQ(registry_.WaitForEpochAfter(Epoch(3), kPast).status(), end);
}

TEST(SoloCommunicatorTest, CopiesAndChecksItsArguments) {
  SoloCommunicator alone(GroupFacts{.members = {GroupMember{GlobalRank(1), Incarnation(4)}}});
  std::vector<int32_t> input = {3, 1, 4};
  std::vector<int32_t> output(3);
  EXPECT_THAT(alone.AllReduce(BufferOf(input), BufferOf(output), ReduceOp::kSum, kTimeout)->Wait(),
              IsOk());
  EXPECT_EQ(output, input);
  output.resize(2);
  EXPECT_THAT(alone.AllReduce(BufferOf(input), BufferOf(output), ReduceOp::kSum, kTimeout)->Wait(),
              HasKind(ErrorKind::kOperationRefused));
  EXPECT_THAT(alone.Barrier(absl::ZeroDuration())->Wait(), HasKind(ErrorKind::kOperationRefused));
  EXPECT_THAT(alone.Send(BufferOf(input), GroupRank(0), kTimeout)->Wait(),
              HasKind(ErrorKind::kOperationRefused));
}

}  // namespace
}  // namespace muster::worker
