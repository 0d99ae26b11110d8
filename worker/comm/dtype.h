#ifndef MUSTER_WORKER_COMM_DTYPE_H_
#define MUSTER_WORKER_COMM_DTYPE_H_

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace muster {

// What the bytes of an element mean. The numbers travel between members of a group and are never
// reused.
enum class DType : uint8_t {
  kBool = 1,  // One byte: 0 is false, anything else is true.
  kInt8 = 2,
  kUint8 = 3,
  kInt32 = 4,
  kInt64 = 5,
  kFloat16 = 6,   // IEEE 754 binary16.
  kBFloat16 = 7,  // The upper half of a float32.
  kFloat32 = 8,
  kFloat64 = 9,
  kComplex64 = 10,  // Two float32: real, then imaginary.
};

// All of them, in order of their numbers.
inline constexpr DType kAllDTypes[] = {
    DType::kBool,    DType::kInt8,     DType::kUint8,   DType::kInt32,   DType::kInt64,
    DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64, DType::kComplex64};

// Bytes of one element.
size_t SizeOf(DType dtype);

// As "float32" or "bfloat16".
std::string_view DTypeName(DType dtype);

// The type of a number that came from elsewhere; nothing if it names none.
std::optional<DType> ToDType(uint8_t number);

// 16-bit floats as bits; the language has no arithmetic for them.
struct Float16 {
  uint16_t bits = 0;
  friend bool operator==(const Float16&, const Float16&) = default;
};
struct BFloat16 {
  uint16_t bits = 0;
  friend bool operator==(const BFloat16&, const BFloat16&) = default;
};

// Conversions round to nearest, ties to even; what is too large becomes infinite. A NaN stays one.
float ToFloat(Float16 value);
float ToFloat(BFloat16 value);
Float16 ToFloat16(float value);
BFloat16 ToBFloat16(float value);

// The type of elements of the C++ type T, as DTypeOf<float>::value.
template <typename T>
struct DTypeOf;
template <>
struct DTypeOf<bool> : std::integral_constant<DType, DType::kBool> {};
template <>
struct DTypeOf<int8_t> : std::integral_constant<DType, DType::kInt8> {};
template <>
struct DTypeOf<uint8_t> : std::integral_constant<DType, DType::kUint8> {};
template <>
struct DTypeOf<int32_t> : std::integral_constant<DType, DType::kInt32> {};
template <>
struct DTypeOf<int64_t> : std::integral_constant<DType, DType::kInt64> {};
template <>
struct DTypeOf<Float16> : std::integral_constant<DType, DType::kFloat16> {};
template <>
struct DTypeOf<BFloat16> : std::integral_constant<DType, DType::kBFloat16> {};
template <>
struct DTypeOf<float> : std::integral_constant<DType, DType::kFloat32> {};
template <>
struct DTypeOf<double> : std::integral_constant<DType, DType::kFloat64> {};
template <>
struct DTypeOf<std::complex<float>> : std::integral_constant<DType, DType::kComplex64> {};

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_DTYPE_H_
