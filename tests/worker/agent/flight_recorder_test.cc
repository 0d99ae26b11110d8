#include "worker/agent/flight_recorder.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster::worker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const MonotonicTime kNow = MonotonicTime() + absl::Seconds(100);

CallFacts SumOf(int64_t count) {
  return {.operation = Operation::kAllReduce, .dtype = DType::kFloat32, .count = count};
}

TEST(CallFactsTest, MembersThatCallTheSameGetTheSameText) {
  std::vector<float> one(7);
  std::vector<float> all(21);
  OperationCall gather{.operation = Operation::kGather,
                       .input = BufferOf(one),
                       .output = BufferOf(all),
                       .root = GroupRank(2)};
  const std::string at_root = ToText(FactsOf(gather, GroupRank(2)));
  gather.output = {};
  EXPECT_EQ(at_root, "gather float32 x7 to group rank 2");
  EXPECT_EQ(ToText(FactsOf(gather, GroupRank(0))), at_root);

  OperationCall scatter{.operation = Operation::kScatter,
                        .input = BufferOf(all),
                        .output = BufferOf(one),
                        .root = GroupRank(1)};
  const std::string from_root = ToText(FactsOf(scatter, GroupRank(1)));
  scatter.input = {};
  EXPECT_EQ(from_root, "scatter float32 x7 from group rank 1");
  EXPECT_EQ(ToText(FactsOf(scatter, GroupRank(0))), from_root);

  OperationCall shares{.operation = Operation::kAllGatherV,
                       .input = BufferOf(one),
                       .output = BufferOf(all),
                       .counts = {7, 14}};
  const std::string first = ToText(FactsOf(shares, GroupRank(0)));
  EXPECT_EQ(ToText(FactsOf(shares, GroupRank(1))), first);
  shares.counts = {14, 7};
  EXPECT_NE(ToText(FactsOf(shares, GroupRank(1))), first);
}

TEST(CallFactsTest, TextTellsWhatMustBeTheSame) {
  EXPECT_EQ(ToText(SumOf(1024)), "all_reduce sum float32 x1024");
  EXPECT_EQ(ToText({.operation = Operation::kBarrier}), "barrier");
  EXPECT_EQ(ToText({.operation = Operation::kBroadcast,
                    .dtype = DType::kInt64,
                    .root = GroupRank(3),
                    .count = 5}),
            "broadcast int64 x5 from group rank 3");
}

TEST(FlightRingTest, TraceTellsHowFarEachCallIs) {
  const auto state = std::make_shared<WorkState>();
  const std::unique_ptr<Work> running = MakeWork(state);
  const std::unique_ptr<Work> failed = MakeDoneWork(absl::UnavailableError("gone"));
  FlightRing ring(Epoch(4), "dit.sp#1");
  ring.Begin(1, SumOf(1), running.get(), kNow);
  ring.End(1, absl::OkStatus());
  ring.Begin(2, SumOf(2), failed.get(), kNow);
  ring.Begin(3, SumOf(3), running.get(), kNow);

  GroupTrace trace = ring.Trace(kNow + kSlowOperation / 2);
  EXPECT_EQ(trace.epoch, Epoch(4));
  EXPECT_EQ(trace.group, "dit.sp#1");
  ASSERT_THAT(trace.records, SizeIs(3));
  EXPECT_EQ(trace.records[0].state, OperationState::kDone);
  EXPECT_EQ(trace.records[1].state, OperationState::kFailed);
  EXPECT_EQ(trace.records[2], (OperationRecord{3, "all_reduce sum float32 x3",
                                               OperationState::kRunning, kSlowOperation / 2}));
  EXPECT_FALSE(trace.trouble) << "the newest runs, and not for long";
  EXPECT_TRUE(ring.Trace(kNow + kSlowOperation).trouble);

  ring.End(3, absl::UnavailableError("gone"));
  EXPECT_TRUE(ring.Trace(kNow).trouble) << "the newest failed";
  state->Finish(absl::OkStatus());  // Else its handle waits.
}

TEST(FlightRingTest, OldestAreForgotten) {
  FlightRing ring(Epoch(1), "g");
  for (uint64_t sequence = 1; sequence <= kRecordsMax + 3; ++sequence) {
    ring.Begin(sequence, SumOf(static_cast<int64_t>(sequence)), nullptr, kNow);
  }
  const GroupTrace trace = ring.Trace(kNow);
  ASSERT_THAT(trace.records, SizeIs(kRecordsMax));
  EXPECT_EQ(trace.records.front().sequence, 4U);
  EXPECT_EQ(trace.records.back().sequence, static_cast<uint64_t>(kRecordsMax) + 3);
}

TEST(FlightRecorderTest, TellsOfTroubleAndOfWhatIsAskedForInTheEpoch) {
  FlightRecorder recorder;
  const auto old = recorder.Open(Epoch(1), "a");
  const auto fine = recorder.Open(Epoch(2), "a");
  const auto asked = recorder.Open(Epoch(2), "b");
  const auto troubled = recorder.Open(Epoch(2), "c");
  for (const auto& ring : {old, troubled}) {
    ring->Begin(1, SumOf(1), nullptr, kNow);
    ring->End(1, absl::UnavailableError("gone"));
  }
  std::vector<std::string> groups;
  for (const GroupTrace& trace : recorder.Traces(Epoch(2), {"b", "nobody"}, kNow)) {
    groups.push_back(trace.group);
  }
  EXPECT_THAT(groups, ElementsAre("b", "c"));
}

TEST(FlightRecorderTest, RingThatIsGivenUpIsForgotten) {
  FlightRecorder recorder;
  recorder.Open(Epoch(2), "a").reset();
  EXPECT_THAT(recorder.Traces(Epoch(2), {"a"}, kNow), IsEmpty());
}

}  // namespace
}  // namespace muster::worker
