#include "worker/comm/gloo/gloo_communicator.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "worker/comm/arguments.h"
#include "worker/comm/gloo/agreement.h"
#include "worker/comm/gloo/calls.h"
#include "worker/comm/gloo/collectives.h"
#include "worker/comm/gloo/payload.h"
#include "worker/comm/gloo/slots.h"
#include "worker/comm/gloo/transfers.h"
#include "worker/comm/group_errors.h"

namespace muster {
namespace {

// How long a rank whose timeout cannot be used waits for the others, to tell them so.
constexpr absl::Duration kRefusalTimeout = absl::Seconds(10);

constexpr std::string_view kBackendName = "gloo";

}  // namespace

GlooCommunicator::GlooCommunicator(GroupFacts facts, CallChecks checks, std::unique_ptr<Mesh> mesh,
                                   LanePool* pool, const Clock* clock)
    : facts_(std::move(facts)),
      checks_(checks),
      mesh_(std::move(mesh)),
      pool_(pool),
      clock_(clock),
      collectives_(pool) {}

GlooCommunicator::~GlooCommunicator() {
  if (unfinished_ > 0) {
    Abort(GroupError(absl::StatusCode::kAborted, ErrorKind::kOperationAborted, facts_, "operation",
                     "the communicator was destroyed"));
  }
}

bool GlooCommunicator::Supports(Operation /*operation*/, DType /*dtype*/) const { return true; }

bool GlooCommunicator::Supports(ReduceOp op, DType dtype) const { return IsReducible(dtype, op); }

bool GlooCommunicator::IsChecked(const OperationCall& call) const {
  if (checks_ == CallChecks::kOn) return true;
  const bool all_give = !HasRoot(call.operation) && !IsPointToPoint(call.operation);
  return all_give && RidesInline(call, facts_.size());
}

std::unique_ptr<Work> GlooCommunicator::Start(OperationCall call, absl::Duration timeout) {
  Task task;
  task.refusal = CheckArguments(call, facts_.rank, facts_.size(), kBackendName);
  task.refusal.Update(CheckTimeout(timeout));
  task.header = HeaderOf(call);
  task.call = std::move(call);
  task.timeout = timeout;
  task.what = std::string(OperationName(task.call.operation));
  return IsPointToPoint(task.call.operation) ? StartMessage(std::move(task))
                                             : StartCollective(std::move(task));
}

std::unique_ptr<Work> GlooCommunicator::StartCollective(Task task) {
  if (checks_ == CallChecks::kOff && !task.refusal.ok()) return MakeDoneWork(RunAlone(task));
  task.header.sequence = ++sequence_;
  absl::StrAppend(&task.what, " #", task.header.sequence);
  if (facts_.size() == 1) return MakeDoneWork(RunAlone(task));
  task.lane = &collectives_;
  return Post(std::move(task), &GlooCommunicator::RunCollective);
}

std::unique_ptr<Work> GlooCommunicator::StartMessage(Task task) {
  const bool sends = task.call.operation == Operation::kSend;
  const GroupRank peer = task.call.root;
  absl::StrAppend(&task.what, sends ? " to" : " from", " group rank ", peer.value);
  const bool has_peer = peer.value >= 0 && peer.value < facts_.size() && peer != facts_.rank;
  const bool tells = checks_ == CallChecks::kOn || task.refusal.ok();
  if (!has_peer || !tells) return MakeDoneWork(RunAlone(task));  // Nobody waits for it.
  Line& line = lines_.try_emplace({sends, peer}, pool_).first->second;
  task.header.sequence = ++line.sequence;
  absl::StrAppend(&task.what, " #", task.header.sequence);
  task.lane = &line.lane;
  return Post(std::move(task), &GlooCommunicator::RunMessage);
}

std::unique_ptr<Work> GlooCommunicator::Post(Task task,
                                             absl::Status (GlooCommunicator::*run)(const Task&)) {
  if (!CheckTimeout(task.timeout).ok()) task.timeout = kRefusalTimeout;
  task.started = clock_->Now();
  const MonotonicTime deadline = task.started + task.timeout;
  Lane* const lane = task.lane;
  auto state = std::make_shared<WorkState>();
  ++unfinished_;
  absl::Status posted = lane->Post(deadline, [this, state, run, shared = std::move(task)] {
    absl::Status status;
    try {
      status = (this->*run)(shared);
    } catch (const std::bad_alloc&) {
      status = GroupError(absl::StatusCode::kResourceExhausted, ErrorKind::kGroupBroken, facts_,
                          shared.what, "no memory for it");
      SetBroken(status);
    }
    --unfinished_;
    state->Finish(std::move(status));
  });
  if (!posted.ok()) {
    --unfinished_;
    SetBroken(posted);  // The other ranks will do what this one cannot.
    return MakeDoneWork(std::move(posted));
  }
  return MakeWork(std::move(state));
}

absl::Status GlooCommunicator::RunAlone(const Task& task) {
  MUSTER_RETURN_IF_ERROR(CheckUsable(task));
  if (!task.refusal.ok()) {
    return CompareCalls(facts_, task.what, {{facts_.rank, RefusalOf(task.header, task.refusal)}});
  }
  CopyAlone(task.call);
  return absl::OkStatus();
}

absl::Status GlooCommunicator::RunCollective(const Task& task) {
  MUSTER_RETURN_IF_ERROR(CheckUsable(task));
  if (IsChecked(task.call)) return RunAgreed(task);
  const Outcome outcome =
      MoveData(mesh_.get(), UncheckedSlot(task.header), task.call, collectives_);
  return outcome.ended == Ended::kDone ? absl::OkStatus() : Fail(task, outcome);
}

absl::Status GlooCommunicator::RunAgreed(const Task& task) {
  const uint64_t slot = CollectiveSlot(task.header.sequence);
  const Agreement agreement = Agree(mesh_.get(), facts_, task.what, slot, task.call, task.header,
                                    task.refusal, collectives_);
  if (agreement.outcome.ended != Ended::kDone) return Fail(task, agreement.outcome);
  MUSTER_RETURN_IF_ERROR(agreement.status);
  if (agreement.rode) {
    const bool done = FinishInline(task.call, facts_.rank, agreement.records, agreement.sends);
    return done ? absl::OkStatus() : FailUnreadable(task, {});
  }
  const Outcome outcome = MoveData(mesh_.get(), slot + kAgreementSlots, task.call, collectives_);
  return outcome.ended == Ended::kDone ? absl::OkStatus() : Fail(task, outcome);
}

absl::Status GlooCommunicator::RunMessage(const Task& task) {
  MUSTER_RETURN_IF_ERROR(CheckUsable(task));
  const GroupRank peer = task.call.root;
  const bool sends = task.call.operation == Operation::kSend;
  const bool upwards = sends == (facts_.rank < peer);
  if (checks_ == CallChecks::kOff) {
    return MoveMessage(task, UncheckedMessageSlot(task.header, upwards));
  }
  const uint64_t slot = MessageSlot(task.header.sequence, upwards);
  Record own{.call = task.header, .payload = {}};
  if (!task.refusal.ok()) {
    own = RefusalOf(task.header, task.refusal);
  } else if (sends) {
    own.payload = PayloadOf(task.call, facts_.rank, facts_.size());
  }
  std::string bytes;
  Append(own, &bytes);
  std::array<std::byte, kRecordBytesMax> reply = {};
  {
    Transfers headers(mesh_.get(), task.lane);
    headers.Recv(peer, slot, reply.data(), reply.size());
    headers.Send(peer, slot, bytes.data(), bytes.size());
    const Outcome outcome = FinishOrBreak(mesh_.get(), &headers);
    if (outcome.ended != Ended::kDone) return Fail(task, outcome);
  }
  std::span<const std::byte> rest(reply);
  const std::optional<Record> other = TakeRecord(&rest);
  if (!other.has_value()) return FailUnreadable(task, {peer});
  MUSTER_RETURN_IF_ERROR(CompareCalls(facts_, task.what, {{facts_.rank, own}, {peer, *other}}));
  const ConstBuffer data = sends ? task.call.input : ConstBuffer(task.call.output);
  if (BytesOf(data) > static_cast<int64_t>(kInlineBytesMax)) return MoveMessage(task, slot + 1);
  const std::string& payload = sends ? own.payload : other->payload;
  if (static_cast<int64_t>(payload.size()) != BytesOf(data)) return FailUnreadable(task, {peer});
  if (!sends && !payload.empty()) {
    std::memcpy(task.call.output.data, payload.data(), payload.size());
  }
  return absl::OkStatus();
}

absl::Status GlooCommunicator::MoveMessage(const Task& task, uint64_t slot) {
  const OperationCall& call = task.call;
  Transfers transfers(mesh_.get(), task.lane);
  if (call.operation == Operation::kSend) {
    transfers.Send(call.root, slot, call.input.data, static_cast<size_t>(BytesOf(call.input)));
  } else {
    transfers.Recv(call.root, slot, call.output.data, static_cast<size_t>(BytesOf(call.output)));
  }
  const Outcome outcome = FinishOrBreak(mesh_.get(), &transfers);
  return outcome.ended == Ended::kDone ? absl::OkStatus() : Fail(task, outcome);
}

absl::Status GlooCommunicator::EndLocked(const Task& task) const {
  if (aborted_.has_value()) return *aborted_;
  if (broken_.has_value()) return BrokenError(facts_, task.what, *broken_);
  return absl::OkStatus();
}

absl::Status GlooCommunicator::CheckUsable(const Task& task) {
  MonitorLock lock(&monitor_);
  return EndLocked(task);
}

absl::Status GlooCommunicator::Fail(const Task& task, const Outcome& outcome) {
  if (outcome.ended == Ended::kStopped) {
    // Whoever stopped the mesh says why, before or after.
    MonitorLock lock(&monitor_);
    while (!aborted_.has_value() && !broken_.has_value()) monitor_.Wait();
    return EndLocked(task);
  }
  const absl::Duration waited = std::min(task.timeout, clock_->Now() - task.started);
  absl::Status status = ExplainFailure(facts_, task.what, outcome, waited);
  MonitorLock lock(&monitor_);
  if (!broken_.has_value()) broken_ = status;
  monitor_.NotifyAll();
  return aborted_.has_value() ? *aborted_ : status;
}

absl::Status GlooCommunicator::FailUnreadable(const Task& task, const std::set<GroupRank>& ranks) {
  return Fail(task, {.ended = Ended::kReset,
                     .absent = ranks,
                     .findings = BreakAfter(mesh_.get(), Ended::kReset)});
}

void GlooCommunicator::SetBroken(const absl::Status& cause) {
  {
    MonitorLock lock(&monitor_);
    if (!broken_.has_value()) broken_ = cause;
    monitor_.NotifyAll();
  }
  mesh_->Close();
}

std::set<GroupRank> GlooCommunicator::MembersNamedBy(const absl::Status& why) const {
  const std::vector<GlobalRank> named = DetailOf(why).value_or(ErrorDetail()).ranks;
  std::set<GroupRank> members;
  for (GroupRank rank; rank.value < facts_.size(); ++rank.value) {
    const GlobalRank global = facts_.member(rank).rank;
    if (std::find(named.begin(), named.end(), global) != named.end()) members.insert(rank);
  }
  return members;
}

void GlooCommunicator::Abort(absl::Status why) {
  const std::set<GroupRank> gone = MembersNamedBy(why);
  {
    MonitorLock lock(&monitor_);
    if (!aborted_.has_value()) aborted_ = std::move(why);
    monitor_.NotifyAll();
  }
  if (mesh_ != nullptr) mesh_->Abort(gone);
}

}  // namespace muster
