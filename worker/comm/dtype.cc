#include "worker/comm/dtype.h"

#include <bit>

#include "common/base/check.h"

namespace muster {
namespace {

struct DTypeFacts {
  DType dtype;
  size_t size;
  std::string_view name;
};

constexpr DTypeFacts kFacts[] = {
    {DType::kBool, 1, "bool"},         {DType::kInt8, 1, "int8"},
    {DType::kUint8, 1, "uint8"},       {DType::kInt32, 4, "int32"},
    {DType::kInt64, 8, "int64"},       {DType::kFloat16, 2, "float16"},
    {DType::kBFloat16, 2, "bfloat16"}, {DType::kFloat32, 4, "float32"},
    {DType::kFloat64, 8, "float64"},   {DType::kComplex64, 8, "complex64"},
};

const DTypeFacts& FactsOf(DType dtype) {
  const size_t place = static_cast<size_t>(dtype) - 1;
  MUSTER_CHECK(place < std::size(kFacts), "not a dtype");
  return kFacts[place];
}

constexpr uint32_t kFloatSign = 0x80000000U;
constexpr uint32_t kFloatInfinity = 0x7f800000U;
constexpr uint32_t kHalfInfinity = 0x7c00U;
constexpr uint32_t kQuietBit = 0x00400000U;

// Drops the lowest `shift` bits of `value`, rounding to nearest and ties to even.
constexpr uint32_t ShiftRounded(uint32_t value, uint32_t shift) {
  const uint32_t half = 1U << (shift - 1);
  const uint32_t odd = (value >> shift) & 1U;
  return (value + half - 1U + odd) >> shift;
}

}  // namespace

size_t SizeOf(DType dtype) { return FactsOf(dtype).size; }

std::string_view DTypeName(DType dtype) { return FactsOf(dtype).name; }

std::optional<DType> ToDType(uint8_t number) {
  if (number < 1 || number > std::size(kFacts)) return std::nullopt;
  return kFacts[number - 1].dtype;
}

float ToFloat(BFloat16 value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16U);
}

BFloat16 ToBFloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & ~kFloatSign) > kFloatInfinity) {
    return BFloat16{static_cast<uint16_t>((bits | kQuietBit) >> 16U)};
  }
  return BFloat16{static_cast<uint16_t>(ShiftRounded(bits, 16))};
}

float ToFloat(Float16 value) {
  const uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000U) << 16U;
  const uint32_t magnitude = value.bits & 0x7fffU;
  if (magnitude >= kHalfInfinity) {
    return std::bit_cast<float>(sign | kFloatInfinity | ((magnitude & 0x3ffU) << 13U));
  }
  // Shifted into place, the exponent is short of the difference of both biases, 127 - 15; a
  // multiplication adds it and normalizes what was subnormal.
  const float scaled = std::bit_cast<float>(magnitude << 13U) * 0x1p112F;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(scaled));
}

Float16 ToFloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits & kFloatSign) >> 16U;
  const uint32_t magnitude = bits & ~kFloatSign;
  uint32_t half = 0;
  if (magnitude > kFloatInfinity) {
    half = 0x7e00U | ((magnitude >> 13U) & 0x3ffU);
  } else if (magnitude >= 0x47800000U) {  // 65536 and above; a carry below reaches infinity too.
    half = kHalfInfinity;
  } else if (magnitude >= 0x38800000U) {  // 2^-14 and above: normal as a half.
    half = ShiftRounded(magnitude - 0x38000000U, 13);
  } else if (magnitude > 0x33000000U) {  // Above 2^-25: subnormal as a half.
    const uint32_t shift = 126U - (magnitude >> 23U);
    half = ShiftRounded((magnitude & 0x007fffffU) | 0x00800000U, shift);
  }
  return Float16{static_cast<uint16_t>(sign | half)};
}

}  // namespace muster
