#include "worker/muster/group_handle.h"

#include <optional>

#include "worker/agent/live_epoch.h"

namespace muster {

const std::string& GroupHandle::name() const { return slot_->info().name; }
Epoch GroupHandle::epoch() const { return slot_->info().epoch; }
GroupRank GroupHandle::rank() const { return slot_->info().rank; }
int32_t GroupHandle::size() const { return static_cast<int32_t>(slot_->info().ranks.size()); }
const std::vector<GlobalRank>& GroupHandle::ranks() const { return slot_->info().ranks; }

bool GroupHandle::Supports(Operation operation, DType dtype) const {
  return slot_->Supports(operation, dtype);
}
bool GroupHandle::Supports(ReduceOp op, DType dtype) const { return slot_->Supports(op, dtype); }

std::unique_ptr<Work> GroupHandle::AllReduce(ConstBuffer input, Buffer output, ReduceOp op,
                                             absl::Duration timeout) {
  return slot_->Start(Operation::kAllReduce, std::nullopt, timeout, [&](Communicator& comm) {
    return comm.AllReduce(input, output, op, timeout);
  });
}

std::unique_ptr<Work> GroupHandle::AllGather(ConstBuffer input, Buffer output,
                                             absl::Duration timeout) {
  return slot_->Start(Operation::kAllGather, std::nullopt, timeout,
                      [&](Communicator& comm) { return comm.AllGather(input, output, timeout); });
}

std::unique_ptr<Work> GroupHandle::Broadcast(Buffer buffer, GroupRank root,
                                             absl::Duration timeout) {
  return slot_->Start(Operation::kBroadcast, std::nullopt, timeout,
                      [&](Communicator& comm) { return comm.Broadcast(buffer, root, timeout); });
}

std::unique_ptr<Work> GroupHandle::Barrier(absl::Duration timeout) {
  return slot_->Start(Operation::kBarrier, std::nullopt, timeout,
                      [&](Communicator& comm) { return comm.Barrier(timeout); });
}

std::unique_ptr<Work> GroupHandle::Send(ConstBuffer input, GroupRank to, absl::Duration timeout) {
  return slot_->Start(Operation::kSend, to, timeout,
                      [&](Communicator& comm) { return comm.Send(input, to, timeout); });
}

std::unique_ptr<Work> GroupHandle::Recv(Buffer output, GroupRank from, absl::Duration timeout) {
  return slot_->Start(Operation::kRecv, from, timeout,
                      [&](Communicator& comm) { return comm.Recv(output, from, timeout); });
}

}  // namespace muster
