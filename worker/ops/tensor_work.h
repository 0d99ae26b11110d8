#ifndef MUSTER_WORKER_OPS_TENSOR_WORK_H_
#define MUSTER_WORKER_OPS_TENSOR_WORK_H_

#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/monitor.h"
#include "worker/comm/work.h"
#include "worker/ops/copy.h"
#include "worker/ops/tensor.h"

namespace muster {

// Elements that arrive one after the other and belong elsewhere.
struct PendingUnpack {
  std::shared_ptr<std::byte> packed;
  Pieces pieces;
};

// An operation on tensors in flight.
//
// It holds every tensor that takes part until it is done, which may not be read or written
// elsewhere until then, except that inputs may be read. What arrives is put into its place by the
// first Wait(), on the thread that calls it; so results may be used after a Wait(), and not as soon
// as IsDone().
//
// A handle: copies are of the same operation. The last one to go waits, as the operations of
// GroupOperations do; each has a deadline.
//
// Thread safety: any method from any thread.
class TensorWork {
 public:
  // What an operation is made of. Done when all of `works` are.
  struct Parts {
    std::vector<std::unique_ptr<Work>> works;
    std::vector<PendingUnpack> unpacks;
    std::vector<Tensor> results;
    std::vector<Tensor> held;  // Takes part, but is no result.
  };

  explicit TensorWork(Parts parts);

  // Blocks until the operation is done and gives its outcome, the same on each call: the first
  // error if there are several.
  absl::Status Wait() const;

  // Tells whether Wait() would not wait for other ranks.
  bool IsDone() const;

  // Wait(), then the result: a tensor that is not defined for operations, or ranks, without one.
  absl::StatusOr<Tensor> Result() const;

  // Wait(), then all results of an operation on several tensors, in the order of these.
  absl::StatusOr<std::vector<Tensor>> Results() const;

 private:
  class State;

  std::shared_ptr<State> state_;
};

// Waits for all of `works` and gives the first error in their order.
absl::Status WaitForAll(const std::vector<TensorWork>& works);

}  // namespace muster

#endif  // MUSTER_WORKER_OPS_TENSOR_WORK_H_
