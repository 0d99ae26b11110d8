#ifndef MUSTER_WORKER_OPS_TENSOR_OPERATIONS_H_
#define MUSTER_WORKER_OPS_TENSOR_OPERATIONS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/time/time.h"
#include "common/base/ids.h"
#include "worker/comm/group_operations.h"
#include "worker/ops/plans.h"
#include "worker/ops/scratch.h"
#include "worker/ops/tensor.h"
#include "worker/ops/tensor_work.h"
#include "worker/ops/transfer.h"

namespace muster {

// What every operation may be told besides its arguments.
struct OpOptions {
  // Counts from the call; the one of the TensorOperations if not given.
  std::optional<absl::Duration> timeout;

  // Where results go, one for each; new memory if there are none. Each must be of the dtype and
  // shape of its result, on the host, and disjoint, and lie apart from all inputs: from the first
  // element to the last, so that one view between the elements of another is refused. It may have
  // any strides. What is in it is not defined if the operation breaks the group; if it is refused,
  // it is untouched.
  std::vector<Tensor> outputs;
};

// One message of an exchange.
struct Message {
  enum class Direction { kSend, kRecv };
  Direction direction = Direction::kSend;
  Tensor tensor;  // What is sent, or where it arrives.
  GroupRank peer;
};

// What one member of a process group can do together with the others, on tensors.
//
// Operations are out of place unless their name says else: an input is not changed, and a result
// shares no memory with it, also in a group of one. Tensors may be strided; elements that travel as
// they lie are not copied. Dimensions are in [-dims, dims) of the input. n is the size of the
// group.
//
// Arguments: all are checked before anything moves, the same at every size of the group. A rank
// that refuses its own still takes part, to say so, and all members end with an error that names
// it. So they do if ranks do not agree in operation, dtype, shape, dimension or root, as the group
// finds.
//
// Order: that of GroupOperations. Collectives are carried out in the order of the calls, which must
// be the same on every rank; a message waits for nothing but the earlier ones of its direction. An
// operation reads its inputs when it is called and after; one that is to use the result of another
// is called after the Wait() of that.
//
// Thread safety: that of the group. Blocking: only TensorWork::Wait() and the last handle's
// destructor; but packing takes its time in the call.
//
// Errors, from TensorWork::Wait(), are those of GroupOperations, and of a refusal:
//   kInvalidArgument  a tensor is none, its shape, dtype, dimension, sizes or strides do not fit
//   kUnimplemented    it is not on the host, or elements of its dtype are not reduced this way
//   kResourceExhausted, told as kInvalidArgument: no memory for a result or for packing
class TensorOperations {
 public:
  // `timeout` is that of calls that name none.
  explicit TensorOperations(std::shared_ptr<GroupOperations> group,
                            absl::Duration timeout = kOperationTimeoutDefault);

  // Reduces tensors of one shape, element by element and in rank order. All get the result.
  TensorWork AllReduce(const Tensor& input, ReduceOp op, const OpOptions& options = {});
  TensorWork AllReduceInPlace(const Tensor& tensor, ReduceOp op, const OpOptions& options = {});

  // The same for `root`; the others get no result, and their outputs are not looked at.
  TensorWork Reduce(const Tensor& input, ReduceOp op, GroupRank root,
                    const OpOptions& options = {});

  // Gives all the elements of `root`. Inputs of the others only tell shape and dtype.
  TensorWork Broadcast(const Tensor& input, GroupRank root, const OpOptions& options = {});
  TensorWork BroadcastInPlace(const Tensor& tensor, GroupRank root, const OpOptions& options = {});

  // Puts tensors of one shape together along `dim`, in rank order: its size is n times that of the
  // input.
  TensorWork AllGather(const Tensor& input, int32_t dim, const OpOptions& options = {});

  // The same with tensors whose `dim` differs: that of rank r has sizes[r]. `sizes` has n numbers,
  // the same on every rank, of 0 or more.
  TensorWork AllGatherV(const Tensor& input, std::span<const int64_t> sizes, int32_t dim,
                        const OpOptions& options = {});

  // As AllGather(), for `root`; the others get no result.
  TensorWork Gather(const Tensor& input, GroupRank root, int32_t dim,
                    const OpOptions& options = {});

  // Deals `input` of `root` out: rank r gets part r of n equal ones of `dim`. `share` is what each
  // gets, the same on every rank. `input` of the others is not looked at.
  TensorWork Scatter(const Tensor& input, const TensorSpec& share, GroupRank root, int32_t dim,
                     const OpOptions& options = {});

  // Reduces as AllReduce(), and leaves to rank r part r of n equal ones of `dim`. A size that n
  // does not divide is refused.
  TensorWork ReduceScatter(const Tensor& input, ReduceOp op, int32_t dim,
                           const OpOptions& options = {});

  // The same with parts of sizes[r]. `sizes` has n numbers, the same on every rank, of 0 or more,
  // whose sum is the size of `dim`.
  TensorWork ReduceScatterV(const Tensor& input, ReduceOp op, std::span<const int64_t> sizes,
                            int32_t dim, const OpOptions& options = {});

  // Cuts dimension 0 into n equal parts: part i of rank r becomes part r of rank i.
  TensorWork AllToAll(const Tensor& input, const OpOptions& options = {});

  // Cuts `scatter_dim` into n equal parts, one for each rank, and puts those that arrive together
  // along `gather_dim`.
  TensorWork AllToAll(const Tensor& input, int32_t scatter_dim, int32_t gather_dim,
                      const OpOptions& options = {});

  // Cuts dimension 0 into parts of send_sizes[r] for rank r, and puts those of recv_sizes[r] from
  // rank r together. The other dimensions are the same on every rank.
  TensorWork AllToAllV(const Tensor& input, std::span<const int64_t> send_sizes,
                       std::span<const int64_t> recv_sizes, const OpOptions& options = {});

  // Exchanges sequence and heads of attention, of shape (batch, sequence, heads, size of a head).
  //
  // (scatter_dim, gather_dim) is (2, 1) from a part of the sequence with all heads to the whole
  // sequence with a part of the heads, and (1, 2) back; nothing else. The scattered dimension must
  // divide by n.
  TensorWork AllToAll4D(const Tensor& input, int32_t scatter_dim, int32_t gather_dim,
                        const OpOptions& options = {});

  // The same for queries, keys and values in one, of shape (batch, sequence, 3, heads, size of a
  // head), with the pairs (3, 1) and (1, 3).
  TensorWork AllToAll5D(const Tensor& input, int32_t scatter_dim, int32_t gather_dim,
                        const OpOptions& options = {});

  // Ends, on every rank, after every rank has called it.
  TensorWork Barrier(const OpOptions& options = {});

  // Operations on several tensors at once, at least one and all of one dtype: one operation of the
  // group, with a result for each. The tensors are as many, of the same shapes, on every rank.
  TensorWork AllReduceCoalesced(Tensors inputs, ReduceOp op, const OpOptions& options = {});
  TensorWork AllReduceCoalescedInPlace(Tensors tensors, ReduceOp op, const OpOptions& options = {});
  TensorWork AllGatherCoalesced(Tensors inputs, int32_t dim, const OpOptions& options = {});
  TensorWork ReduceScatterCoalesced(Tensors inputs, ReduceOp op, int32_t dim,
                                    const OpOptions& options = {});

  // Sends to `to`, another rank, which receives as many elements of the same dtype; of which shape
  // is its own affair. Two ranks may both send first.
  TensorWork Send(const Tensor& input, GroupRank to, const OpOptions& options = {});

  // Receives from `from`, another rank: into a new tensor of `spec`, or into `tensor`.
  TensorWork Recv(const TensorSpec& spec, GroupRank from, const OpOptions& options = {});
  TensorWork RecvInto(const Tensor& tensor, GroupRank from, const OpOptions& options = {});

  // Send() and Recv() as one; the result is what was received. If either is refused, both are.
  TensorWork SendRecv(const Tensor& input, GroupRank to, const TensorSpec& spec, GroupRank from,
                      const OpOptions& options = {});

  // Starts all of `messages`, each an operation of its own, in their order; they may be done in any
  // order. The outputs of `options` are not looked at.
  std::vector<TensorWork> Exchange(std::span<const Message> messages,
                                   const OpOptions& options = {});

 protected:
  Place place() const { return {group_->rank(), group_->size()}; }

 private:
  TensorWork Start(OperationCall call, absl::StatusOr<Transfer> transfer, const OpOptions& options);
  absl::Duration TimeoutOf(const OpOptions& options) const {
    return options.timeout.value_or(timeout_);
  }

  const std::shared_ptr<GroupOperations> group_;
  const absl::Duration timeout_;
  const std::shared_ptr<ScratchPool> scratch_ = std::make_shared<ScratchPool>();
};

}  // namespace muster

#endif  // MUSTER_WORKER_OPS_TENSOR_OPERATIONS_H_
