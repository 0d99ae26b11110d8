#ifndef MUSTER_WORKER_MUSTER_GROUP_HANDLE_H_
#define MUSTER_WORKER_MUSTER_GROUP_HANDLE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "common/base/ids.h"
#include "worker/comm/group_operations.h"

namespace muster {

namespace worker {
class GroupSlot;
}

// One process group of one epoch, for the process that is a member of it.
//
// The operations, their shapes, order, deadlines and errors are those of GroupOperations; here only
// what differs is said.
//
// Lifetime: of use while its epoch is active. It never follows into a later epoch; get the group
// anew from the Context then. May outlive the Context.
//
// Thread safety: any method from any thread, but the order of collectives must be the same on every
// rank.
//
// Errors, from Work::Wait(), besides those of GroupOperations:
//   kUnavailable         a member of the job was lost: it is named with its worker (member_lost).
//                        After a transport error the operation waits up to 250 ms for the
//                        coordinator to say so; else the suspicion is told, unconfirmed
//                        (member_suspect)
//   kFailedPrecondition  the epoch is over: stale_epoch names the one that the job is at,
//                        epoch_retired says that it ended while the operation ran; or the group has
//                        no communicator by the job's spec (unsupported_mode)
class GroupHandle final : public GroupOperations {
 public:
  explicit GroupHandle(std::shared_ptr<worker::GroupSlot> slot) : slot_(std::move(slot)) {}

  const std::string& name() const;  // In full, as "wan/dit.sp#1".
  Epoch epoch() const;
  GroupRank rank() const override;
  int32_t size() const override;
  const std::vector<GlobalRank>& ranks() const;  // All members, by group rank.

  bool Supports(Operation operation, DType dtype) const override;
  bool Supports(ReduceOp op, DType dtype) const override;

  std::unique_ptr<Work> Start(OperationCall call, absl::Duration timeout) override;

 private:
  const std::shared_ptr<worker::GroupSlot> slot_;
};

}  // namespace muster

#endif  // MUSTER_WORKER_MUSTER_GROUP_HANDLE_H_
