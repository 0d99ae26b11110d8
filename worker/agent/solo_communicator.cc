#include "worker/agent/solo_communicator.h"

#include <cstring>
#include <utility>

#include "common/base/string_view.h"
#include "worker/comm/arguments.h"
#include "worker/comm/group_errors.h"

namespace muster::worker {

bool SoloCommunicator::Supports(Operation operation, DType) const {
  return operation != Operation::kSend && operation != Operation::kRecv;
}

std::unique_ptr<Work> SoloCommunicator::AllReduce(ConstBuffer input, Buffer output, ReduceOp op,
                                                  absl::Duration timeout) {
  return Copy(Operation::kAllReduce, input, output, timeout, CheckAllReduce(input, output, op));
}

std::unique_ptr<Work> SoloCommunicator::AllGather(ConstBuffer input, Buffer output,
                                                  absl::Duration timeout) {
  return Copy(Operation::kAllGather, input, output, timeout,
              CheckAllGather(input, output, facts_.rank, facts_.size()));
}

std::unique_ptr<Work> SoloCommunicator::Broadcast(Buffer buffer, GroupRank root,
                                                  absl::Duration timeout) {
  return Copy(Operation::kBroadcast, buffer, buffer, timeout,
              CheckBroadcast(buffer, root, facts_.size()));
}

std::unique_ptr<Work> SoloCommunicator::Barrier(absl::Duration timeout) {
  return Copy(Operation::kBarrier, {}, {}, timeout, absl::OkStatus());
}

std::unique_ptr<Work> SoloCommunicator::Send(ConstBuffer input, GroupRank to,
                                             absl::Duration timeout) {
  return Copy(Operation::kSend, {}, {}, timeout,
              CheckPointToPoint(input, to, facts_.rank, facts_.size()));
}

std::unique_ptr<Work> SoloCommunicator::Recv(Buffer output, GroupRank from,
                                             absl::Duration timeout) {
  return Copy(Operation::kRecv, {}, {}, timeout,
              CheckPointToPoint(output, from, facts_.rank, facts_.size()));
}

void SoloCommunicator::Abort(absl::Status why) {
  MonitorLock lock(&monitor_);
  if (!aborted_.has_value()) aborted_ = std::move(why);
}

std::unique_ptr<Work> SoloCommunicator::Copy(Operation operation, ConstBuffer input, Buffer output,
                                             absl::Duration timeout, absl::Status refusal) {
  {
    MonitorLock lock(&monitor_);
    if (aborted_.has_value()) return MakeDoneWork(*aborted_);
  }
  refusal.Update(CheckTimeout(timeout));
  if (!refusal.ok()) {
    return MakeDoneWork(GroupError(absl::StatusCode::kInvalidArgument, ErrorKind::kOperationRefused,
                                   facts_, OperationName(operation), ToStd(refusal.message()),
                                   {facts_.rank}));
  }
  const auto bytes = static_cast<size_t>(BytesOf(input));
  if (bytes > 0 && output.data != input.data) std::memcpy(output.data, input.data, bytes);
  return MakeDoneWork(absl::OkStatus());
}

}  // namespace muster::worker
