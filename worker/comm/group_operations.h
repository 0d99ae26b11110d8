#ifndef MUSTER_WORKER_COMM_GROUP_OPERATIONS_H_
#define MUSTER_WORKER_COMM_GROUP_OPERATIONS_H_

#include <cstdint>
#include <memory>
#include <span>

#include "absl/time/time.h"
#include "common/base/ids.h"
#include "worker/comm/buffer.h"
#include "worker/comm/operation.h"
#include "worker/comm/reduction.h"
#include "worker/comm/work.h"

namespace muster {

// The longest that an operation may be given. There is no way to wait for ever.
inline constexpr absl::Duration kOperationTimeoutMax = absl::Hours(24);

// What an operation is given if its caller says nothing. The loss of a member ends it much earlier.
inline constexpr absl::Duration kOperationTimeoutDefault = absl::Minutes(5);

// What one member of a process group can do together with the others, on buffers whose elements lie
// one after the other.
//
// Order: collectives (all but send and recv) are carried out one after the other, in the order of
// the calls, which must be the same on every rank. A send is matched with a recv by the order of
// calls between these two ranks in this direction, and never waits for anything else: two ranks may
// both send first.
//
// Deadlines: `timeout` counts from the call, waiting for earlier operations included. It must be
// above 0 and at most kOperationTimeoutMax.
//
// Blocking: only Work::Wait() and the destructor of a Work that is not done.
//
// Errors, from Work::Wait(), of every operation:
//   kInvalidArgument     refused: the arguments are wrong here or on another rank, which is named,
//                        or ranks called different operations (operation_refused,
//                        operation_mismatch). All members of a collective get it. No data moved.
//   kUnimplemented       refused: this backend cannot do it for this dtype. Operation, dtype and
//                        backend are named, and so is the rank, if it is another one
//                        (operation_refused). No data moved.
//   kDeadlineExceeded    some ranks did not join in time; all are named, as ranges
//   kUnavailable         a peer's connection was lost; the suspects are named, unconfirmed
//                        (member_suspect, or member_left if it said goodbye)
//   kFailedPrecondition  the group is broken
//   kResourceExhausted   no memory or thread for it; the group is broken
class GroupOperations {
 public:
  virtual ~GroupOperations() = default;

  // The caller's place among the members, and how many they are.
  virtual GroupRank rank() const = 0;
  virtual int32_t size() const = 0;

  // Tells whether this backend carries out `operation` on elements of `dtype`.
  virtual bool Supports(Operation operation, DType dtype) const = 0;

  // Tells whether it reduces elements of `dtype` by `op`.
  virtual bool Supports(ReduceOp op, DType dtype) const = 0;

  // Starts `call`. The operations below are this one by their names.
  virtual std::unique_ptr<Work> Start(OperationCall call, absl::Duration timeout) = 0;

  // In the operations below, n is the number of ranks, and "the same" means: on every rank. Buffers
  // of one call have one dtype, the same. 0 elements are allowed and still synchronize the ranks.
  // Input and output share no memory, unless said. What a ReduceOp means is said at Reduce() in
  // reduction.h; IsReducible() has the types.

  // Reduces `input` of all ranks, element by element and in rank order, into `output` of all ranks.
  // All ranks get the same bits.
  //
  // Both have the same count. `output` is `input` for the form in place.
  std::unique_ptr<Work> AllReduce(ConstBuffer input, Buffer output, ReduceOp op,
                                  absl::Duration timeout = kOperationTimeoutDefault);

  // As AllReduce(), but only `root` gets the result. `output` of the others is not looked at.
  std::unique_ptr<Work> Reduce(ConstBuffer input, Buffer output, ReduceOp op, GroupRank root,
                               absl::Duration timeout = kOperationTimeoutDefault);

  // Reduces `input` of all ranks, and leaves to each rank one share of the result.
  //
  // `output` has c elements, the same, and `input` n * c; rank r gets [r * c, (r + 1) * c) of the
  // result. `output` may be the caller's own slice of `input`.
  std::unique_ptr<Work> ReduceScatter(ConstBuffer input, Buffer output, ReduceOp op,
                                      absl::Duration timeout = kOperationTimeoutDefault);

  // The same with shares of different sizes: rank r gets counts[r] elements, after those of the
  // ranks before it. `counts` has n numbers, the same, of 0 or more.
  std::unique_ptr<Work> ReduceScatterV(ConstBuffer input, Buffer output, ReduceOp op,
                                       std::span<const int64_t> counts,
                                       absl::Duration timeout = kOperationTimeoutDefault);

  // Gathers `input` of every rank into `output`, on every rank.
  //
  // `input` has c elements, the same, and `output` n * c; those of rank r land at
  // [r * c, (r + 1) * c). `input` may be the caller's own slice of `output`.
  std::unique_ptr<Work> AllGather(ConstBuffer input, Buffer output,
                                  absl::Duration timeout = kOperationTimeoutDefault);

  // The same with inputs of different sizes: that of rank r has counts[r] elements, which land
  // after those of the ranks before it. `counts` has n numbers, the same, of 0 or more.
  std::unique_ptr<Work> AllGatherV(ConstBuffer input, Buffer output,
                                   std::span<const int64_t> counts,
                                   absl::Duration timeout = kOperationTimeoutDefault);

  // As AllGather(), but only `root` gets the result. `output` of the others is not looked at.
  std::unique_ptr<Work> Gather(ConstBuffer input, Buffer output, GroupRank root,
                               absl::Duration timeout = kOperationTimeoutDefault);

  // Deals `input` of `root` out to all ranks.
  //
  // `output` has c elements, the same, and `input` of the root n * c; rank r gets
  // [r * c, (r + 1) * c). `input` of the others is not looked at. `output` of the root may be its
  // own slice of `input`.
  std::unique_ptr<Work> Scatter(ConstBuffer input, Buffer output, GroupRank root,
                                absl::Duration timeout = kOperationTimeoutDefault);

  // Copies `buffer` of `root` into `buffer` of all ranks. Its count is the same.
  std::unique_ptr<Work> Broadcast(Buffer buffer, GroupRank root,
                                  absl::Duration timeout = kOperationTimeoutDefault);

  // Sends a part of `input` to each rank: part r of rank s becomes part s of `output` of rank r.
  //
  // Both have n * c elements, the same; part r is [r * c, (r + 1) * c).
  std::unique_ptr<Work> AllToAll(ConstBuffer input, Buffer output,
                                 absl::Duration timeout = kOperationTimeoutDefault);

  // The same with parts of any size: part r of `input` has send_counts[r] elements and part s of
  // `output` recv_counts[s], each after the parts before it. Both have n numbers of 0 or more, and
  // what a rank sends to another is what that one wants from it.
  std::unique_ptr<Work> AllToAllV(ConstBuffer input, std::span<const int64_t> send_counts,
                                  Buffer output, std::span<const int64_t> recv_counts,
                                  absl::Duration timeout = kOperationTimeoutDefault);

  // Ends, on every rank, after every rank has called it.
  std::unique_ptr<Work> Barrier(absl::Duration timeout = kOperationTimeoutDefault);

  // Sends `input` to `to`, another rank. Done when the memory may be used again, which does not say
  // that the other side has received it.
  //
  // kInvalidArgument (operation_mismatch), on both sides, if count or dtype differ from the recv.
  std::unique_ptr<Work> Send(ConstBuffer input, GroupRank to,
                             absl::Duration timeout = kOperationTimeoutDefault);

  // Receives from `from`, another rank, into `output`.
  std::unique_ptr<Work> Recv(Buffer output, GroupRank from,
                             absl::Duration timeout = kOperationTimeoutDefault);

 protected:
  GroupOperations() = default;
  GroupOperations(const GroupOperations&) = default;
  GroupOperations& operator=(const GroupOperations&) = default;
};

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GROUP_OPERATIONS_H_
