#include "worker/ops/dlpack.h"

#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace muster {
namespace {

enum Code : uint8_t {
  kInt = 0,
  kUnsigned = 1,
  kFloat = 2,
  kBFloat = 4,
  kComplex = 5,
  kBool = 6,
};

struct Pairing {
  DType ours;
  uint8_t code;
  uint8_t bits;
};

constexpr Pairing kPairings[] = {
    {DType::kBool, kBool, 8},         {DType::kInt8, kInt, 8},       {DType::kUint8, kUnsigned, 8},
    {DType::kInt32, kInt, 32},        {DType::kInt64, kInt, 64},     {DType::kFloat16, kFloat, 16},
    {DType::kBFloat16, kBFloat, 16},  {DType::kFloat32, kFloat, 32}, {DType::kFloat64, kFloat, 64},
    {DType::kComplex64, kComplex, 64}};

constexpr int32_t kHostKind = 1;
constexpr int32_t kCudaKind = 2;
constexpr int32_t kPinnedHostKind = 3;  // Host memory that a CUDA device reads directly.

absl::StatusOr<DType> ToDType(dlpack::DataType type) {
  for (const Pairing& pairing : kPairings) {
    if (pairing.code == type.code && pairing.bits == type.bits && type.lanes == 1) {
      return pairing.ours;
    }
  }
  return absl::UnimplementedError(absl::StrCat(
      "a DLPack tensor has elements of type code ", static_cast<int>(type.code), ", ",
      static_cast<int>(type.bits), " bits and ", type.lanes,
      " lanes, want bool, int8, uint8, int32, int64, float16, bfloat16, float32, float64 or "
      "complex64, of one lane"));
}

dlpack::DataType FromDType(DType dtype) {
  for (const Pairing& pairing : kPairings) {
    if (pairing.ours == dtype) return {.code = pairing.code, .bits = pairing.bits, .lanes = 1};
  }
  return {.code = kUnsigned, .bits = 8, .lanes = 1};
}

absl::StatusOr<TensorDevice> ToDevice(dlpack::Device device) {
  switch (device.kind) {
    case kHostKind:
    case kPinnedHostKind:
      return TensorDevice{.kind = DeviceKind::kHost, .index = 0};
    case kCudaKind:
      return TensorDevice{.kind = DeviceKind::kCuda, .index = device.index};
    default:
      return absl::UnimplementedError(absl::StrCat("a DLPack tensor is on a device of kind ",
                                                   device.kind,
                                                   ", want 1 (host), 2 (CUDA) or 3 (pinned)"));
  }
}

// What a ManagedTensor of ours points into.
struct Exported {
  Tensor tensor;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  dlpack::ManagedTensor managed = {};
};

}  // namespace

absl::StatusOr<Tensor> FromDlpack(dlpack::ManagedTensor* managed) {
  if (managed == nullptr) return absl::InvalidArgumentError("a DLPack tensor is null");
  const dlpack::View& view = managed->view;
  if (view.dims < 0 || view.dims > kTensorDimsMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("a DLPack tensor has ", view.dims, " dimensions, want 0 to ", kTensorDimsMax));
  }
  if (view.shape == nullptr && view.dims > 0) {
    return absl::InvalidArgumentError("a DLPack tensor has no shape");
  }
  Tensor::Parts parts;
  MUSTER_ASSIGN_OR_RETURN(parts.spec.dtype, ToDType(view.dtype));
  MUSTER_ASSIGN_OR_RETURN(parts.device, ToDevice(view.device));
  if (view.dims > 0) parts.spec.shape.assign(view.shape, view.shape + view.dims);
  if (view.strides != nullptr) parts.strides.emplace(view.strides, view.strides + view.dims);
  if (view.data != nullptr) parts.data = static_cast<std::byte*>(view.data) + view.byte_offset;
  // The owner comes last: until it is there, an error leaves `managed` with the caller.
  Tensor::Parts checked = parts;
  MUSTER_RETURN_IF_ERROR(Tensor::Wrap(std::move(checked)).status());
  parts.owner =
      std::shared_ptr<const void>(static_cast<const void*>(managed), [managed](const void*) {
        if (managed->deleter != nullptr) managed->deleter(managed);
      });
  return Tensor::Wrap(std::move(parts));
}

dlpack::ManagedTensor* ToDlpack(Tensor tensor) {
  auto exported = std::make_unique<Exported>();
  exported->shape = tensor.shape();
  exported->strides = tensor.strides();
  exported->managed.view = {
      .data = tensor.data(),
      .device = {.kind = static_cast<int32_t>(tensor.device().kind),
                 .index = tensor.device().index},
      .dims = tensor.dims(),
      .dtype = FromDType(tensor.dtype()),
      .shape = exported->shape.data(),
      .strides = exported->strides.data(),
      .byte_offset = 0,
  };
  exported->tensor = std::move(tensor);
  exported->managed.manager = exported.get();
  exported->managed.deleter = [](dlpack::ManagedTensor* self) {
    delete static_cast<Exported*>(self->manager);
  };
  return &exported.release()->managed;
}

}  // namespace muster
