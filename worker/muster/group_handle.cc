#include "worker/muster/group_handle.h"

#include <utility>

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

std::unique_ptr<Work> GroupHandle::Start(OperationCall call, absl::Duration timeout) {
  return slot_->Start(std::move(call), timeout);
}

}  // namespace muster
