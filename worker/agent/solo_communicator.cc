#include "worker/agent/solo_communicator.h"

#include <string_view>
#include <utility>

#include "common/base/string_view.h"
#include "worker/comm/arguments.h"
#include "worker/comm/group_errors.h"

namespace muster::worker {
namespace {

constexpr std::string_view kBackendName = "local";

}  // namespace

bool SoloCommunicator::Supports(Operation operation, DType) const {
  return !IsPointToPoint(operation);
}

void SoloCommunicator::Abort(absl::Status why) {
  MonitorLock lock(&monitor_);
  if (!aborted_.has_value()) aborted_ = std::move(why);
}

std::unique_ptr<Work> SoloCommunicator::Start(OperationCall call, absl::Duration timeout) {
  {
    MonitorLock lock(&monitor_);
    if (aborted_.has_value()) return MakeDoneWork(*aborted_);
  }
  absl::Status refusal = CheckArguments(call, facts_.rank, facts_.size(), kBackendName);
  refusal.Update(CheckTimeout(timeout));
  if (!refusal.ok()) {
    return MakeDoneWork(GroupError(refusal.code(), ErrorKind::kOperationRefused, facts_,
                                   OperationName(call.operation), ToStd(refusal.message()),
                                   {facts_.rank}));
  }
  CopyAlone(call);
  return MakeDoneWork(absl::OkStatus());
}

}  // namespace muster::worker
