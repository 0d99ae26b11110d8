#ifndef MUSTER_WORKER_MUSTER_GROUP_HANDLE_H_
#define MUSTER_WORKER_MUSTER_GROUP_HANDLE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "common/base/ids.h"
#include "worker/comm/buffer.h"
#include "worker/comm/communicator.h"
#include "worker/comm/reduction.h"
#include "worker/comm/work.h"

namespace muster {

namespace worker {
class GroupSlot;
}

// What an operation is given if its caller says nothing. The loss of a member ends it much earlier.
inline constexpr absl::Duration kOperationTimeoutDefault = absl::Minutes(5);

// One process group of one epoch, for the process that is a member of it.
//
// The operations, their shapes, order, deadlines and errors are those of Communicator, which
// carries them out; here only what differs is said.
//
// Lifetime: of use while its epoch is active. It never follows into a later epoch; get the group
// anew from the Context then. May outlive the Context.
//
// Thread safety: any method from any thread, but the order of collectives must be the same on every
// rank.
//
// Errors, from Work::Wait(), besides those of Communicator:
//   kUnavailable         a member of the job was lost: it is named with its worker (member_lost).
//                        After a transport error the operation waits up to 250 ms for the
//                        coordinator to say so; else the suspicion is told, unconfirmed
//                        (member_suspect)
//   kFailedPrecondition  the epoch is over: stale_epoch names the one that the job is at,
//                        epoch_retired says that it ended while the operation ran; or the group has
//                        no communicator by the job's spec (unsupported_mode)
class GroupHandle {
 public:
  explicit GroupHandle(std::shared_ptr<worker::GroupSlot> slot) : slot_(std::move(slot)) {}

  const std::string& name() const;  // In full, as "wan/dit.sp#1".
  Epoch epoch() const;
  GroupRank rank() const;
  int32_t size() const;
  const std::vector<GlobalRank>& ranks() const;  // All members, by group rank.

  bool Supports(Operation operation, DType dtype) const;
  bool Supports(ReduceOp op, DType dtype) const;

  std::unique_ptr<Work> AllReduce(ConstBuffer input, Buffer output, ReduceOp op,
                                  absl::Duration timeout = kOperationTimeoutDefault);
  std::unique_ptr<Work> AllGather(ConstBuffer input, Buffer output,
                                  absl::Duration timeout = kOperationTimeoutDefault);
  std::unique_ptr<Work> Broadcast(Buffer buffer, GroupRank root,
                                  absl::Duration timeout = kOperationTimeoutDefault);
  std::unique_ptr<Work> Barrier(absl::Duration timeout = kOperationTimeoutDefault);
  std::unique_ptr<Work> Send(ConstBuffer input, GroupRank to,
                             absl::Duration timeout = kOperationTimeoutDefault);
  std::unique_ptr<Work> Recv(Buffer output, GroupRank from,
                             absl::Duration timeout = kOperationTimeoutDefault);

 private:
  const std::shared_ptr<worker::GroupSlot> slot_;
};

}  // namespace muster

#endif  // MUSTER_WORKER_MUSTER_GROUP_HANDLE_H_
