#include "worker/comm/arguments.h"

#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "worker/comm/group_operations.h"

namespace muster {
namespace {

constexpr absl::StatusCode kRefused = absl::StatusCode::kInvalidArgument;

class ArgumentsTest : public testing::Test {
 protected:
  // `count` float32 from element `first` on.
  Buffer At(size_t first, int64_t count) {
    return {reinterpret_cast<std::byte*>(&memory_[first]), count, DType::kFloat32};
  }

  // Checks the part of group rank 1 of 3.
  static absl::Status Check(OperationCall call) {
    return CheckArguments(call, GroupRank(1), 3, "test");
  }
  static absl::Status Check(Operation operation, Buffer input, Buffer output, int32_t root = 0) {
    return Check(
        {.operation = operation, .input = input, .output = output, .root = GroupRank(root)});
  }
  static absl::Status CheckV(Operation operation, Buffer input, Buffer output,
                             std::vector<int64_t> counts) {
    return Check(
        {.operation = operation, .input = input, .output = output, .counts = std::move(counts)});
  }

  std::vector<float> memory_ = std::vector<float>(64);
};

TEST_F(ArgumentsTest, TimeoutsAreAboveZeroAndFinite) {
  EXPECT_THAT(CheckTimeout(absl::Nanoseconds(1)), IsOk());
  EXPECT_THAT(CheckTimeout(kOperationTimeoutMax), IsOk());
  EXPECT_THAT(CheckTimeout(absl::ZeroDuration()), StatusIs(kRefused));
  EXPECT_THAT(CheckTimeout(-absl::Seconds(1)), StatusIs(kRefused));
  EXPECT_THAT(CheckTimeout(absl::InfiniteDuration()), StatusIs(kRefused));
}

TEST_F(ArgumentsTest, AllReduceTakesEqualOrSeparateMemoryOfOneShape) {
  constexpr Operation kOp = Operation::kAllReduce;
  EXPECT_THAT(Check(kOp, At(0, 8), At(0, 8)), IsOk());
  EXPECT_THAT(Check(kOp, At(0, 8), At(8, 8)), IsOk());
  EXPECT_THAT(Check(kOp, {}, {}), IsOk());
  EXPECT_THAT(Check(kOp, At(0, 8), At(4, 8)), StatusIs(kRefused));
  EXPECT_THAT(Check(kOp, At(0, 8), At(8, 7)), StatusIs(kRefused));
  Buffer other = At(8, 8);
  other.dtype = DType::kInt32;
  EXPECT_THAT(Check(kOp, At(0, 8), other), StatusIs(kRefused));
}

TEST_F(ArgumentsTest, WhatTheCallerRefusesComesFirst) {
  const absl::Status why = absl::UnimplementedError("not here");
  EXPECT_EQ(Check({.operation = Operation::kBarrier, .refusal = why}), why);
  EXPECT_EQ(Check({.operation = Operation::kReduce, .root = GroupRank(-5), .refusal = why}), why);
}

TEST_F(ArgumentsTest, CountsThatCannotBeAreRefused) {
  const Buffer none{nullptr, 3, DType::kFloat32};
  const Buffer huge = At(0, std::numeric_limits<int64_t>::max() / 2);
  Buffer odd = At(0, 3);
  odd.dtype = static_cast<DType>(99);
  for (const Buffer& buffer : {At(0, -1), none, huge, odd}) {
    for (const Operation operation : {Operation::kAllReduce, Operation::kBroadcast}) {
      EXPECT_THAT(Check(operation, buffer, buffer), StatusIs(kRefused));
    }
  }
}

TEST_F(ArgumentsTest, GathersTakeTheCallersOwnSliceOnly) {
  constexpr Operation kOp = Operation::kAllGather;
  EXPECT_THAT(Check(kOp, At(40, 4), At(0, 12)), IsOk());
  EXPECT_THAT(Check(kOp, At(4, 4), At(0, 12)), IsOk());
  EXPECT_THAT(Check(kOp, At(5, 0), At(0, 0)), IsOk());
  EXPECT_THAT(Check(kOp, At(8, 4), At(0, 12)), StatusIs(kRefused));
  EXPECT_THAT(Check(kOp, At(6, 4), At(0, 12)), StatusIs(kRefused));
  EXPECT_THAT(Check(kOp, At(40, 4), At(0, 11)), StatusIs(kRefused));
  EXPECT_THAT(Check(kOp, At(40, 4), At(0, 16)), StatusIs(kRefused));
  EXPECT_THAT(Check(Operation::kGather, At(4, 4), At(0, 12), /*root=*/1), IsOk());
  EXPECT_THAT(Check(Operation::kGather, At(8, 4), At(0, 12), /*root=*/1), StatusIs(kRefused));
}

TEST_F(ArgumentsTest, ScattersLeaveTheCallersOwnSliceOnly) {
  for (const Operation operation : {Operation::kReduceScatter, Operation::kScatter}) {
    EXPECT_THAT(Check(operation, At(0, 12), At(40, 4), /*root=*/1), IsOk());
    EXPECT_THAT(Check(operation, At(0, 12), At(4, 4), /*root=*/1), IsOk());
    EXPECT_THAT(Check(operation, At(0, 12), At(8, 4), /*root=*/1), StatusIs(kRefused));
    EXPECT_THAT(Check(operation, At(0, 12), At(40, 5), /*root=*/1), StatusIs(kRefused));
  }
}

TEST_F(ArgumentsTest, OnlyTheRootLooksAtWhatOnlyTheRootHas) {
  const Buffer bad{nullptr, 7, DType::kInt8};
  EXPECT_THAT(Check(Operation::kReduce, At(0, 4), bad), IsOk());
  EXPECT_THAT(Check(Operation::kReduce, At(0, 4), bad, /*root=*/1), StatusIs(kRefused));
  EXPECT_THAT(Check(Operation::kGather, At(0, 4), bad), IsOk());
  EXPECT_THAT(Check(Operation::kGather, At(0, 4), bad, /*root=*/1), StatusIs(kRefused));
  EXPECT_THAT(Check(Operation::kScatter, bad, At(0, 4)), IsOk());
  EXPECT_THAT(Check(Operation::kScatter, bad, At(0, 4), /*root=*/1), StatusIs(kRefused));
}

TEST_F(ArgumentsTest, CountsOfRanksSumUpToTheWhole) {
  constexpr Operation kGather = Operation::kAllGatherV;
  EXPECT_THAT(CheckV(kGather, At(40, 3), At(0, 9), {4, 3, 2}), IsOk());
  EXPECT_THAT(CheckV(kGather, At(4, 3), At(0, 9), {4, 3, 2}), IsOk());
  EXPECT_THAT(CheckV(kGather, At(40, 0), At(0, 9), {9, 0, 0}), IsOk());
  EXPECT_THAT(CheckV(kGather, At(5, 3), At(0, 9), {4, 3, 2}), StatusIs(kRefused));
  EXPECT_THAT(CheckV(kGather, At(40, 3), At(0, 9), {4, 3, 3}), StatusIs(kRefused));
  EXPECT_THAT(CheckV(kGather, At(40, 4), At(0, 9), {4, 3, 2}), StatusIs(kRefused));
  EXPECT_THAT(CheckV(kGather, At(40, 3), At(0, 9), {6, 3}), StatusIs(kRefused));
  EXPECT_THAT(CheckV(kGather, At(40, 3), At(0, 9), {7, 3, -1}), StatusIs(kRefused));
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(CheckV(kGather, At(40, 3), At(0, 1), {kMost, 3, kMost}), StatusIs(kRefused));
  constexpr Operation kReduce = Operation::kReduceScatterV;
  EXPECT_THAT(CheckV(kReduce, At(0, 9), At(40, 3), {4, 3, 2}), IsOk());
  EXPECT_THAT(CheckV(kReduce, At(0, 9), At(4, 3), {4, 3, 2}), IsOk());
  EXPECT_THAT(CheckV(kReduce, At(0, 9), At(3, 3), {4, 3, 2}), StatusIs(kRefused));
}

TEST_F(ArgumentsTest, AllToAllSharesNoMemoryAndHasAPartForEachRank) {
  EXPECT_THAT(Check(Operation::kAllToAll, At(0, 9), At(9, 9)), IsOk());
  EXPECT_THAT(Check(Operation::kAllToAll, At(0, 9), At(0, 9)), StatusIs(kRefused));
  EXPECT_THAT(Check(Operation::kAllToAll, At(0, 8), At(9, 8)), StatusIs(kRefused));
  EXPECT_THAT(Check(Operation::kAllToAll, At(0, 9), At(9, 12)), StatusIs(kRefused));
  OperationCall call{.operation = Operation::kAllToAllV,
                     .input = At(0, 6),
                     .output = At(6, 3),
                     .counts = {1, 2, 3},
                     .recv_counts = {3, 0, 0}};
  EXPECT_THAT(Check(call), IsOk());
  call.recv_counts = {2, 0, 0};
  EXPECT_THAT(Check(call), StatusIs(kRefused));
  call.recv_counts = {};
  EXPECT_THAT(Check(call), StatusIs(kRefused));
}

TEST_F(ArgumentsTest, RanksAreInsideTheGroupAndTheOtherSideIsAnother) {
  for (const Operation operation : {Operation::kBroadcast, Operation::kReduce, Operation::kGather,
                                    Operation::kScatter, Operation::kSend, Operation::kRecv}) {
    EXPECT_THAT(Check(operation, At(0, 4), At(0, 4), /*root=*/2), IsOk());
    EXPECT_THAT(Check(operation, At(0, 4), At(0, 4), /*root=*/3), StatusIs(kRefused));
    EXPECT_THAT(Check(operation, At(0, 4), At(0, 4), /*root=*/-1), StatusIs(kRefused));
  }
  EXPECT_THAT(Check(Operation::kSend, At(0, 4), {}, /*root=*/1), StatusIs(kRefused));
}

TEST_F(ArgumentsTest, ReductionThatIsNoneNamesOperationTypeAndBackend) {
  Buffer buffer = At(0, 4);
  buffer.dtype = DType::kInt32;
  const absl::Status status = Check({.operation = Operation::kAllReduce,
                                     .input = buffer,
                                     .output = buffer,
                                     .reduce = ReduceOp::kAverage});
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnimplemented));
  EXPECT_EQ(status.message(), "all_reduce by average of int32 is not supported by backend 'test'");
  // What is wrong anyway is said first.
  EXPECT_THAT(Check({.operation = Operation::kAllReduce,
                     .input = buffer,
                     .output = At(0, 4),
                     .reduce = ReduceOp::kAverage}),
              StatusIs(kRefused));
}

}  // namespace
}  // namespace muster
