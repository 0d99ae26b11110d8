#include "worker/comm/dtype.h"

#include <bit>
#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace muster {
namespace {

TEST(DTypeTest, NumbersAndSizesAreThoseOfTheWire) {
  const size_t sizes[] = {1, 1, 1, 4, 8, 2, 2, 4, 8, 8};
  for (size_t i = 0; i < std::size(kAllDTypes); ++i) {
    EXPECT_EQ(static_cast<size_t>(kAllDTypes[i]), i + 1);
    EXPECT_EQ(SizeOf(kAllDTypes[i]), sizes[i]) << DTypeName(kAllDTypes[i]);
    EXPECT_EQ(ToDType(static_cast<uint8_t>(i + 1)), kAllDTypes[i]);
  }
  EXPECT_EQ(ToDType(0), std::nullopt);
  EXPECT_EQ(ToDType(11), std::nullopt);
}

TEST(DTypeTest, EverySixteenBitFloatSurvivesTheWayThroughFloat32) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const Float16 half{static_cast<uint16_t>(bits)};
    const BFloat16 brain{static_cast<uint16_t>(bits)};
    if (std::isnan(ToFloat(half))) {
      EXPECT_TRUE(std::isnan(ToFloat(ToFloat16(ToFloat(half)))));
    } else {
      EXPECT_EQ(ToFloat16(ToFloat(half)), half) << bits;
    }
    if (std::isnan(ToFloat(brain))) {
      EXPECT_TRUE(std::isnan(ToFloat(ToBFloat16(ToFloat(brain)))));
    } else {
      EXPECT_EQ(ToBFloat16(ToFloat(brain)), brain) << bits;
    }
  }
}

TEST(DTypeTest, Float16HasTheValuesOfItsStandard) {
  EXPECT_EQ(ToFloat(Float16{0x3c00}), 1.0F);
  EXPECT_EQ(ToFloat(Float16{0xc500}), -5.0F);
  EXPECT_EQ(ToFloat(Float16{0x7bff}), 65504.0F);
  EXPECT_EQ(ToFloat(Float16{0x0001}), std::ldexp(1.0F, -24));
  EXPECT_EQ(ToFloat(Float16{0x7c00}), std::numeric_limits<float>::infinity());
}

// Halfway between each pair of neighbours the even one wins; a little to either side, the near one.
TEST(DTypeTest, ConversionsRoundToNearestAndTiesToEven) {
  for (uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const float low = ToFloat(Float16{bits});
    const float high = ToFloat(Float16{static_cast<uint16_t>(bits + 1)});
    const float middle = low + (high - low) / 2;
    const uint16_t even = bits % 2 == 0 ? bits : static_cast<uint16_t>(bits + 1);
    EXPECT_EQ(ToFloat16(middle).bits, even) << bits;
    EXPECT_EQ(ToFloat16(std::nextafter(middle, 0.0F)).bits, bits);
    EXPECT_EQ(ToFloat16(std::nextafter(middle, 1e9F)).bits, bits + 1);
  }
  EXPECT_EQ(ToBFloat16(1.0F + std::ldexp(1.0F, -8)).bits, 0x3f80);
  EXPECT_EQ(ToBFloat16(1.0F + std::ldexp(3.0F, -8)).bits, 0x3f82);
}

TEST(DTypeTest, WhatIsTooLargeBecomesInfinite) {
  EXPECT_EQ(ToFloat16(65519.0F).bits, 0x7bff);
  EXPECT_EQ(ToFloat16(65520.0F).bits, 0x7c00);
  EXPECT_EQ(ToFloat16(-1e30F).bits, 0xfc00);
  EXPECT_EQ(ToBFloat16(std::numeric_limits<float>::max()).bits, 0x7f80);
}

}  // namespace
}  // namespace muster
