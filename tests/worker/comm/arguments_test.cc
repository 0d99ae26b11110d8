#include "worker/comm/arguments.h"

#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

constexpr absl::StatusCode kRefused = absl::StatusCode::kInvalidArgument;

class ArgumentsTest : public testing::Test {
 protected:
  // `count` float32 from element `first` on.
  Buffer At(size_t first, int64_t count) {
    return {reinterpret_cast<std::byte*>(&memory_[first]), count, DType::kFloat32};
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
  EXPECT_THAT(CheckAllReduce(At(0, 8), At(0, 8), ReduceOp::kSum), IsOk());
  EXPECT_THAT(CheckAllReduce(At(0, 8), At(8, 8), ReduceOp::kSum), IsOk());
  EXPECT_THAT(CheckAllReduce({}, {}, ReduceOp::kSum), IsOk());
  EXPECT_THAT(CheckAllReduce(At(0, 8), At(4, 8), ReduceOp::kSum), StatusIs(kRefused));
  EXPECT_THAT(CheckAllReduce(At(0, 8), At(8, 7), ReduceOp::kSum), StatusIs(kRefused));
  Buffer other = At(8, 8);
  other.dtype = DType::kInt32;
  EXPECT_THAT(CheckAllReduce(At(0, 8), other, ReduceOp::kSum), StatusIs(kRefused));
}

TEST_F(ArgumentsTest, CountsThatCannotBeAreRefused) {
  EXPECT_THAT(CheckAllReduce(At(0, -1), At(0, -1), ReduceOp::kSum), StatusIs(kRefused));
  const Buffer none{nullptr, 3, DType::kFloat32};
  EXPECT_THAT(CheckAllReduce(none, none, ReduceOp::kSum), StatusIs(kRefused));
  const Buffer huge = At(0, std::numeric_limits<int64_t>::max() / 2);
  EXPECT_THAT(CheckAllReduce(huge, huge, ReduceOp::kSum), StatusIs(kRefused));
}

TEST_F(ArgumentsTest, AllGatherTakesTheCallersOwnSliceOnly) {
  EXPECT_THAT(CheckAllGather(At(40, 4), At(0, 12), GroupRank(1), 3), IsOk());
  EXPECT_THAT(CheckAllGather(At(4, 4), At(0, 12), GroupRank(1), 3), IsOk());
  EXPECT_THAT(CheckAllGather(At(8, 4), At(0, 12), GroupRank(1), 3), StatusIs(kRefused));
  EXPECT_THAT(CheckAllGather(At(6, 4), At(0, 12), GroupRank(1), 3), StatusIs(kRefused));
  EXPECT_THAT(CheckAllGather(At(40, 4), At(0, 11), GroupRank(1), 3), StatusIs(kRefused));
  EXPECT_THAT(CheckAllGather(At(40, 4), At(0, 16), GroupRank(1), 3), StatusIs(kRefused));
}

TEST_F(ArgumentsTest, RanksAreInsideTheGroupAndTheOtherSideIsAnother) {
  EXPECT_THAT(CheckBroadcast(At(0, 4), GroupRank(2), 3), IsOk());
  EXPECT_THAT(CheckBroadcast(At(0, 4), GroupRank(3), 3), StatusIs(kRefused));
  EXPECT_THAT(CheckBroadcast(At(0, 4), GroupRank(-1), 3), StatusIs(kRefused));
  EXPECT_THAT(CheckPointToPoint(At(0, 4), GroupRank(2), GroupRank(0), 3), IsOk());
  EXPECT_THAT(CheckPointToPoint(At(0, 4), GroupRank(0), GroupRank(0), 3), StatusIs(kRefused));
  EXPECT_THAT(CheckPointToPoint(At(0, 4), GroupRank(3), GroupRank(0), 3), StatusIs(kRefused));
}

}  // namespace
}  // namespace muster
