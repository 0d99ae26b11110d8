#include "worker/comm/reduction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>

#include "common/base/check.h"

namespace muster {
namespace {

// Elements that are accumulated at a time: few enough to stay in the first cache.
constexpr int64_t kBlock = 1024;

// How elements of the memory type T are computed with: as which type, and how to convert.
template <typename T>
struct Traits {
  using Accumulator = T;
  static T Load(T value) { return value; }
  static T Store(T value) { return value; }
};
template <>
struct Traits<Float16> {
  using Accumulator = float;
  static float Load(Float16 value) { return ToFloat(value); }
  static Float16 Store(float value) { return ToFloat16(value); }
};
template <>
struct Traits<BFloat16> {
  using Accumulator = float;
  static float Load(BFloat16 value) { return ToFloat(value); }
  static BFloat16 Store(float value) { return ToBFloat16(value); }
};

template <typename A>
bool IsNan(A value) {
  if constexpr (std::is_floating_point_v<A>) {
    return std::isnan(value);
  } else {
    return false;
  }
}

struct Sum {
  template <typename A>
  static A Apply(A a, A b) {
    if constexpr (std::is_same_v<A, bool>) {
      return a || b;
    } else if constexpr (std::is_integral_v<A>) {
      using Unsigned = std::make_unsigned_t<A>;  // Wraps around without undefined behaviour.
      return static_cast<A>(
          static_cast<Unsigned>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)));
    } else {
      return a + b;
    }
  }
};

struct Product {
  template <typename A>
  static A Apply(A a, A b) {
    if constexpr (std::is_same_v<A, bool>) {
      return a && b;
    } else if constexpr (std::is_integral_v<A>) {
      return static_cast<A>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    } else {
      return a * b;
    }
  }
};

// Adds up; ReduceAs() divides what came of it.
struct Average : Sum {};

struct Min {
  template <typename A>
  static A Apply(A a, A b) {
    return IsNan(a) || a < b ? a : b;
  }
};

struct Max {
  template <typename A>
  static A Apply(A a, A b) {
    return IsNan(a) || b < a ? a : b;
  }
};

// Memory may be unaligned for T, and a byte that is neither 0 nor 1 is no valid bool to read.
template <typename T>
T Read(const std::byte* from, int64_t index) {
  if constexpr (std::is_same_v<T, bool>) {
    return from[index] != std::byte{0};
  } else {
    T value;
    std::memcpy(&value, from + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
    return value;
  }
}

template <typename T, typename Op>
void ReduceAs(std::span<const std::byte* const> inputs, std::byte* output, int64_t count) {
  using Accumulator = typename Traits<T>::Accumulator;
  std::array<Accumulator, kBlock> sums;
  for (int64_t start = 0; start < count; start += kBlock) {
    const int64_t size = std::min(kBlock, count - start);
    for (int64_t i = 0; i < size; ++i) {
      sums[static_cast<size_t>(i)] = Traits<T>::Load(Read<T>(inputs.front(), start + i));
    }
    for (const std::byte* input : inputs.subspan(1)) {
      for (int64_t i = 0; i < size; ++i) {
        Accumulator& sum = sums[static_cast<size_t>(i)];
        sum = Op::template Apply<Accumulator>(sum, Traits<T>::Load(Read<T>(input, start + i)));
      }
    }
    if constexpr (std::is_same_v<Op, Average>) {
      const auto divisor = static_cast<Accumulator>(inputs.size());
      for (int64_t i = 0; i < size; ++i) sums[static_cast<size_t>(i)] /= divisor;
    }
    for (int64_t i = 0; i < size; ++i) {
      const T value = Traits<T>::Store(sums[static_cast<size_t>(i)]);
      std::memcpy(output + (start + i) * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
    }
  }
}

template <typename T>
void ReduceBy(std::span<const std::byte* const> inputs, std::byte* output, int64_t count,
              ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum:
      return ReduceAs<T, Sum>(inputs, output, count);
    case ReduceOp::kProduct:
      return ReduceAs<T, Product>(inputs, output, count);
    case ReduceOp::kAverage:
      if constexpr (std::is_floating_point_v<typename Traits<T>::Accumulator>) {
        return ReduceAs<T, Average>(inputs, output, count);
      }
      return;
    case ReduceOp::kMin:
    case ReduceOp::kMax:
      break;
  }
  if constexpr (!std::is_same_v<T, std::complex<float>>) {
    return op == ReduceOp::kMin ? ReduceAs<T, Min>(inputs, output, count)
                                : ReduceAs<T, Max>(inputs, output, count);
  }
}

}  // namespace

std::string_view ReduceOpName(ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum:
      return "sum";
    case ReduceOp::kProduct:
      return "product";
    case ReduceOp::kMin:
      return "min";
    case ReduceOp::kMax:
      return "max";
    case ReduceOp::kAverage:
      return "average";
  }
  return "unknown";
}

std::optional<ReduceOp> ToReduceOp(uint8_t number) {
  for (const ReduceOp op : kAllReduceOps) {
    if (static_cast<uint8_t>(op) == number) return op;
  }
  return std::nullopt;
}

bool IsReducible(DType dtype, ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum:
    case ReduceOp::kProduct:
      return true;
    case ReduceOp::kMin:
    case ReduceOp::kMax:
      return dtype != DType::kComplex64;
    case ReduceOp::kAverage:
      return dtype == DType::kFloat16 || dtype == DType::kBFloat16 || dtype == DType::kFloat32 ||
             dtype == DType::kFloat64;
  }
  return false;
}

void Reduce(std::span<const std::byte* const> inputs, std::byte* output, int64_t count, DType dtype,
            ReduceOp op) {
  MUSTER_CHECK(!inputs.empty() && IsReducible(dtype, op), "nothing that can be reduced");
  switch (dtype) {
    case DType::kBool:
      return ReduceBy<bool>(inputs, output, count, op);
    case DType::kInt8:
      return ReduceBy<int8_t>(inputs, output, count, op);
    case DType::kUint8:
      return ReduceBy<uint8_t>(inputs, output, count, op);
    case DType::kInt32:
      return ReduceBy<int32_t>(inputs, output, count, op);
    case DType::kInt64:
      return ReduceBy<int64_t>(inputs, output, count, op);
    case DType::kFloat16:
      return ReduceBy<Float16>(inputs, output, count, op);
    case DType::kBFloat16:
      return ReduceBy<BFloat16>(inputs, output, count, op);
    case DType::kFloat32:
      return ReduceBy<float>(inputs, output, count, op);
    case DType::kFloat64:
      return ReduceBy<double>(inputs, output, count, op);
    case DType::kComplex64:
      return ReduceBy<std::complex<float>>(inputs, output, count, op);
  }
}

}  // namespace muster
