#include "tests/worker/ops/strided_memory.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/string_view.h"

namespace muster {
namespace {

constexpr std::byte kFilling{0xa5};

// Dimensions from the fastest to the slowest.
std::vector<size_t> FastestFirst(size_t dims, Lie lie) {
  std::vector<size_t> order(dims);
  std::iota(order.begin(), order.end(), 0);
  if (lie == Lie::kContiguous || lie == Lie::kGaps) std::reverse(order.begin(), order.end());
  if (lie == Lie::kBoth && dims > 1) std::rotate(order.begin(), order.begin() + 1, order.end());
  return order;
}

bool HasGaps(Lie lie) { return lie == Lie::kGaps || lie == Lie::kBoth; }

// Where each element of `tensor` begins, from data() on, in order of the indexes.
std::vector<int64_t> Offsets(const Tensor& tensor) {
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < tensor.element_count(); ++i) {
    int64_t rest = i;
    int64_t offset = 0;
    for (int32_t d = tensor.dims(); d-- > 0;) {
      offset += rest % tensor.size(d) * tensor.stride(d);
      rest /= tensor.size(d);
    }
    offsets.push_back(offset * static_cast<int64_t>(SizeOf(tensor.dtype())));
  }
  return offsets;
}

}  // namespace

StridedMemory::StridedMemory(const TensorSpec& spec, Lie lie) {
  const int64_t gap = HasGaps(lie) ? 1 : 0;
  std::vector<int64_t> strides(spec.shape.size());
  int64_t stride = 1 + gap;
  for (const size_t d : FastestFirst(spec.shape.size(), lie)) {
    strides[d] = stride;
    stride = stride * std::max<int64_t>(spec.shape[d], 1) + gap;
  }
  const auto size = static_cast<int64_t>(SizeOf(spec.dtype));
  const int64_t before = 3 * gap * size;
  memory_ = std::make_shared<std::vector<std::byte>>(
      static_cast<size_t>(before + stride * size + gap * size), kFilling);
  auto tensor = Tensor::Wrap({.owner = memory_,
                              .data = memory_->data() + before,
                              .spec = spec,
                              .strides = std::move(strides),
                              .device = {}});
  MUSTER_CHECK(tensor.ok(), tensor.status().ToString());
  tensor_ = *std::move(tensor);
  original_ = std::make_shared<std::vector<std::byte>>(*memory_);
}

StridedMemory::StridedMemory(const Dense& dense, DType dtype, Lie lie)
    : StridedMemory(TensorSpec{dtype, dense.shape}, lie) {
  const std::vector<std::byte> bytes = Encoded(dense, dtype);
  const std::vector<int64_t> offsets = Offsets(tensor_);
  const size_t size = SizeOf(dtype);
  for (size_t i = 0; i < offsets.size(); ++i) {
    std::memcpy(tensor_.data() + offsets[i], bytes.data() + i * size, size);
  }
  *original_ = *memory_;
}

std::vector<bool> StridedMemory::ElementBytes() const {
  std::vector<bool> is_element(memory_->size(), false);
  const auto first = tensor_.data() - memory_->data();
  for (const int64_t offset : Offsets(tensor_)) {
    for (size_t b = 0; b < SizeOf(tensor_.dtype()); ++b) {
      is_element[static_cast<size_t>(first + offset) + b] = true;
    }
  }
  return is_element;
}

bool StridedMemory::IsRestUntouched() const {
  const std::vector<bool> is_element = ElementBytes();
  for (size_t i = 0; i < memory_->size(); ++i) {
    if (!is_element[i] && (*memory_)[i] != (*original_)[i]) return false;
  }
  return true;
}

std::vector<std::byte> BytesOf(const Tensor& tensor) {
  const size_t size = SizeOf(tensor.dtype());
  std::vector<std::byte> bytes;
  for (const int64_t offset : Offsets(tensor)) {
    bytes.insert(bytes.end(), tensor.data() + offset,
                 tensor.data() + offset + static_cast<std::ptrdiff_t>(size));
  }
  return bytes;
}

std::string Compare(const Tensor& tensor, const Dense& dense, DType dtype) {
  if (!tensor.defined()) return "there is no result";
  if (tensor.dtype() != dtype || tensor.shape() != dense.shape) {
    return absl::StrCat("is ", FormatSpec(tensor.spec()), ", want ",
                        FormatSpec({dtype, dense.shape}));
  }
  const std::vector<std::byte> found = BytesOf(tensor);
  const std::vector<std::byte> wanted = Encoded(dense, dtype);
  const auto differ = std::mismatch(found.begin(), found.end(), wanted.begin());
  if (differ.first == found.end()) return "";
  return absl::StrCat("differs at element ",
                      static_cast<size_t>(differ.first - found.begin()) / SizeOf(dtype), ", want ",
                      Describe(dense));
}

Tensor TensorOf(const Dense& dense, DType dtype) {
  return StridedMemory(dense, dtype, Lie::kContiguous).tensor();
}

}  // namespace muster
