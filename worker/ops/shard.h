#ifndef MUSTER_WORKER_OPS_SHARD_H_
#define MUSTER_WORKER_OPS_SHARD_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "worker/ops/plans.h"
#include "worker/ops/tensor.h"

namespace muster {

// What becomes of a dimension that does not divide into equal parts.
enum class Remainder {
  kRefuse,
  kPad,  // It is taken for the next multiple; what is added at its end is 0.
};

// One rank's part of a tensor that all ranks have.
struct Shard {
  Tensor tensor;           // New and contiguous.
  int64_t whole_size = 0;  // Of the dimension, before it was padded: to cut back what is gathered.
};

// Cuts `dim` of `tensor`, in [-dims, dims), into as many equal parts as the group has ranks, and
// copies the one of `place`. With padding, trailing ranks may get nothing but zeros. Local: no
// other rank takes part.
//
// Errors:
//   kInvalidArgument    the tensor is none, the dimension is not there, or it does not divide and a
//                       remainder is refused (not_divisible)
//   kUnimplemented      the tensor is not on the host
//   kResourceExhausted  no memory for the part
absl::StatusOr<Shard> MakeShard(Place place, const Tensor& tensor, int32_t dim,
                                Remainder remainder = Remainder::kRefuse);

}  // namespace muster

#endif  // MUSTER_WORKER_OPS_SHARD_H_
