// What reaches the group: which buffers, and which memory is used on the way.

#include "worker/ops/transfer.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/ops/strided_memory.h"
#include "worker/ops/tensor_operations.h"

namespace muster {
namespace {

constexpr int32_t kSize = 4;

// A member of a group whose others do nothing. Keeps what it was asked for; operations end when the
// test says so.
class QuietGroup final : public GroupOperations {
 public:
  struct Started {
    OperationCall call;
    absl::Duration timeout;
    std::shared_ptr<WorkState> state = std::make_shared<WorkState>();
  };

  GroupRank rank() const override { return GroupRank(1); }
  int32_t size() const override { return kSize; }
  bool Supports(Operation, DType) const override { return true; }
  bool Supports(ReduceOp, DType) const override { return true; }
  std::unique_ptr<Work> Start(OperationCall call, absl::Duration timeout) override {
    started_.push_back({std::move(call), timeout});
    return MakeWork(started_.back().state);
  }

  Started& last() { return started_.back(); }
  std::vector<Started>& all() { return started_; }
  size_t count() const { return started_.size(); }
  void FinishLast(absl::Status outcome = absl::OkStatus()) {
    last().state->Finish(std::move(outcome));
  }

 private:
  std::vector<Started> started_;
};

class TransferTest : public testing::Test {
 protected:
  QuietGroup& group() { return *group_; }
  TensorOperations& ops() { return ops_; }

  // What the first output of an operation is to be, in the memory of `memory`.
  static OpOptions Into(const StridedMemory& memory) { return {.outputs = {memory.tensor()}}; }

 private:
  const std::shared_ptr<QuietGroup> group_ = std::make_shared<QuietGroup>();
  TensorOperations ops_{group_, absl::Seconds(9)};
};

TEST_F(TransferTest, ElementsThatTravelAsTheyLieAreNotCopied) {
  const Tensor input = TensorOf(Numbered({8, 3}, 5), DType::kInt32);
  const Tensor wide = TensorOf(Numbered({32, 3}, 0), DType::kInt32);
  const Tensor narrow = TensorOf(Numbered({2, 3}, 0), DType::kInt32);
  const auto expect_direct = [this](const TensorWork& work, const Tensor& from, const Tensor& to) {
    EXPECT_EQ(group().last().call.input.data, from.data());
    EXPECT_EQ(group().last().call.output.data, to.data());
    EXPECT_EQ(group().last().call.input.count, from.element_count());
    EXPECT_EQ(group().last().call.output.count, to.element_count());
    group().FinishLast();
    EXPECT_EQ(work.Result()->data(), to.data());
  };
  expect_direct(ops().AllGather(input, 0, {.outputs = {wide}}), input, wide);
  expect_direct(ops().ReduceScatter(input, ReduceOp::kSum, 0, {.outputs = {narrow}}), input,
                narrow);
  expect_direct(ops().AllReduceInPlace(input, ReduceOp::kSum), input, input);
  expect_direct(ops().BroadcastInPlace(input, GroupRank(1)), input, input);
  expect_direct(ops().BroadcastInPlace(input, GroupRank(0)), input, input);
  const std::vector<int64_t> sizes = {1, 8, 0, 2};
  const Tensor joined = TensorOf(Numbered({11, 3}, 0), DType::kInt32);
  expect_direct(ops().AllGatherV(input, sizes, 0, {.outputs = {joined}}), input, joined);
  // Any dimension is as good as the first one if those before it have one index.
  const Tensor row = *input.Reshape({1, 8, 3});
  const Tensor rows = *wide.Reshape({1, 32, 3});
  expect_direct(ops().AllGather(row, 1, {.outputs = {rows}}), row, rows);
}

TEST_F(TransferTest, WhatIsPackedGoesStraightIntoANewResult) {
  const StridedMemory input(Numbered({3, 2}, 50), DType::kInt32, Lie::kTransposed);
  const TensorWork reduced = ops().AllReduce(input.tensor(), ReduceOp::kSum);
  EXPECT_EQ(group().last().call.input.data, group().last().call.output.data);
  group().FinishLast();
  EXPECT_EQ(reduced.Result()->data(), group().last().call.output.data);

  const TensorWork gathered = ops().AllGather(input.tensor(), 0);
  const OperationCall call = group().last().call;
  EXPECT_EQ(call.input.data, call.output.data + 6 * 4);  // The slice of group rank 1.
  group().FinishLast();
  EXPECT_EQ(Compare(*gathered.Result()->Narrow(0, 3, 3), Numbered({3, 2}, 50), DType::kInt32), "");
}

TEST_F(TransferTest, NothingIsWrittenToTheCallersOutputBeforeRanksAgree) {
  const StridedMemory input(Numbered({3, 2}, 50), DType::kInt32, Lie::kTransposed);
  const absl::Status refused = absl::InvalidArgumentError("another rank refused");
  for (const Lie lie : kAllLies) {
    const StridedMemory same(TensorSpec{DType::kInt32, {3, 2}}, lie);
    const StridedMemory wide(TensorSpec{DType::kInt32, {3, 8}}, lie);
    const auto expect_untouched = [&](const TensorWork& work, const StridedMemory& output) {
      group().FinishLast(refused);
      EXPECT_EQ(work.Result().status(), refused);
      EXPECT_TRUE(output.IsUntouched());
      EXPECT_TRUE(input.IsUntouched());
    };
    expect_untouched(ops().AllReduce(input.tensor(), ReduceOp::kSum, Into(same)), same);
    expect_untouched(ops().Broadcast(input.tensor(), GroupRank(1), Into(same)), same);
    expect_untouched(ops().AllGather(input.tensor(), 1, Into(wide)), wide);
    expect_untouched(ops().Gather(input.tensor(), GroupRank(1), 1, Into(wide)), wide);
    expect_untouched(ops().AllReduceInPlace(input.tensor(), ReduceOp::kSum), input);
  }
}

TEST_F(TransferTest, TheRootOfABroadcastGetsACopyAtTheEnd) {
  const Dense dense = Numbered({3, 2}, 50);
  for (const Lie lie : kAllLies) {
    const StridedMemory input(dense, DType::kInt32, lie);
    const StridedMemory output(TensorSpec{DType::kInt32, {3, 2}}, Lie::kGaps);
    const TensorWork work = ops().Broadcast(input.tensor(), GroupRank(1), Into(output));
    EXPECT_EQ(group().last().call.input.data, group().last().call.output.data);
    EXPECT_EQ(group().last().call.input.data == input.tensor().data(), lie == Lie::kContiguous);
    group().FinishLast();
    EXPECT_EQ(Compare(*work.Result(), dense, DType::kInt32), "");
    EXPECT_TRUE(output.IsRestUntouched());
  }
}

TEST_F(TransferTest, TensorsAreHeldUntilTheWorkIsDone) {
  auto input = std::make_unique<StridedMemory>(Numbered({4, 2}, 0), DType::kInt32, Lie::kGaps);
  const std::weak_ptr<const void> watched = input->tensor().owner();
  const TensorWork work = ops().AllToAll(input->tensor());
  input.reset();
  EXPECT_FALSE(watched.expired());
  EXPECT_FALSE(work.IsDone());
  group().FinishLast();
  EXPECT_TRUE(work.IsDone());
  EXPECT_THAT(work.Wait(), IsOk());
  EXPECT_TRUE(watched.expired());
}

TEST_F(TransferTest, AnyNumberOfThreadsMayWait) {
  const Dense dense = Numbered({3, 2}, 50);
  const StridedMemory output(TensorSpec{DType::kInt32, {3, 2}}, Lie::kBoth);
  const TensorWork work = ops().RecvInto(output.tensor(), GroupRank(0));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back(
        [copy = work, &dense] { EXPECT_EQ(Compare(*copy.Result(), dense, DType::kInt32), ""); });
  }
  const std::vector<std::byte> bytes = Encoded(dense, DType::kInt32);
  std::copy(bytes.begin(), bytes.end(), group().last().call.output.data);
  group().FinishLast();
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(output.IsRestUntouched());
}

TEST_F(TransferTest, EitherHalfOfAnExchangeRefusesBoth) {
  const Tensor data = TensorOf(Numbered({2}, 0), DType::kInt32);
  const TensorWork work = ops().SendRecv(data, GroupRank(7), data.spec(), GroupRank(0));
  ASSERT_EQ(group().count(), 2u);
  for (QuietGroup::Started& half : group().all()) {
    EXPECT_THAT(half.call.refusal, StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_EQ(half.call.input.data, nullptr);
    EXPECT_EQ(half.call.output.data, nullptr);
    half.state->Finish(absl::InvalidArgumentError("refused"));
  }
  EXPECT_THAT(work.Wait(), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(TransferTest, TimeoutsAreThoseOfTheCallOrOfTheGroup) {
  const TensorWork first = ops().Barrier();
  EXPECT_EQ(group().last().timeout, absl::Seconds(9));
  group().FinishLast();
  const TensorWork work = ops().Barrier({.timeout = absl::Seconds(2)});
  EXPECT_EQ(group().last().timeout, absl::Seconds(2));
  group().FinishLast();
}

TEST_F(TransferTest, SeveralTensorsAreOneOperation) {
  const std::vector<Tensor> tensors = {TensorOf(Numbered({3}, 1), DType::kInt64),
                                       TensorOf(Numbered({0, 2}, 1), DType::kInt64),
                                       TensorOf(Numbered({2, 2}, 10), DType::kInt64)};
  const TensorWork work = ops().AllReduceCoalesced(tensors, ReduceOp::kSum);
  EXPECT_EQ(group().count(), 1u);
  EXPECT_EQ(group().last().call.input.count, 7);
  group().FinishLast();
  EXPECT_EQ(work.Results()->size(), 3u);
  EXPECT_EQ((*work.Results())[2].shape(), (std::vector<int64_t>{2, 2}));
}

TEST_F(TransferTest, ShapesOfTheSameCountDifferInWhatIsCompared) {
  const Tensor input = TensorOf(Numbered({2, 4}, 0), DType::kInt32);
  const std::vector<std::vector<int64_t>> common = {
      PlanAllGather({GroupRank(1), kSize}, {&input, 1}, 0, {})->common,
      PlanAllGather({GroupRank(1), kSize}, {&input, 1}, 1, {})->common,
      PlanAllToAll({GroupRank(1), 2}, input, 0, 1, {})->common,
      PlanAllToAll({GroupRank(1), 2}, input, 1, 0, {})->common};
  for (size_t i = 0; i < common.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_NE(common[i], common[j]);
  }
  const Tensor flipped = *input.Reshape({4, 2});
  EXPECT_NE(PlanAllReduce({&input, 1}, ReduceOp::kSum, {})->common,
            PlanAllReduce({&flipped, 1}, ReduceOp::kSum, {})->common);
  EXPECT_EQ(PlanAllGather({GroupRank(1), kSize}, {&input, 1}, 1, {})->common,
            PlanAllGather({GroupRank(1), kSize}, {&input, 1}, -1, {})->common);
}

TEST(ScratchPoolTest, MemoryThatWasGivenBackIsUsedAgain) {
  const auto pool = std::make_shared<ScratchPool>();
  std::byte* first = nullptr;
  {
    const auto memory = pool->Take(1000);
    ASSERT_THAT(memory, IsOk());
    first = memory->get();
    const auto other = pool->Take(1000);
    EXPECT_NE(other->get(), first);
  }
  EXPECT_EQ(pool->kept_bytes(), 2000);
  {
    const auto small = pool->Take(100);  // Not for this: another one may need a large one.
    EXPECT_EQ(pool->kept_bytes(), 2000);
    const auto again = pool->Take(900);
    EXPECT_EQ(pool->kept_bytes(), 1000);
  }
}

TEST(ScratchPoolTest, NoMoreIsKeptThanItsLimits) {
  const auto pool = std::make_shared<ScratchPool>();
  { const auto huge = pool->Take(ScratchPool::kKeptBytesMax + 1); }
  EXPECT_EQ(pool->kept_bytes(), 0);
  {
    std::vector<std::shared_ptr<std::byte>> many;
    for (size_t i = 0; i < ScratchPool::kKeptMax + 5; ++i) many.push_back(*pool->Take(8));
  }
  EXPECT_EQ(pool->kept_bytes(), static_cast<int64_t>(8 * ScratchPool::kKeptMax));
}

TEST(ScratchPoolTest, MemoryOutlivesThePoolsUser) {
  auto pool = std::make_shared<ScratchPool>();
  const auto memory = *pool->Take(16);
  pool.reset();
  memory.get()[15] = std::byte{1};
}

}  // namespace
}  // namespace muster
