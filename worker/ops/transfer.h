#ifndef MUSTER_WORKER_OPS_TRANSFER_H_
#define MUSTER_WORKER_OPS_TRANSFER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "worker/comm/group_operations.h"
#include "worker/comm/operation.h"
#include "worker/ops/copy.h"
#include "worker/ops/scratch.h"
#include "worker/ops/tensor.h"
#include "worker/ops/tensor_work.h"

namespace muster {

// One rank's part of an operation on tensors: what a group does with buffers, and which elements
// are in them. Its arguments are checked.
struct Transfer {
  OperationCall call;  // Without its buffers.
  Pieces send;         // In the order in which they travel; empty if the rank gives nothing.
  Pieces recv;         // The same of what it gets.

  // If the group takes inputs that lie within its output: how many elements of `recv` are before.
  std::optional<int64_t> input_slot;

  // What ranks must have in common besides numbers of elements: shapes and dimensions.
  std::vector<int64_t> common;

  std::vector<Tensor> results;
  bool new_results = false;  // Their memory is new, so that nobody sees what it holds in between.
};

// Starts `transfer`. Elements that do not lie in memory as they travel are packed before this
// returns, and unpacked by the first Wait(), by way of memory from `scratch`; others are left where
// they are.
//
// An error in place of a transfer is this rank's refusal of `call`: the others are told, as with
// any other refused argument, so that all end with one kind of error. `call` need only have its
// operation, and the other rank of a message.
TensorWork StartTransfer(GroupOperations* group, ScratchPool* scratch, OperationCall call,
                         absl::StatusOr<Transfer> transfer, absl::Duration timeout);

// Starts the parts of several operations as one, which is done when all are. If one of them is
// refused, all are, for the first reason.
struct PlannedCall {
  OperationCall call;
  absl::StatusOr<Transfer> transfer;
};
TensorWork StartTogether(GroupOperations* group, ScratchPool* scratch,
                         std::vector<PlannedCall> planned, absl::Duration timeout);

}  // namespace muster

#endif  // MUSTER_WORKER_OPS_TRANSFER_H_
