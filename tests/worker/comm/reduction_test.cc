#include "worker/comm/reduction.h"

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "worker/comm/buffer.h"

namespace muster {
namespace {

using testing::ElementsAre;

// Reduces the inputs into a place of their own.
template <typename T>
std::vector<T> Reduced(std::vector<std::vector<T>> inputs, ReduceOp op) {
  std::vector<const std::byte*> data;
  for (std::vector<T>& input : inputs) data.push_back(BufferOf(input).data);
  std::vector<T> output(inputs[0].size());
  Reduce(data, BufferOf(output).data, static_cast<int64_t>(output.size()), DTypeOf<T>::value, op);
  return output;
}

TEST(ReductionTest, ReducesElementByElement) {
  const std::vector<std::vector<int32_t>> inputs = {{1, 20, -3}, {4, -5, 6}, {7, 8, 9}};
  EXPECT_THAT(Reduced(inputs, ReduceOp::kSum), ElementsAre(12, 23, 12));
  EXPECT_THAT(Reduced(inputs, ReduceOp::kProduct), ElementsAre(28, -800, -162));
  EXPECT_THAT(Reduced(inputs, ReduceOp::kMin), ElementsAre(1, -5, -3));
  EXPECT_THAT(Reduced(inputs, ReduceOp::kMax), ElementsAre(7, 20, 9));
}

TEST(ReductionTest, IntegersWrapAround) {
  EXPECT_THAT(Reduced<int8_t>({{127, -128}, {1, -1}}, ReduceOp::kSum), ElementsAre(-128, 127));
  EXPECT_THAT(Reduced<int64_t>({{std::numeric_limits<int64_t>::max()}, {2}}, ReduceOp::kProduct),
              ElementsAre(-2));
  EXPECT_THAT(Reduced<uint8_t>({{200}, {100}}, ReduceOp::kSum), ElementsAre(44));
}

TEST(ReductionTest, BoolIsOrAndAndForEveryByteThatIsNotZero) {
  std::vector<uint8_t> a = {0, 0, 2, 255}, b = {0, 1, 0, 4}, out(4);
  const std::vector<const std::byte*> inputs = {BufferOf(a).data, BufferOf(b).data};
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMax}) {
    Reduce(inputs, BufferOf(out).data, 4, DType::kBool, op);
    EXPECT_THAT(out, ElementsAre(0, 1, 1, 1));
  }
  for (const ReduceOp op : {ReduceOp::kProduct, ReduceOp::kMin}) {
    Reduce(inputs, BufferOf(out).data, 4, DType::kBool, op);
    EXPECT_THAT(out, ElementsAre(0, 0, 0, 1));
  }
}

TEST(ReductionTest, NanOnAnyRankGivesNan) {
  const float nan = std::nanf("");
  for (const ReduceOp op : kAllReduceOps) {
    for (const float value : Reduced<float>({{nan, 1, 1}, {2, nan, 2}, {3, 3, nan}}, op)) {
      EXPECT_TRUE(std::isnan(value)) << ReduceOpName(op);
    }
  }
}

TEST(ReductionTest, OutputMayBeAnInputAndBlocksAreJoinedRight) {
  constexpr size_t kCount = 5000;
  std::vector<double> a(kCount), b(kCount), wanted(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    a[i] = static_cast<double>(i) + 0.5;
    b[i] = static_cast<double>(7 * i);
    wanted[i] = static_cast<double>(8 * i) + 0.5;
  }
  const std::vector<const std::byte*> inputs = {BufferOf(a).data, BufferOf(b).data};

  Reduce(inputs, BufferOf(b).data, kCount, DType::kFloat64, ReduceOp::kSum);

  EXPECT_EQ(b, wanted);
}

TEST(ReductionTest, AverageIsTheSumDividedOnce) {
  EXPECT_THAT(Reduced<double>({{1, 2}, {2, 5}, {6, -1}}, ReduceOp::kAverage), ElementsAre(3, 2));
  // The sum of these is more than a float16 can hold, but not more than a float32 can.
  const std::vector<Float16> big = {ToFloat16(65504.0F)};
  EXPECT_THAT(Reduced<Float16>({big, big, big}, ReduceOp::kAverage),
              ElementsAre(ToFloat16(65504.0F)));
  const std::vector<BFloat16> huge = {ToBFloat16(3e38F)};
  EXPECT_THAT(Reduced<BFloat16>({huge, huge}, ReduceOp::kAverage),
              ElementsAre(ToBFloat16(std::numeric_limits<float>::infinity())));
}

TEST(ReductionTest, ComplexNumbersHaveNoOrderAndOnlyFloatsAnAverage) {
  for (const DType dtype : kAllDTypes) {
    const bool is_complex = dtype == DType::kComplex64;
    const bool is_float = dtype == DType::kFloat16 || dtype == DType::kBFloat16 ||
                          dtype == DType::kFloat32 || dtype == DType::kFloat64;
    EXPECT_TRUE(IsReducible(dtype, ReduceOp::kSum) && IsReducible(dtype, ReduceOp::kProduct));
    EXPECT_EQ(IsReducible(dtype, ReduceOp::kMin), !is_complex);
    EXPECT_EQ(IsReducible(dtype, ReduceOp::kMax), !is_complex);
    EXPECT_EQ(IsReducible(dtype, ReduceOp::kAverage), is_float);
  }
  using Complex = std::complex<float>;
  EXPECT_THAT(Reduced<Complex>({{{1, 2}}, {{3, 4}}}, ReduceOp::kProduct),
              ElementsAre(Complex(-5, 10)));
}

}  // namespace
}  // namespace muster
