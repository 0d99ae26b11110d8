#include "tests/testing/ops_model.h"

#include <algorithm>
#include <complex>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace muster {
namespace {

// How many values one step of `dim` goes over.
int64_t InnerCount(const std::vector<int64_t>& shape, int32_t dim) {
  int64_t count = 1;
  for (size_t d = static_cast<size_t>(dim) + 1; d < shape.size(); ++d) count *= shape[d];
  return count;
}

double Combine(double a, double b, ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum:
    case ReduceOp::kAverage:
      return a + b;
    case ReduceOp::kProduct:
      return a * b;
    case ReduceOp::kMin:
      return std::min(a, b);
    case ReduceOp::kMax:
      return std::max(a, b);
  }
  return 0;
}

template <typename T>
void Put(T element, std::byte* to) {
  std::memcpy(to, &element, sizeof(element));
}

void PutElement(double value, DType dtype, std::byte* to) {
  const auto integer = static_cast<int64_t>(value);
  switch (dtype) {
    case DType::kBool:
    case DType::kUint8:
      return Put(static_cast<uint8_t>(integer), to);
    case DType::kInt8:
      return Put(static_cast<int8_t>(integer), to);
    case DType::kInt32:
      return Put(static_cast<int32_t>(integer), to);
    case DType::kInt64:
      return Put(integer, to);
    case DType::kFloat16:
      return Put(ToFloat16(static_cast<float>(value)), to);
    case DType::kBFloat16:
      return Put(ToBFloat16(static_cast<float>(value)), to);
    case DType::kFloat32:
      return Put(static_cast<float>(value), to);
    case DType::kFloat64:
      return Put(value, to);
    case DType::kComplex64:
      return Put(std::complex<float>(static_cast<float>(value), static_cast<float>(-2 * value)),
                 to);
  }
}

}  // namespace

int64_t CountOf(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

Dense Numbered(const std::vector<int64_t>& shape, double number, double step) {
  Dense dense{.shape = shape, .values = {}};
  for (int64_t i = 0; i < CountOf(shape); ++i) {
    dense.values.push_back(number + step * static_cast<double>(i));
  }
  return dense;
}

Dense SliceOf(const Dense& dense, int32_t dim, int64_t first, int64_t count) {
  const int64_t size = dense.shape[static_cast<size_t>(dim)];
  const int64_t inner = InnerCount(dense.shape, dim);
  Dense slice{.shape = dense.shape, .values = {}};
  slice.shape[static_cast<size_t>(dim)] = count;
  for (size_t i = 0; i < dense.values.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i) / inner % size;
    if (at >= first && at < first + count) slice.values.push_back(dense.values[i]);
  }
  return slice;
}

Dense Concatenated(const std::vector<Dense>& parts, int32_t dim) {
  Dense whole{.shape = parts.front().shape, .values = {}};
  int64_t& size = whole.shape[static_cast<size_t>(dim)];
  size = 0;
  for (const Dense& part : parts) size += part.shape[static_cast<size_t>(dim)];
  const int64_t inner = InnerCount(whole.shape, dim);
  for (int64_t i = 0; i < CountOf(whole.shape); ++i) {
    const int64_t outer = i / inner / size;
    int64_t at = i / inner % size;
    size_t part = 0;
    while (at >= parts[part].shape[static_cast<size_t>(dim)]) {
      at -= parts[part++].shape[static_cast<size_t>(dim)];
    }
    const int64_t part_size = parts[part].shape[static_cast<size_t>(dim)];
    whole.values.push_back(
        parts[part].values[static_cast<size_t>((outer * part_size + at) * inner + i % inner)]);
  }
  return whole;
}

Dense Combined(const std::vector<Dense>& inputs, ReduceOp op) {
  Dense combined = inputs.front();
  for (size_t i = 0; i < combined.values.size(); ++i) {
    for (size_t r = 1; r < inputs.size(); ++r) {
      combined.values[i] = Combine(combined.values[i], inputs[r].values[i], op);
    }
    if (op == ReduceOp::kAverage) combined.values[i] /= static_cast<double>(inputs.size());
  }
  return combined;
}

Dense Exchanged(const std::vector<Dense>& inputs, size_t to, int32_t scatter_dim,
                int32_t gather_dim) {
  const int64_t part =
      inputs.front().shape[static_cast<size_t>(scatter_dim)] / static_cast<int64_t>(inputs.size());
  std::vector<Dense> parts;
  for (const Dense& input : inputs) {
    parts.push_back(SliceOf(input, scatter_dim, static_cast<int64_t>(to) * part, part));
  }
  return Concatenated(parts, gather_dim);
}

std::vector<std::byte> Encoded(const Dense& dense, DType dtype) {
  std::vector<std::byte> bytes(dense.values.size() * SizeOf(dtype));
  for (size_t i = 0; i < dense.values.size(); ++i) {
    PutElement(dense.values[i], dtype, bytes.data() + i * SizeOf(dtype));
  }
  return bytes;
}

std::string Describe(const Dense& dense) {
  constexpr size_t kShown = 24;
  const size_t shown = std::min(kShown, dense.values.size());
  return absl::StrCat("shape (", absl::StrJoin(dense.shape, ", "), "), values ",
                      absl::StrJoin(dense.values.begin(),
                                    dense.values.begin() + static_cast<std::ptrdiff_t>(shown), " "),
                      shown < dense.values.size() ? " .." : "");
}

}  // namespace muster
