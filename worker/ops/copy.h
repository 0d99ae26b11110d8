#ifndef MUSTER_WORKER_OPS_COPY_H_
#define MUSTER_WORKER_OPS_COPY_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "worker/ops/tensor.h"

// Moving elements between views of host memory. Bytes between elements are neither read nor
// written.
namespace muster {

// Elements in the order in which they travel: those of a piece in the order of its indexes, the
// last dimension fastest, and one piece after the other. All are defined and of one dtype.
using Pieces = std::vector<Tensor>;

// Elements of all pieces.
int64_t CountElements(const Pieces& pieces);

// Where the elements lie, if they lie one after the other in the order in which they travel; null
// if they do not, or if there are none.
std::byte* ContiguousData(const Pieces& pieces);

// Copies each element of `from` to the same index of `to`.
//
// Both are on the host and have one shape and one dtype; `to` is disjoint and shares no memory with
// `from`. Elements of `from` may share memory with each other.
void CopyElements(const Tensor& from, const Tensor& to);

// Copies elements, in the order in which they travel, to `packed`, or from there.
void Pack(const Pieces& pieces, std::byte* packed);
void Unpack(const std::byte* packed, const Pieces& pieces);

// New contiguous memory with the elements of `tensor`, which is on the host. Errors as of
// Tensor::Allocate().
absl::StatusOr<Tensor> Clone(const Tensor& tensor);

}  // namespace muster

#endif  // MUSTER_WORKER_OPS_COPY_H_
