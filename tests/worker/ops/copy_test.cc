#include "worker/ops/copy.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/worker/ops/strided_memory.h"

namespace muster {
namespace {

const std::vector<std::vector<int64_t>>& Shapes() {
  static const std::vector<std::vector<int64_t>> shapes = {
      {},        {1},       {17},         {0, 5},      {3, 5},          {37, 41}, {2, 1, 7},
      {5, 3, 2}, {1, 1, 1}, {2, 3, 4, 5}, {33, 2, 35}, {2, 2, 2, 2, 2}, {70, 3}};
  return shapes;
}

// Types of each size of an element.
constexpr DType kSizes[] = {DType::kInt8, DType::kFloat16, DType::kInt32, DType::kComplex64};

TEST(CopyTest, EveryLieBecomesEveryOtherAndNothingElseChanges) {
  for (const std::vector<int64_t>& shape : Shapes()) {
    const Dense dense = Numbered(shape, 3);
    for (const DType dtype : kSizes) {
      for (const Lie from_lie : kAllLies) {
        const StridedMemory from(dense, dtype, from_lie);
        for (const Lie to_lie : kAllLies) {
          const StridedMemory to(TensorSpec{dtype, shape}, to_lie);
          CopyElements(from.tensor(), to.tensor());
          EXPECT_EQ(Compare(to.tensor(), dense, dtype), "");
          EXPECT_TRUE(to.IsRestUntouched());
          EXPECT_TRUE(from.IsUntouched());
        }
      }
    }
  }
}

TEST(CopyTest, ElementsOfTheInputMayShareMemory) {
  const Tensor row = TensorOf(Numbered({3}, 40), DType::kInt32);
  const auto repeated = Tensor::Wrap({.owner = row.owner(),
                                      .data = row.data(),
                                      .spec = {DType::kInt32, {2, 3}},
                                      .strides = std::vector<int64_t>{0, 1},
                                      .device = {}});
  ASSERT_TRUE(repeated.ok());
  for (const Lie lie : kAllLies) {
    const StridedMemory to(TensorSpec{DType::kInt32, {2, 3}}, lie);
    CopyElements(*repeated, to.tensor());
    EXPECT_EQ(Compare(to.tensor(), {{2, 3}, {40, 41, 42, 40, 41, 42}}, DType::kInt32), "");
  }
}

TEST(CopyTest, PiecesArePackedOneAfterTheOtherAndUnpacked) {
  const Dense first = Numbered({2, 3}, 10);
  const Dense empty = Numbered({0, 3}, 0);
  const Dense second = Numbered({4}, 70);
  for (const Lie lie : kAllLies) {
    const StridedMemory a(first, DType::kInt32, lie);
    const StridedMemory b(empty, DType::kInt32, lie);
    const StridedMemory c(second, DType::kInt32, lie);
    const Pieces pieces = {a.tensor(), b.tensor(), c.tensor()};
    ASSERT_EQ(CountElements(pieces), 10);
    std::vector<int32_t> packed(10);
    Pack(pieces, reinterpret_cast<std::byte*>(packed.data()));
    EXPECT_EQ(packed, (std::vector<int32_t>{10, 11, 12, 13, 14, 15, 70, 71, 72, 73}));

    const StridedMemory d(first, DType::kInt32, lie);
    const StridedMemory e(TensorSpec{DType::kInt32, {4}}, lie);
    Unpack(reinterpret_cast<const std::byte*>(packed.data()), {d.tensor(), e.tensor()});
    EXPECT_EQ(Compare(d.tensor(), first, DType::kInt32), "");
    EXPECT_EQ(Compare(e.tensor(), second, DType::kInt32), "");
    EXPECT_TRUE(e.IsRestUntouched());
  }
}

TEST(CopyTest, PiecesThatLieInOrderAreSeen) {
  const Tensor whole = TensorOf(Numbered({6, 2}, 0), DType::kInt32);
  const Tensor head = *whole.Narrow(0, 0, 2);
  const Tensor nothing = *whole.Narrow(0, 5, 0);
  const Tensor tail = *whole.Narrow(0, 2, 4);
  EXPECT_EQ(ContiguousData({head, nothing, tail}), whole.data());
  EXPECT_EQ(ContiguousData({tail}), tail.data());
  EXPECT_EQ(ContiguousData({tail, head}), nullptr);
  EXPECT_EQ(ContiguousData({*whole.Narrow(1, 0, 1)}), nullptr);
  EXPECT_EQ(ContiguousData({nothing}), nullptr);
}

TEST(CopyTest, ACloneIsContiguousAndApart) {
  const Dense dense = Numbered({3, 4}, 9);
  const StridedMemory memory(dense, DType::kFloat32, Lie::kBoth);
  const auto clone = Clone(memory.tensor());
  ASSERT_TRUE(clone.ok());
  EXPECT_TRUE(clone->IsContiguous());
  EXPECT_FALSE(clone->ExtentOverlaps(memory.tensor()));
  EXPECT_EQ(Compare(*clone, dense, DType::kFloat32), "");
}

}  // namespace
}  // namespace muster
