#include "worker/agent/live_epoch.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/clock_reading.h"
#include "common/base/error_detail.h"
#include "worker/agent/fault_point.h"
#include "worker/agent/solo_communicator.h"

namespace muster::worker {
namespace {

absl::Status StaleError(const std::string& job, Epoch epoch, Epoch now) {
  ErrorDetail detail;
  detail.kind = ErrorKind::kStaleEpoch;
  detail.job = job;
  detail.epoch = now;
  detail.remedy = "Call Recover() and get the groups of the epoch that it leads to.";
  const std::string at = now.value == 0 ? std::string("has no active epoch yet")
                                        : absl::StrCat("is at epoch ", now.value);
  return MakeError(absl::StatusCode::kFailedPrecondition,
                   absl::StrCat("job '", job, "': this group is of epoch ", epoch.value,
                                ", the job ", at, ". ", detail.remedy),
                   detail);
}

}  // namespace

absl::Status EpochGate::Check() const {
  const Epoch active(active_->load());
  if (active > epoch_) return StaleError(job_, epoch_, active);
  MonitorLock lock(&monitor_);
  if (over_.has_value()) return *over_;
  if (!closed_.ok()) return closed_;
  return opened_ ? absl::OkStatus() : StaleError(job_, epoch_, active);
}

void EpochGate::Open() {
  MonitorLock lock(&monitor_);
  opened_ = true;
  closed_ = absl::OkStatus();
}

void EpochGate::Close(absl::Status why) {
  MonitorLock lock(&monitor_);
  closed_ = std::move(why);
}

void EpochGate::End(absl::Status why) {
  MonitorLock lock(&monitor_);
  if (!over_.has_value()) over_ = std::move(why);
}

GroupSlot::GroupSlot(Info info, std::shared_ptr<const EpochGate> gate,
                     std::shared_ptr<OperationBoard> board)
    : info_(std::move(info)),
      short_name_(std::make_shared<const std::string>(info_.short_name)),
      gate_(std::move(gate)),
      board_(std::move(board)),
      ring_(board_->recorder().Open(info_.epoch, info_.short_name)) {}

void GroupSlot::Put(std::unique_ptr<Communicator> communicator) {
  MonitorLock lock(&monitor_);
  communicator_ = std::move(communicator);
  if (aborted_.has_value()) communicator_->Abort(*aborted_);
}

void GroupSlot::Abort(const absl::Status& why) {
  std::shared_ptr<Communicator> communicator;
  {
    MonitorLock lock(&monitor_);
    if (!aborted_.has_value()) aborted_ = why;
    communicator = communicator_;
  }
  if (communicator != nullptr) communicator->Abort(why);
}

void GroupSlot::Free() {
  std::shared_ptr<Communicator> communicator;
  MonitorLock lock(&monitor_);
  communicator.swap(communicator_);
}

std::unique_ptr<Work> GroupSlot::Start(OperationCall call, absl::Duration timeout) {
  MonitorLock lock(&monitor_);
  const absl::Status refusal = gate_->Check();
  if (!refusal.ok()) return MakeDoneWork(refusal);
  if (communicator_ == nullptr) return MakeDoneWork(NoCommunicator());
  UserOperation name{call.operation, 0, std::nullopt, short_name_};
  if (IsPointToPoint(call.operation)) {
    name.peer = call.root;
  } else {
    name.sequence = ++collectives_;
  }
  const CallFacts facts = FactsOf(call, info_.rank);
  std::unique_ptr<Work> work = communicator_->Start(std::move(call), timeout);
  if (name.sequence != 0) ring_->Begin(name.sequence, facts, work.get(), ReadMonotonicClock());
  const absl::Status fault = FaultPoint(FaultStep::kInCollective, info_.self);
  if (!fault.ok()) communicator_->Abort(fault);
  return OperationBoard::Watch(board_, name, info_.epoch, timeout, ring_, std::move(work));
}

bool GroupSlot::Supports(Operation operation, DType dtype) const {
  MonitorLock lock(&monitor_);
  return communicator_ != nullptr && communicator_->Supports(operation, dtype);
}

bool GroupSlot::Supports(ReduceOp op, DType dtype) const {
  MonitorLock lock(&monitor_);
  return communicator_ != nullptr && communicator_->Supports(op, dtype);
}

absl::Status GroupSlot::NoCommunicator() const {
  ErrorDetail detail;
  detail.kind = ErrorKind::kUnsupportedMode;
  detail.group = info_.name;
  detail.epoch = info_.epoch;
  return MakeError(absl::StatusCode::kFailedPrecondition,
                   absl::StrCat("group '", info_.name, "' epoch ", info_.epoch.value,
                                info_.is_built ? ": its communicator is freed"
                                               : ": the job's spec asks for no communicator of it"),
                   detail);
}

LiveEpoch::LiveEpoch(Info info, Layout layout, std::shared_ptr<const ActiveEpoch> active,
                     std::shared_ptr<OperationBoard> board)
    : info_(std::move(info)),
      layout_(std::move(layout)),
      gate_(std::make_shared<EpochGate>(info_.spec->name, info_.epoch, std::move(active))) {
  for (const GroupMembership& group : layout_.GroupsOf(info_.rank)) {
    const bool alone = group.size == 1;
    GroupSlot::Info slot{.epoch = info_.epoch,
                         .name = layout_.Name(group.id, info_.spec->name),
                         .short_name = layout_.Name(group.id, ""),
                         .self = info_.rank,
                         .rank = group.rank,
                         .ranks = layout_.Members(group.id),
                         .is_built = alone || layout_.IsBuilt(group.id)};
    auto made = std::make_shared<GroupSlot>(slot, gate_, board);
    if (alone) {
      made->Put(std::make_unique<SoloCommunicator>(
          GroupFacts{.job = info_.job,
                     .epoch = info_.epoch,
                     .id = group.id,
                     .name = slot.name,
                     .rank = group.rank,
                     .members = {GroupMember{info_.rank, info_.incarnation}}}));
    }
    groups_.emplace(group.id, std::move(made));
  }
}

std::shared_ptr<GroupSlot> LiveEpoch::Find(GroupId id) const {
  const auto it = groups_.find(id);
  return it == groups_.end() ? nullptr : it->second;
}

void LiveEpoch::End(const absl::Status& why) {
  gate_->End(why);
  for (const auto& [id, slot] : groups_) slot->Abort(why);
}

}  // namespace muster::worker
