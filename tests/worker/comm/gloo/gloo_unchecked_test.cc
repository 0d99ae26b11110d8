#include <functional>
#include <memory>
#include <vector>

#include "common/base/error_detail.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/comm_world.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/comm/gloo/gloo_for_test.h"

// Groups of a job whose ranks do not compare what they called. That good calls work is in the table
// of all operations.
namespace muster {
namespace {

constexpr absl::Duration kLong = absl::Seconds(60);
constexpr absl::Duration kShort = absl::Milliseconds(500);
constexpr size_t kCount = 6000;  // Far more than fits beside a header.

std::unique_ptr<CommWorld> FormUnchecked(int32_t size) {
  auto world = std::make_unique<CommWorld>(MakeGlooForTest, size);
  for (int r = 0; r < size; ++r) world->plan(r).call_checks = CallChecks::kOff;
  world->Form();
  return world;
}

using Call = std::function<absl::Status(Communicator&)>;

// Rank 1 calls `odd` and the others `common`. Nobody may succeed and the group must be broken.
void ExpectLateAndBroken(const Call& common, const Call& odd) {
  const auto world = FormUnchecked(3);
  const auto statuses =
      world->Run([&](Communicator& comm, int r) { return r == 1 ? odd(comm) : common(comm); });
  for (const absl::Status& status : statuses) {
    EXPECT_THAT(status.code(), testing::AnyOf(absl::StatusCode::kDeadlineExceeded,
                                              absl::StatusCode::kUnavailable));
  }
  for (const absl::Status& status :
       world->Run([](Communicator&comm, int) { return comm.Barrier(kLong)->Wait(); })) {
    EXPECT_THAT(status, HasKind(ErrorKind::kGroupBroken));
  }
}

// Sums up and checks that no rank has data of another call.
Call SumOf(size_t count, ReduceOp op) {
  return [count, op](Communicator& comm) {
    std::vector<float> input(count, static_cast<float>(comm.rank().value + 1));
    std::vector<float> output(count, -1);
    const absl::Status status =
        comm.AllReduce(BufferOf(input), BufferOf(output), op, kShort)->Wait();
    EXPECT_EQ(output, std::vector<float>(count, -1));
    return status;
  };
}

TEST(GlooUncheckedTest, CallsThatDoNotFitWaitUntilTheDeadlineAndMoveNothing) {
  const Call sum = SumOf(kCount, ReduceOp::kSum);
  ExpectLateAndBroken(sum, SumOf(kCount + 1, ReduceOp::kSum));
  ExpectLateAndBroken(sum, SumOf(8, ReduceOp::kSum));
  ExpectLateAndBroken(sum, SumOf(kCount, ReduceOp::kMax));
  ExpectLateAndBroken(sum, [](Communicator& comm) {
    std::vector<int32_t> values(kCount);
    return comm.Broadcast(BufferOf(values), GroupRank(1), kShort)->Wait();
  });
}

TEST(GlooUncheckedTest, PartsOfAnotherSizeAreNotTakenForEachOther) {
  // Rank 1 sends more to rank 2 than that wants; nothing that rank 0 sends or gets is wrong.
  const auto world = FormUnchecked(3);
  const auto statuses = world->Run([](Communicator& comm, int r) {
    const int64_t sent = r == 1 ? 90000 : 900;
    std::vector<int64_t> sends(3), wants(3);
    sends[static_cast<size_t>((r + 1) % 3)] = sent;
    wants[static_cast<size_t>((r + 2) % 3)] = 900;
    std::vector<int32_t> input(static_cast<size_t>(sent), r), output(900, -1);
    const absl::Status status =
        comm.AllToAllV(BufferOf(input), sends, BufferOf(output), wants, kShort)->Wait();
    if (r == 2) {
      EXPECT_EQ(output, std::vector<int32_t>(900, -1));
    }
    return status;
  });
  EXPECT_FALSE(statuses[1].ok());
  EXPECT_FALSE(statuses[2].ok());
  for (const absl::Status& status :
       world->Run([](Communicator&comm, int) { return comm.Barrier(kLong)->Wait(); })) {
    EXPECT_FALSE(status.ok());
  }
}

TEST(GlooUncheckedTest, SmallCallsOfAllRanksAreStillCompared) {
  const auto world = FormUnchecked(3);
  const auto statuses = world->Run([](Communicator& comm, int r) {
    std::vector<float> values(r == 1 ? 9 : 8);
    return comm.AllReduce(BufferOf(values), BufferOf(values), ReduceOp::kSum, kLong)->Wait();
  });
  for (const absl::Status& status : statuses) {
    EXPECT_THAT(status, HasKind(ErrorKind::kOperationMismatch));
  }
}

TEST(GlooUncheckedTest, RefusedCallCountsAsNotMade) {
  const auto world = FormUnchecked(3);
  const auto statuses = world->Run([](Communicator& comm, int r) {
    std::vector<double> values(kCount, r);
    if (r == 1) {
      EXPECT_THAT(comm.Broadcast(BufferOf(values), GroupRank(9), kLong)->Wait(),
                  HasKind(ErrorKind::kOperationRefused));
      const Buffer none{nullptr, 4, DType::kInt8};
      EXPECT_THAT(comm.Send(none, GroupRank(2), kLong)->Wait(),
                  HasKind(ErrorKind::kOperationRefused));
    }
    absl::Status status = comm.Broadcast(BufferOf(values), GroupRank(2), kLong)->Wait();
    EXPECT_EQ(values, std::vector<double>(kCount, 2));
    return status;
  });
  for (const absl::Status& status : statuses) EXPECT_THAT(status, IsOk());
}

TEST(GlooUncheckedTest, MembersOfDifferentSettingsBuildNoGroup) {
  CommWorld world(MakeGlooForTest, 3);
  world.plan(1).call_checks = CallChecks::kOff;
  world.Open();
  const auto statuses = world.Build(kLong);
  for (const absl::Status& status : statuses) EXPECT_FALSE(status.ok());
  EXPECT_THAT(
      statuses,
      testing::Contains(StatusIs(absl::StatusCode::kFailedPrecondition)).Times(testing::Ge(1)));
}

}  // namespace
}  // namespace muster
