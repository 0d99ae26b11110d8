// What a rank refuses by itself: the same at every size of its group.

#include "worker/ops/plans.h"

#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/ops/strided_memory.h"
#include "worker/ops/shard.h"

namespace muster {
namespace {

using testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

class PlansTest : public testing::TestWithParam<int32_t> {
 protected:
  int32_t size() const { return GetParam(); }
  Place place() const { return {GroupRank(size() - 1), size()}; }

  // `input` cannot be cut by the group; of a group of one, nothing is so.
  static Tensor Input(std::vector<int64_t> shape) { return TensorOf(Numbered(shape, 1), kType); }

  // One number for each rank.
  std::vector<int64_t> Sizes(int64_t each) const {
    return std::vector<int64_t>(static_cast<size_t>(size()), each);
  }

  static constexpr DType kType = DType::kInt32;
};

TEST_P(PlansTest, DimensionsThatAreNotThereAreRefused) {
  const Tensor input = Input({0, 0});
  const std::vector<int64_t> sizes = Sizes(0);
  for (const int32_t dim : {-3, 2, 77}) {
    const auto refused = StatusIs(kInvalid, HasSubstr("want -2 to 1"));
    EXPECT_THAT(PlanAllGather(place(), {&input, 1}, dim, {}), refused);
    EXPECT_THAT(PlanAllGatherV(place(), input, sizes, dim, {}), refused);
    EXPECT_THAT(PlanGather(place(), input, GroupRank(0), dim, {}), refused);
    EXPECT_THAT(PlanScatter(place(), input, input.spec(), GroupRank(0), dim, {}), refused);
    EXPECT_THAT(PlanReduceScatter(place(), {&input, 1}, ReduceOp::kSum, dim, {}), refused);
    EXPECT_THAT(PlanReduceScatterV(place(), input, ReduceOp::kSum, sizes, dim, {}), refused);
    EXPECT_THAT(PlanAllToAll(place(), input, dim, 0, {}), refused);
    EXPECT_THAT(PlanAllToAll(place(), input, 0, dim, {}), refused);
    EXPECT_THAT(MakeShard(place(), input, dim), refused);
  }
  const Tensor scalar = Input({});
  const auto refused = StatusIs(kInvalid, HasSubstr("no dimensions"));
  EXPECT_THAT(PlanAllGather(place(), {&scalar, 1}, 0, {}), refused);
  EXPECT_THAT(PlanAllGather(place(), {&scalar, 1}, -1, {}), refused);
  EXPECT_THAT(PlanAllToAll(place(), scalar, 0, 0, {}), refused);
  EXPECT_THAT(PlanAllToAllV(place(), scalar, sizes, sizes, {}), refused);
  EXPECT_THAT(MakeShard(place(), scalar, 0), refused);
}

TEST_P(PlansTest, RootsOutsideTheGroupAreRefused) {
  const Tensor input = Input({2, 3});
  for (const GroupRank root : {GroupRank(-1), GroupRank(size()), GroupRank(99)}) {
    const auto refused = StatusIs(kInvalid, HasSubstr("root is group rank"));
    EXPECT_THAT(PlanReduce(place(), input, ReduceOp::kSum, root, {}), refused);
    EXPECT_THAT(PlanBroadcast(place(), input, root, {}), refused);
    EXPECT_THAT(PlanGather(place(), input, root, 0, {}), refused);
    EXPECT_THAT(PlanScatter(place(), input, input.spec(), root, 0, {}), refused);
  }
}

TEST_P(PlansTest, OtherSidesThatAreNoneAreRefused) {
  const Tensor input = Input({2});
  for (const GroupRank peer : {GroupRank(-1), GroupRank(size()), place().rank}) {
    const auto refused = StatusIs(kInvalid, HasSubstr("the other side is group rank"));
    EXPECT_THAT(PlanSend(place(), input, peer), refused);
    EXPECT_THAT(PlanRecv(place(), input.spec(), peer, {}), refused);
  }
}

TEST_P(PlansTest, TensorsThatAreNoneOrElsewhereAreRefused) {
  const Tensor none;
  const Tensor host = Input({2});
  const Tensor cuda = *Tensor::Wrap({.owner = host.owner(),
                                     .data = host.data(),
                                     .spec = host.spec(),
                                     .strides = std::nullopt,
                                     .device = {.kind = DeviceKind::kCuda, .index = 3}});
  EXPECT_THAT(PlanAllReduce({&none, 1}, ReduceOp::kSum, {}), StatusIs(kInvalid));
  EXPECT_THAT(PlanAllReduce({}, ReduceOp::kSum, {}), StatusIs(kInvalid));
  EXPECT_THAT(PlanSend({GroupRank(1), 2}, none, GroupRank(0)), StatusIs(kInvalid));
  const auto elsewhere = StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("cuda:3"));
  EXPECT_THAT(PlanAllReduce({&cuda, 1}, ReduceOp::kSum, {}), elsewhere);
  EXPECT_THAT(PlanAllReduce({&host, 1}, ReduceOp::kSum, {&cuda, 1}), elsewhere);
  EXPECT_THAT(PlanRecv({GroupRank(1), 2}, host.spec(), GroupRank(0), {&cuda, 1}), elsewhere);
  EXPECT_THAT(PlanSend({GroupRank(1), 2}, cuda, GroupRank(0)), elsewhere);
  const std::vector<Tensor> mixed = {host, TensorOf(Numbered({2}, 0), DType::kFloat32)};
  EXPECT_THAT(PlanAllReduce(mixed, ReduceOp::kSum, {}), StatusIs(kInvalid, HasSubstr("one dtype")));
}

TEST_P(PlansTest, OutputsThatDoNotFitAreRefused) {
  const Tensor input = Input({2, 3});
  const auto refuses = [&input](const Tensor& output, const char* text) {
    EXPECT_THAT(PlanAllReduce({&input, 1}, ReduceOp::kSum, {&output, 1}),
                StatusIs(kInvalid, HasSubstr(text)));
  };
  refuses(Tensor(), "no tensor");
  refuses(Input({3, 2}), "want int32 (2, 3)");
  refuses(TensorOf(Numbered({2, 3}, 0), DType::kFloat32), "want int32 (2, 3)");
  const Tensor whole = Input({8, 3});
  const auto overlapping = Tensor::Wrap({.owner = whole.owner(),
                                         .data = whole.data(),
                                         .spec = input.spec(),
                                         .strides = std::vector<int64_t>{1, 1},
                                         .device = {}});
  refuses(*overlapping, "share memory");
  const Tensor top = *whole.Narrow(0, 0, 2);
  const Tensor middle = *whole.Narrow(0, 1, 2);
  EXPECT_THAT(PlanAllReduce({&top, 1}, ReduceOp::kSum, {&middle, 1}),
              StatusIs(kInvalid, HasSubstr("same memory")));
  const std::vector<Tensor> inputs = {Input({2, 3}), Input({2, 3})};
  const std::vector<Tensor> same = {top, middle};
  EXPECT_THAT(PlanAllReduce(inputs, ReduceOp::kSum, same),
              StatusIs(kInvalid, HasSubstr("two outputs")));
  EXPECT_THAT(PlanAllReduce(inputs, ReduceOp::kSum, {&top, 1}),
              StatusIs(kInvalid, HasSubstr("1 outputs")));
  // In place is for operations that are called so.
  const Tensor one = Input({4});
  EXPECT_THAT(PlanAllToAll({GroupRank(0), 1}, one, 0, 0, {&one, 1}), StatusIs(kInvalid));
  EXPECT_THAT(PlanAllReduce({&one, 1}, ReduceOp::kSum, {&one, 1}), IsOk());
}

TEST_P(PlansTest, SizesThatDoNotFitAreRefused) {
  const Tensor input = Input({size(), 2});
  const std::vector<int64_t> good = Sizes(1);
  std::vector<int64_t> long_one = good;
  long_one.push_back(1);
  std::vector<int64_t> negative = good;
  negative.front() = -1;
  std::vector<int64_t> more = good;
  more.back() = 2;
  std::vector<int64_t> huge = Sizes(int64_t{1} << 62);
  huge.push_back(int64_t{1} << 62);
  EXPECT_THAT(PlanReduceScatterV(place(), input, ReduceOp::kSum, good, 0, {}), IsOk());
  for (const std::vector<int64_t>& sizes : {long_one, negative, more, huge}) {
    EXPECT_THAT(PlanReduceScatterV(place(), input, ReduceOp::kSum, sizes, 0, {}),
                StatusIs(kInvalid));
    EXPECT_THAT(PlanAllToAllV(place(), input, sizes, good, {}), StatusIs(kInvalid));
    EXPECT_THAT(PlanAllToAllV(place(), input, good, sizes, {}), StatusIs(kInvalid));
  }
  const Tensor share = Input({1, 2});
  EXPECT_THAT(PlanAllGatherV(place(), share, good, 0, {}), IsOk());
  EXPECT_THAT(PlanAllGatherV(place(), share, more, 0, {}),
              StatusIs(kInvalid, HasSubstr("has size 1")));
  EXPECT_THAT(PlanAllGatherV(place(), share, negative, 0, {}), StatusIs(kInvalid));
  EXPECT_THAT(PlanAllGatherV(place(), share, long_one, 0, {}), StatusIs(kInvalid));
}

TEST_P(PlansTest, ResultsThatCannotBeCountedAreRefused) {
  const Tensor empty = *Tensor::Allocate({kType, {int64_t{1} << 40, 0, int64_t{1} << 19}});
  const std::vector<int64_t> sizes = Sizes(int64_t{1} << 40);
  EXPECT_THAT(PlanReduceScatterV(place(), empty, ReduceOp::kSum, sizes, 2, {}), StatusIs(kInvalid));
  const Tensor wide = *Tensor::Allocate({kType, {0, int64_t{1} << 60}});
  EXPECT_THAT(PlanAllGather({GroupRank(0), 8}, {&wide, 1}, 1, {}), StatusIs(kInvalid));
}

TEST_P(PlansTest, SharesOfAScatterMustMakeUpTheInput) {
  const Tensor input = Input({3 * size(), 2});
  const GroupRank self = place().rank;
  EXPECT_THAT(PlanScatter(place(), input, {kType, {3, 2}}, self, 0, {}), IsOk());
  EXPECT_THAT(PlanScatter(place(), input, {kType, {2, 2}}, self, 0, {}), StatusIs(kInvalid));
  EXPECT_THAT(PlanScatter(place(), input, {DType::kFloat32, {3, 2}}, self, 0, {}),
              StatusIs(kInvalid));
  EXPECT_THAT(PlanScatter(place(), Tensor(), {kType, {3, 2}}, self, 0, {}), StatusIs(kInvalid));
  EXPECT_THAT(PlanScatter(place(), input, {kType, {-3, 2}}, self, 0, {}), StatusIs(kInvalid));
}

TEST_P(PlansTest, OnlyTheTwoExchangesOfAttentionAreKnown) {
  const int64_t n = size();
  const Tensor good = Input({2, 2 * n, 3 * n, 2});
  const Tensor packed = Input({2, n, 3, n, 2});
  EXPECT_THAT(PlanAllToAll4D(place(), good, 2, 1, {}), IsOk());
  EXPECT_THAT(PlanAllToAll4D(place(), good, 1, 2, {}), IsOk());
  EXPECT_THAT(PlanAllToAll5D(place(), packed, 3, 1, {}), IsOk());
  EXPECT_THAT(PlanAllToAll5D(place(), packed, 1, 3, {}), IsOk());
  for (int32_t from = -4; from <= 4; ++from) {
    for (int32_t to = -4; to <= 4; ++to) {
      if ((from == 2 && to == 1) || (from == 1 && to == 2)) continue;
      EXPECT_THAT(PlanAllToAll4D(place(), good, from, to, {}), StatusIs(kInvalid));
    }
  }
  EXPECT_THAT(PlanAllToAll5D(place(), packed, 2, 1, {}), StatusIs(kInvalid));
  const auto dims = StatusIs(kInvalid, HasSubstr("dimensions"));
  EXPECT_THAT(PlanAllToAll4D(place(), Input({2, 2 * n, 3 * n}), 2, 1, {}), dims);
  EXPECT_THAT(PlanAllToAll4D(place(), packed, 2, 1, {}), dims);
  EXPECT_THAT(PlanAllToAll5D(place(), good, 3, 1, {}), dims);
  for (const int32_t from : {1, 3}) {
    EXPECT_THAT(PlanAllToAll5D(place(), Input({2, n, 2, n, 2}), from, 4 - from, {}),
                StatusIs(kInvalid, HasSubstr("want 3")));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PlansTest, testing::Values(1, 2, 5),
                         [](const auto& test) { return "Size" + std::to_string(test.param); });

TEST(RemainderTest, NoneIsDroppedSilently) {
  const Place place{GroupRank(1), 2};
  const auto refused = StatusIs(kInvalid, HasSubstr("2 equal parts"));
  const Tensor odd = TensorOf(Numbered({2, 3, 5, 2}, 0), DType::kInt32);
  EXPECT_THAT(PlanReduceScatter(place, {&odd, 1}, ReduceOp::kSum, 1, {}), refused);
  EXPECT_THAT(PlanReduceScatter(place, {&odd, 1}, ReduceOp::kSum, -2, {}), refused);
  EXPECT_THAT(PlanAllToAll(place, odd, 1, 0, {}), refused);
  EXPECT_THAT(PlanAllToAll4D(place, odd, 2, 1, {}), refused);
  EXPECT_THAT(PlanAllToAll4D(place, odd, 1, 2, {}), refused);
}

TEST(ShardTest, EachRankKeepsItsPartOfEachDimension) {
  const Dense dense = Numbered({6, 3, 12}, 100);
  for (const Lie lie : kAllLies) {
    const StridedMemory memory(dense, DType::kBFloat16, lie);
    for (int32_t rank = 0; rank < 3; ++rank) {
      for (int32_t dim = 0; dim < 3; ++dim) {
        const int64_t part = dense.shape[static_cast<size_t>(dim)] / 3;
        const auto shard = MakeShard({GroupRank(rank), 3}, memory.tensor(), dim - 3);
        ASSERT_THAT(shard, IsOk());
        EXPECT_EQ(Compare(shard->tensor, SliceOf(dense, dim, rank * part, part), DType::kBFloat16),
                  "");
        EXPECT_TRUE(shard->tensor.IsContiguous());
        EXPECT_FALSE(shard->tensor.ExtentOverlaps(memory.tensor()));
        EXPECT_EQ(shard->whole_size, dense.shape[static_cast<size_t>(dim)]);
      }
    }
  }
}

TEST(ShardTest, ARemainderIsRefusedWithItsNumbers) {
  const Tensor tensor = TensorOf(Numbered({2, 5}, 0), DType::kInt32);
  const auto shard = MakeShard({GroupRank(0), 4}, tensor, 1);
  EXPECT_THAT(shard, StatusIs(kInvalid, HasSubstr("5 / 4 ranks leaves 1")));
  EXPECT_THAT(shard, HasKind(ErrorKind::kNotDivisible));
}

TEST(ShardTest, PaddingIsZeroAndAtTheEnd) {
  const Tensor tensor = TensorOf({{5, 1}, {11, 12, 13, 14, 15}}, DType::kInt32);
  const std::vector<Dense> expected = {
      {{2, 1}, {11, 12}}, {{2, 1}, {13, 14}}, {{2, 1}, {15, 0}}, {{2, 1}, {0, 0}}};
  for (int32_t rank = 0; rank < 4; ++rank) {
    const auto shard = MakeShard({GroupRank(rank), 4}, tensor, 0, Remainder::kPad);
    ASSERT_THAT(shard, IsOk());
    EXPECT_EQ(Compare(shard->tensor, expected[static_cast<size_t>(rank)], DType::kInt32), "");
    EXPECT_EQ(shard->whole_size, 5);
  }
  const auto empty = MakeShard({GroupRank(3), 4}, TensorOf(Numbered({0, 2}, 0), DType::kInt32), 0);
  EXPECT_EQ(Compare(empty->tensor, Numbered({0, 2}, 0), DType::kInt32), "");
}

}  // namespace
}  // namespace muster
