#ifndef MUSTER_WORKER_OPS_DLPACK_H_
#define MUSTER_WORKER_OPS_DLPACK_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "absl/status/statusor.h"
#include "worker/ops/tensor.h"

// Tensors of other libraries, without a copy: DLPack, as of its version 0.8, in which booleans came
// in. That is the struct without a version number, which PyTorch, NumPy, JAX and CuPy all hand
// around and which later versions of DLPack keep as it is.
namespace muster {

// The structs of the interface under our names: their layout is fixed by DLPack.
namespace dlpack {

struct Device {
  int32_t kind;  // 1 for the host, 2 for CUDA, and others.
  int32_t index;
};

struct DataType {
  uint8_t code;  // 0 int, 1 unsigned, 2 float, 4 bfloat, 5 complex, 6 bool, and others.
  uint8_t bits;
  uint16_t lanes;
};

struct View {
  void* data;
  Device device;
  int32_t dims;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // In elements; null for a contiguous tensor.
  uint64_t byte_offset;
};

// A view with its owner. `deleter`, which may be null, is to be called once, by whoever has taken
// the tensor over, and also frees the struct.
struct ManagedTensor {
  View view;
  void* manager;
  void (*deleter)(ManagedTensor* self);
};

static_assert(std::is_standard_layout_v<ManagedTensor>);
static_assert(offsetof(View, dims) == 16 && offsetof(View, dtype) == 20 &&
              offsetof(View, shape) == 24 && offsetof(View, byte_offset) == 40);
static_assert(sizeof(ManagedTensor) == 64);

}  // namespace dlpack

// The tensor of `managed`. On success the tensor owns it, and the deleter is called with the last
// handle of its memory, from whichever thread that is; on an error it stays the caller's.
//
// Errors:
//   kInvalidArgument  `managed` is null, has no shape, or what Tensor::Wrap() refuses, as negative
//                     strides
//   kUnimplemented    elements that are none of DType or have several lanes, or memory that is
//                     neither on the host nor on a CUDA device; what was found is named
absl::StatusOr<Tensor> FromDlpack(dlpack::ManagedTensor* managed);

// `tensor`, which is defined, for another library. The receiver must call the deleter once, from
// any thread; the memory stays until then.
dlpack::ManagedTensor* ToDlpack(Tensor tensor);

}  // namespace muster

#endif  // MUSTER_WORKER_OPS_DLPACK_H_
