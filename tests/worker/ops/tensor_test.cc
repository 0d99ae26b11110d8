#include "worker/ops/tensor.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/ops/strided_memory.h"
#include "worker/ops/copy.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

// A tensor over memory that nobody reads.
absl::StatusOr<Tensor> Wrapped(std::vector<int64_t> shape, std::vector<int64_t> strides,
                               DType dtype = DType::kInt32) {
  alignas(8) static std::byte memory[4096];
  return Tensor::Wrap({.owner = nullptr,
                       .data = memory,
                       .spec = {dtype, std::move(shape)},
                       .strides = std::move(strides),
                       .device = {}});
}

TEST(TensorTest, AllocatedMemoryIsContiguousAlignedAndShared) {
  const auto tensor = Tensor::Allocate({DType::kFloat32, {2, 3}});
  ASSERT_THAT(tensor, IsOk());
  EXPECT_THAT(tensor->strides(), ElementsAre(3, 1));
  EXPECT_EQ(tensor->element_count(), 6);
  EXPECT_EQ(tensor->byte_count(), 24);
  EXPECT_TRUE(tensor->IsContiguous());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->data()) % 64, 0u);
  const Tensor copy = *tensor;
  EXPECT_EQ(copy.data(), tensor->data());
  EXPECT_EQ(tensor->owner().use_count(), 2);
}

TEST(TensorTest, MemoryGoesWithTheLastView) {
  auto owner = std::make_shared<int>(0);
  const std::weak_ptr<int> watched = owner;
  std::byte memory[8] = {};
  auto tensor =
      Tensor::Wrap({.owner = std::move(owner), .data = memory, .spec = {DType::kInt8, {2, 4}}});
  ASSERT_THAT(tensor, IsOk());
  auto view = tensor->Narrow(0, 1, 1);
  ASSERT_THAT(view, IsOk());
  *tensor = Tensor();
  EXPECT_FALSE(watched.expired());
  *view = Tensor();
  EXPECT_TRUE(watched.expired());
}

TEST(TensorTest, WhatCannotBeIsRefused) {
  const int64_t huge = int64_t{1} << 40;
  EXPECT_THAT(Tensor::Allocate({DType::kInt8, {2, -1}}), StatusIs(kInvalid, HasSubstr("size -1")));
  EXPECT_THAT(Tensor::Allocate({DType::kInt8, {huge, huge}}),
              StatusIs(kInvalid, HasSubstr("63 bits")));
  EXPECT_THAT(Tensor::Allocate({DType::kInt8, {huge, huge, 0}}),
              StatusIs(kInvalid, HasSubstr("63 bits")));
  EXPECT_THAT(Tensor::Allocate({DType::kFloat64, {int64_t{1} << 60}}), StatusIs(kInvalid));
  EXPECT_THAT(Tensor::Allocate({DType::kInt8, {int64_t{1} << 60}}),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(Tensor::Allocate({DType::kInt8, std::vector<int64_t>(65, 1)}),
              StatusIs(kInvalid, HasSubstr("65 dimensions")));
  EXPECT_THAT(Tensor::Allocate({static_cast<DType>(77), {1}}), StatusIs(kInvalid));
  EXPECT_THAT(Wrapped({2, 3}, {-3, 1}), StatusIs(kInvalid, HasSubstr("stride -3")));
  EXPECT_THAT(Wrapped({2, 3}, {3}), StatusIs(kInvalid, HasSubstr("1 strides")));
  EXPECT_THAT(Wrapped({3, 3}, {int64_t{1} << 62, 1}), StatusIs(kInvalid, HasSubstr("63 bits")));
  EXPECT_THAT(Wrapped({2, 2}, {int64_t{1} << 61, 1}), StatusIs(kInvalid, HasSubstr("63 bits")));
  EXPECT_THAT(Tensor::Wrap({.data = nullptr, .spec = {DType::kInt8, {1}}}),
              StatusIs(kInvalid, HasSubstr("no memory")));
  EXPECT_THAT(Tensor::Wrap({.data = nullptr, .spec = {DType::kInt8, {4, 0}}}), IsOk());
  alignas(8) std::byte memory[32] = {};
  for (const DType dtype : kAllDTypes) {
    const auto odd = Tensor::Wrap({.data = memory + 1, .spec = {dtype, {1}}});
    EXPECT_EQ(odd.ok(), SizeOf(dtype) == 1) << odd.status();
  }
  EXPECT_THAT(Tensor::Wrap({.data = memory + 4, .spec = {DType::kComplex64, {1}}}), IsOk());
  EXPECT_THAT(Tensor::Wrap({.data = memory + 4, .spec = {DType::kFloat64, {1}}}),
              StatusIs(kInvalid, HasSubstr("aligned to 8 bytes")));
}

TEST(TensorTest, ContiguousMeansInOrderWithoutGaps) {
  EXPECT_TRUE(Wrapped({2, 3}, {3, 1})->IsContiguous());
  EXPECT_FALSE(Wrapped({2, 3}, {1, 2})->IsContiguous());
  EXPECT_FALSE(Wrapped({2, 3}, {4, 1})->IsContiguous());
  EXPECT_FALSE(Wrapped({2, 3}, {6, 2})->IsContiguous());
  // Strides of sizes of 1 do not matter, nor any without elements.
  EXPECT_TRUE(Wrapped({1, 3}, {77, 1})->IsContiguous());
  EXPECT_TRUE(Wrapped({0, 3}, {1, 9})->IsContiguous());
  EXPECT_TRUE(Wrapped({}, {})->IsContiguous());
}

TEST(TensorTest, ElementsThatShareMemoryAreSeen) {
  EXPECT_TRUE(Wrapped({2, 3}, {3, 1})->IsDisjoint());
  EXPECT_TRUE(Wrapped({2, 3}, {1, 2})->IsDisjoint());
  EXPECT_TRUE(Wrapped({4, 3}, {8, 2})->IsDisjoint());
  EXPECT_FALSE(Wrapped({4, 3}, {0, 1})->IsDisjoint());
  EXPECT_FALSE(Wrapped({4, 3}, {1, 1})->IsDisjoint());
  EXPECT_FALSE(Wrapped({4, 3}, {2, 1})->IsDisjoint());
  EXPECT_TRUE(Wrapped({0, 3}, {0, 0})->IsDisjoint());
}

TEST(TensorTest, ExtentsReachFromTheFirstToTheLastElement) {
  const Tensor whole = TensorOf(Numbered({4, 4}, 0), DType::kInt32);
  EXPECT_EQ(whole.ExtentBytes(), 64);
  const Tensor left = *whole.Narrow(1, 0, 2);
  const Tensor right = *whole.Narrow(1, 2, 2);
  const Tensor top = *whole.Narrow(0, 0, 2);
  const Tensor bottom = *whole.Narrow(0, 2, 2);
  EXPECT_EQ(left.ExtentBytes(), 4 * (3 * 4 + 2));
  EXPECT_TRUE(left.ExtentOverlaps(right));
  EXPECT_FALSE(top.ExtentOverlaps(bottom));
  EXPECT_FALSE(whole.Narrow(0, 2, 0)->ExtentOverlaps(whole));
}

TEST(TensorTest, ViewsHaveTheElementsOfTheirIndexes) {
  const Dense dense = Numbered({4, 3, 2}, 100);
  for (const Lie lie : kAllLies) {
    const StridedMemory memory(dense, DType::kInt64, lie);
    const Tensor& tensor = memory.tensor();
    EXPECT_EQ(Compare(*tensor.Narrow(1, 1, 2), SliceOf(dense, 1, 1, 2), DType::kInt64), "");
    EXPECT_EQ(Compare(*tensor.Narrow(-1, 1, 1), SliceOf(dense, 2, 1, 1), DType::kInt64), "");
    Dense split = dense;
    split.shape = {2, 2, 3, 2};
    EXPECT_EQ(Compare(*tensor.SplitDim(0, 2), split, DType::kInt64), "");
    const Tensor moved = *tensor.MoveToFront(2);
    EXPECT_EQ(moved.shape(), (std::vector<int64_t>{2, 4, 3}));
    EXPECT_EQ(moved.strides(), tensor.Permute({2, 0, 1})->strides());
    Dense front = SliceOf(dense, 2, 1, 1);
    front.shape = {1, 4, 3};
    EXPECT_EQ(Compare(*moved.Narrow(0, 1, 1), front, DType::kInt64), "");
  }
}

TEST(TensorTest, ViewsThatCannotBeAreRefused) {
  const Tensor tensor = TensorOf(Numbered({4, 3}, 0), DType::kInt8);
  EXPECT_THAT(tensor.Narrow(2, 0, 1), StatusIs(kInvalid, HasSubstr("want -2 to 1")));
  EXPECT_THAT(tensor.Narrow(-3, 0, 1), StatusIs(kInvalid));
  EXPECT_THAT(tensor.Narrow(0, -1, 1), StatusIs(kInvalid));
  EXPECT_THAT(tensor.Narrow(0, 2, 3), StatusIs(kInvalid));
  EXPECT_THAT(tensor.Narrow(0, 1, std::numeric_limits<int64_t>::max()), StatusIs(kInvalid));
  EXPECT_THAT(tensor.SplitDim(1, 2), StatusIs(kInvalid, HasSubstr("2 equal parts")));
  EXPECT_THAT(tensor.SplitDim(1, 0), StatusIs(kInvalid));
  EXPECT_THAT(tensor.Permute({0}), StatusIs(kInvalid));
  EXPECT_THAT(tensor.Permute({0, 0}), StatusIs(kInvalid, HasSubstr("twice")));
  EXPECT_THAT(tensor.Permute({0, 2}), StatusIs(kInvalid));
  EXPECT_THAT(tensor.Reshape({5}), StatusIs(kInvalid));
  EXPECT_THAT(tensor.Permute({1, 0})->Reshape({12}),
              StatusIs(kInvalid, HasSubstr("not contiguous")));
  EXPECT_THAT(TensorOf(Numbered({}, 0), DType::kInt8).Narrow(0, 0, 0),
              StatusIs(kInvalid, HasSubstr("no dimensions")));
}

TEST(TensorTest, AnotherShapeOfContiguousElementsIsAView) {
  const Tensor tensor = TensorOf(Numbered({4, 3}, 7), DType::kInt32);
  EXPECT_EQ(Compare(*tensor.Reshape({2, 6}), Numbered({2, 6}, 7), tensor.dtype()), "");
  EXPECT_EQ(tensor.Reshape({12})->data(), tensor.data());
}

}  // namespace
}  // namespace muster
