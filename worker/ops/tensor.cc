#include "worker/ops/tensor.h"

#include <algorithm>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"

namespace muster {
namespace {

constexpr std::align_val_t kAlignment{64};

absl::Status Invalid(std::string_view message) {
  return absl::InvalidArgumentError(ToAbsl(message));
}

// Of the numbers that an element is made of.
size_t AlignmentOf(DType dtype) {
  return dtype == DType::kComplex64 ? sizeof(float) : SizeOf(dtype);
}

// Checks the strides of a tensor of `spec`, whose bytes can be counted.
absl::Status CheckStrides(const TensorSpec& spec, int64_t elements,
                          const std::vector<int64_t>& strides) {
  if (strides.size() != spec.shape.size()) {
    return Invalid(absl::StrCat("a tensor of shape ", FormatShape(spec.shape), " has ",
                                strides.size(), " strides, want one for each dimension"));
  }
  int64_t last = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    if (strides[d] < 0) {
      return Invalid(absl::StrCat("dimension ", d, " has stride ", strides[d], ", want 0 or more"));
    }
    if (elements == 0) continue;
    int64_t reach = 0;
    if (__builtin_mul_overflow(spec.shape[d] - 1, strides[d], &reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      return Invalid("strides reach further than 63 bits can count");
    }
  }
  const auto size = static_cast<int64_t>(SizeOf(spec.dtype));
  if (last > std::numeric_limits<int64_t>::max() / size - 1) {
    return Invalid("strides reach further than 63 bits can count");
  }
  return absl::OkStatus();
}

}  // namespace

std::string FormatDevice(TensorDevice device) {
  if (device.kind == DeviceKind::kHost) return "host";
  return absl::StrCat("cuda:", device.index);
}

std::string FormatShape(const std::vector<int64_t>& shape) {
  return absl::StrCat("(", absl::StrJoin(shape, ", "), ")");
}

std::string FormatSpec(const TensorSpec& spec) {
  return absl::StrCat(ToAbsl(DTypeName(spec.dtype)), " ", FormatShape(spec.shape));
}

absl::StatusOr<int64_t> CountElements(const TensorSpec& spec) {
  if (!ToDType(static_cast<uint8_t>(spec.dtype)).has_value()) {
    return Invalid(absl::StrCat("dtype ", static_cast<int>(spec.dtype), " is none"));
  }
  if (spec.shape.size() > static_cast<size_t>(kTensorDimsMax)) {
    return Invalid(absl::StrCat("a tensor has ", spec.shape.size(), " dimensions, want at most ",
                                kTensorDimsMax));
  }
  int64_t count = 1;
  int64_t bytes = static_cast<int64_t>(SizeOf(spec.dtype));
  for (size_t d = 0; d < spec.shape.size(); ++d) {
    const int64_t size = spec.shape[d];
    if (size < 0) {
      return Invalid(absl::StrCat("dimension ", d, " has size ", size, ", want 0 or more"));
    }
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(size, 1), &bytes)) {
      return Invalid(
          absl::StrCat("a tensor of ", FormatSpec(spec), " has more bytes than 63 bits can count"));
    }
    count *= size;
  }
  return count;
}

std::vector<int64_t> ContiguousStrides(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<int64_t>(shape[d], 1);
  }
  return strides;
}

absl::StatusOr<int32_t> NormalizeDim(int32_t dim, int32_t dims) {
  if (dim < -dims || dim >= dims) {
    return Invalid(dims == 0 ? absl::StrCat("dim is ", dim, ", and the tensor has no dimensions")
                             : absl::StrCat("dim is ", dim, ", want ", -dims, " to ", dims - 1));
  }
  return dim < 0 ? dim + dims : dim;
}

absl::StatusOr<Tensor> Tensor::Allocate(const TensorSpec& spec) {
  MUSTER_ASSIGN_OR_RETURN(const int64_t count, CountElements(spec));
  const size_t bytes = static_cast<size_t>(count) * SizeOf(spec.dtype);
  void* const memory = ::operator new(std::max<size_t>(bytes, 1), kAlignment, std::nothrow);
  if (memory == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for a tensor of ", FormatSpec(spec), ", ", bytes, " bytes"));
  }
  std::shared_ptr<const void> owner(
      memory, [](void* allocated) { ::operator delete(allocated, kAlignment); });
  return Wrap({.owner = std::move(owner), .data = static_cast<std::byte*>(memory), .spec = spec});
}

absl::StatusOr<Tensor> Tensor::Wrap(Parts parts) {
  MUSTER_ASSIGN_OR_RETURN(const int64_t count, CountElements(parts.spec));
  Tensor tensor;
  tensor.strides_ =
      parts.strides.has_value() ? *std::move(parts.strides) : ContiguousStrides(parts.spec.shape);
  MUSTER_RETURN_IF_ERROR(CheckStrides(parts.spec, count, tensor.strides_));
  if (parts.data == nullptr && count > 0) {
    return Invalid(absl::StrCat("a tensor of ", FormatSpec(parts.spec), " has no memory"));
  }
  const size_t alignment = AlignmentOf(parts.spec.dtype);
  if (reinterpret_cast<uintptr_t>(parts.data) % alignment != 0) {
    return Invalid(absl::StrCat("a tensor of ", FormatSpec(parts.spec),
                                " has memory that is not aligned to ", alignment, " bytes"));
  }
  tensor.owner_ = std::move(parts.owner);
  tensor.data_ = parts.data;
  tensor.spec_ = std::move(parts.spec);
  tensor.device_ = parts.device;
  tensor.element_count_ = count;
  tensor.defined_ = true;
  return tensor;
}

int64_t Tensor::byte_count() const {
  return element_count_ * static_cast<int64_t>(SizeOf(spec_.dtype));
}

bool Tensor::IsContiguous() const {
  if (element_count_ == 0) return true;
  int64_t stride = 1;
  for (int32_t d = dims(); d-- > 0;) {
    if (size(d) != 1 && this->stride(d) != stride) return false;
    stride *= size(d);
  }
  return true;
}

bool Tensor::IsDisjoint() const {
  if (element_count_ == 0) return true;
  std::vector<std::pair<int64_t, int64_t>> steps;  // Stride and size of dimensions that step.
  for (int32_t d = 0; d < dims(); ++d) {
    if (size(d) > 1) steps.emplace_back(stride(d), size(d));
  }
  std::sort(steps.begin(), steps.end());
  int64_t reach = 0;  // Of the dimensions before, from the first element to the last.
  for (const auto& step : steps) {
    if (step.first <= reach) return false;
    reach += step.first * (step.second - 1);
  }
  return true;
}

int64_t Tensor::ExtentBytes() const {
  if (element_count_ == 0) return 0;
  int64_t last = 0;
  for (int32_t d = 0; d < dims(); ++d) last += (size(d) - 1) * stride(d);
  return (last + 1) * static_cast<int64_t>(SizeOf(spec_.dtype));
}

bool Tensor::ExtentOverlaps(const Tensor& other) const {
  if (element_count_ == 0 || other.element_count_ == 0 || device_ != other.device_) return false;
  const auto first = reinterpret_cast<uintptr_t>(data_);
  const auto other_first = reinterpret_cast<uintptr_t>(other.data_);
  return first < other_first + static_cast<uintptr_t>(other.ExtentBytes()) &&
         other_first < first + static_cast<uintptr_t>(ExtentBytes());
}

absl::StatusOr<Tensor> Tensor::Narrow(int32_t dim, int64_t first, int64_t count) const {
  MUSTER_ASSIGN_OR_RETURN(const int32_t at, NormalizeDim(dim, dims()));
  if (first < 0 || count < 0 || first > size(at) || count > size(at) - first) {
    return Invalid(absl::StrCat("indexes ", first, " to ", first, " + ", count,
                                " are wanted of dimension ", at, ", which has ", size(at)));
  }
  Tensor view = *this;
  view.spec_.shape[static_cast<size_t>(at)] = count;
  view.element_count_ = size(at) == 0 ? 0 : element_count_ / size(at) * count;
  if (view.element_count_ > 0) {
    view.data_ += first * stride(at) * static_cast<int64_t>(SizeOf(spec_.dtype));
  }
  return view;
}

absl::StatusOr<Tensor> Tensor::SplitDim(int32_t dim, int64_t n) const {
  MUSTER_ASSIGN_OR_RETURN(const int32_t at, NormalizeDim(dim, dims()));
  if (dims() == kTensorDimsMax) {
    return Invalid(absl::StrCat("a tensor of ", kTensorDimsMax, " dimensions cannot get one more"));
  }
  if (n < 1 || size(at) % n != 0) {
    return Invalid(absl::StrCat("dimension ", at, " of shape ", FormatShape(shape()), " has size ",
                                size(at), ", which does not divide into ", n, " equal parts"));
  }
  Tensor view = *this;
  const int64_t part = size(at) / n;
  view.spec_.shape[static_cast<size_t>(at)] = part;
  view.spec_.shape.insert(view.spec_.shape.begin() + at, n);
  view.strides_.insert(view.strides_.begin() + at, stride(at) * part);
  return view;
}

absl::StatusOr<Tensor> Tensor::MoveToFront(int32_t dim) const {
  MUSTER_ASSIGN_OR_RETURN(const int32_t at, NormalizeDim(dim, dims()));
  Tensor view = *this;
  std::rotate(view.spec_.shape.begin(), view.spec_.shape.begin() + at,
              view.spec_.shape.begin() + at + 1);
  std::rotate(view.strides_.begin(), view.strides_.begin() + at, view.strides_.begin() + at + 1);
  return view;
}

absl::StatusOr<Tensor> Tensor::Permute(const std::vector<int32_t>& order) const {
  Tensor view = *this;
  std::vector<bool> seen(static_cast<size_t>(dims()), false);
  if (order.size() != static_cast<size_t>(dims())) {
    return Invalid(absl::StrCat("an order of ", order.size(), " dimensions is wanted of ", dims()));
  }
  for (size_t d = 0; d < order.size(); ++d) {
    MUSTER_ASSIGN_OR_RETURN(const int32_t from, NormalizeDim(order[d], dims()));
    if (seen[static_cast<size_t>(from)]) {
      return Invalid(absl::StrCat("dimension ", from, " is twice in an order"));
    }
    seen[static_cast<size_t>(from)] = true;
    view.spec_.shape[d] = size(from);
    view.strides_[d] = stride(from);
  }
  return view;
}

absl::StatusOr<Tensor> Tensor::Reshape(std::vector<int64_t> shape) const {
  if (!IsContiguous()) {
    return Invalid(absl::StrCat("a tensor of shape ", FormatShape(this->shape()), " and strides ",
                                FormatShape(strides_),
                                " is not contiguous: no view has another "
                                "shape"));
  }
  TensorSpec spec{.dtype = spec_.dtype, .shape = std::move(shape)};
  MUSTER_ASSIGN_OR_RETURN(const int64_t count, CountElements(spec));
  if (count != element_count_) {
    return Invalid(absl::StrCat("shape ", FormatShape(spec.shape), " has ", count,
                                " elements, and shape ", FormatShape(this->shape()), " has ",
                                element_count_));
  }
  return Wrap({.owner = owner_, .data = data_, .spec = std::move(spec), .device = device_});
}

}  // namespace muster
