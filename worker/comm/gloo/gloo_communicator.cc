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
#include "worker/comm/gloo/calls.h"
#include "worker/comm/gloo/collectives.h"
#include "worker/comm/gloo/exchange.h"
#include "worker/comm/gloo/transfers.h"
#include "worker/comm/group_errors.h"

namespace muster {
namespace {

// How long a rank whose timeout cannot be used waits for the others, to tell them so.
constexpr absl::Duration kRefusalTimeout = absl::Seconds(10);

// Slots of the collective `sequence`; those below the first are the mesh's own.
constexpr uint64_t CollectiveSlot(uint64_t sequence) {
  return (uint64_t{1} << 62U) | (sequence << 24U);
}

// Slots of the message `sequence` between two ranks, in the direction from the lower to the higher
// one or back: both sides send headers for both directions.
constexpr uint64_t MessageSlot(uint64_t sequence, bool upwards) {
  return (uint64_t{1} << 61U) | (uint64_t{upwards} << 60U) | (sequence << 4U);
}

// What rides along with the header: nothing if there is too much of it.
std::string InlinePayload(ConstBuffer data) {
  const int64_t bytes = BytesOf(data);
  if (bytes == 0 || bytes > static_cast<int64_t>(kInlineBytesMax)) return {};
  return std::string(reinterpret_cast<const char*>(data.data), static_cast<size_t>(bytes));
}

bool RidesInline(ConstBuffer data) {
  return BytesOf(data) <= static_cast<int64_t>(kInlineBytesMax);
}

void CopyPayload(const Record& record, std::byte* to) {
  if (!record.payload.empty()) std::memcpy(to, record.payload.data(), record.payload.size());
}

}  // namespace

GlooCommunicator::GlooCommunicator(GroupFacts facts, std::unique_ptr<Mesh> mesh, LanePool* pool,
                                   const Clock* clock)
    : facts_(std::move(facts)),
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

std::unique_ptr<Work> GlooCommunicator::AllReduce(ConstBuffer input, Buffer output, ReduceOp op,
                                                  absl::Duration timeout) {
  Task task;
  task.call.operation = Operation::kAllReduce;
  task.call.dtype = input.dtype;
  task.call.reduce = op;
  task.call.count = input.count;
  task.input = input;
  task.output = output;
  return StartCollective(std::move(task), timeout, CheckAllReduce(input, output, op));
}

std::unique_ptr<Work> GlooCommunicator::AllGather(ConstBuffer input, Buffer output,
                                                  absl::Duration timeout) {
  Task task;
  task.call.operation = Operation::kAllGather;
  task.call.dtype = input.dtype;
  task.call.count = input.count;
  task.input = input;
  task.output = output;
  return StartCollective(std::move(task), timeout,
                         CheckAllGather(input, output, facts_.rank, facts_.size()));
}

std::unique_ptr<Work> GlooCommunicator::Broadcast(Buffer buffer, GroupRank root,
                                                  absl::Duration timeout) {
  Task task;
  task.call.operation = Operation::kBroadcast;
  task.call.dtype = buffer.dtype;
  task.call.count = buffer.count;
  task.call.root = root;
  task.input = buffer;
  task.output = buffer;
  return StartCollective(std::move(task), timeout, CheckBroadcast(buffer, root, facts_.size()));
}

std::unique_ptr<Work> GlooCommunicator::Barrier(absl::Duration timeout) {
  return StartCollective({}, timeout, absl::OkStatus());
}

std::unique_ptr<Work> GlooCommunicator::Send(ConstBuffer input, GroupRank to,
                                             absl::Duration timeout) {
  Task task;
  task.call.operation = Operation::kSend;
  task.call.dtype = input.dtype;
  task.call.count = input.count;
  task.input = input;
  task.peer = to;
  return StartMessage(std::move(task), timeout,
                      CheckPointToPoint(input, to, facts_.rank, facts_.size()));
}

std::unique_ptr<Work> GlooCommunicator::Recv(Buffer output, GroupRank from,
                                             absl::Duration timeout) {
  Task task;
  task.call.operation = Operation::kRecv;
  task.call.dtype = output.dtype;
  task.call.count = output.count;
  task.output = output;
  task.peer = from;
  return StartMessage(std::move(task), timeout,
                      CheckPointToPoint(output, from, facts_.rank, facts_.size()));
}

std::unique_ptr<Work> GlooCommunicator::StartCollective(Task task, absl::Duration timeout,
                                                        absl::Status refusal) {
  task.call.sequence = ++sequence_;
  task.timeout = timeout;
  task.refusal = std::move(refusal);
  task.refusal.Update(CheckTimeout(timeout));
  task.what = absl::StrCat(ToAbsl(OperationName(task.call.operation)), " #", task.call.sequence);
  if (facts_.size() == 1) return MakeDoneWork(RunAlone(task));
  task.lane = &collectives_;
  return Post(std::move(task), &GlooCommunicator::RunCollective);
}

std::unique_ptr<Work> GlooCommunicator::StartMessage(Task task, absl::Duration timeout,
                                                     absl::Status refusal) {
  const bool sends = task.call.operation == Operation::kSend;
  task.timeout = timeout;
  task.what = absl::StrCat(ToAbsl(OperationName(task.call.operation)), sends ? " to" : " from",
                           " group rank ", task.peer.value);
  const bool has_peer =
      task.peer.value >= 0 && task.peer.value < facts_.size() && task.peer != facts_.rank;
  task.refusal = std::move(refusal);
  task.refusal.Update(CheckTimeout(timeout));
  if (!has_peer) return MakeDoneWork(RunAlone(task));  // Nobody waits for it.
  Line& line = lines_.try_emplace({sends, task.peer}, pool_).first->second;
  task.call.sequence = ++line.sequence;
  absl::StrAppend(&task.what, " #", task.call.sequence);
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
    Record record{.call = task.call, .payload = std::string(task.refusal.message())};
    record.call.refused = true;
    return CompareCalls(facts_, task.what, {{facts_.rank, record}});
  }
  const int64_t bytes = BytesOf(task.input);
  if (bytes > 0 && task.output.data != task.input.data) {
    std::memcpy(task.output.data, task.input.data, static_cast<size_t>(bytes));
  }
  return absl::OkStatus();
}

absl::Status GlooCommunicator::RunCollective(const Task& task) {
  MUSTER_RETURN_IF_ERROR(CheckUsable(task));
  const uint64_t slot = CollectiveSlot(task.call.sequence);
  Record own{.call = task.call, .payload = {}};
  if (!task.refusal.ok()) {
    own.call.refused = true;
    own.payload = std::string(task.refusal.message().substr(0, kInlineBytesMax));
  } else if (task.call.operation != Operation::kBroadcast || task.call.root == facts_.rank) {
    own.payload = InlinePayload(task.input);
  }
  Exchanged exchanged = ExchangeRecords(mesh_.get(), slot, own, collectives_);
  if (exchanged.outcome.ended != Ended::kDone) return Fail(task, exchanged.outcome);

  std::map<GroupRank, Record> records;
  for (size_t rank = 0; rank < exchanged.records.size(); ++rank) {
    records.emplace(GroupRank(static_cast<int32_t>(rank)), exchanged.records[rank]);
  }
  MUSTER_RETURN_IF_ERROR(CompareCalls(facts_, task.what, records));
  if (RidesInline(task.input)) {
    if (!PayloadsFit(task, exchanged.records)) return FailUnreadable(task, {});
    FinishInline(task, exchanged.records);
    return absl::OkStatus();
  }
  const Outcome outcome = MoveData(task, slot + kExchangeSlots);
  return outcome.ended == Ended::kDone ? absl::OkStatus() : Fail(task, outcome);
}

bool GlooCommunicator::PayloadsFit(const Task& task, const std::vector<Record>& records) const {
  const auto fits = [&task](const Record& record) {
    return static_cast<int64_t>(record.payload.size()) == BytesOf(task.input);
  };
  if (task.call.operation == Operation::kBroadcast) {
    return fits(records[static_cast<size_t>(task.call.root.value)]);
  }
  return std::all_of(records.begin(), records.end(), fits);
}

void GlooCommunicator::FinishInline(const Task& task, const std::vector<Record>& records) {
  const int64_t bytes = BytesOf(task.input);
  switch (task.call.operation) {
    case Operation::kAllReduce: {
      std::vector<const std::byte*> inputs;
      for (const Record& record : records) {
        inputs.push_back(reinterpret_cast<const std::byte*>(record.payload.data()));
      }
      if (bytes > 0) {
        Reduce(inputs, task.output.data, task.input.count, task.input.dtype, task.call.reduce);
      }
      return;
    }
    case Operation::kAllGather:
      for (size_t rank = 0; rank < records.size(); ++rank) {
        CopyPayload(records[rank], task.output.data + static_cast<int64_t>(rank) * bytes);
      }
      return;
    case Operation::kBroadcast:
      if (task.call.root != facts_.rank) {
        CopyPayload(records[static_cast<size_t>(task.call.root.value)], task.output.data);
      }
      return;
    case Operation::kBarrier:
    case Operation::kSend:
    case Operation::kRecv:
      return;
  }
}

Outcome GlooCommunicator::MoveData(const Task& task, uint64_t first_slot) {
  switch (task.call.operation) {
    case Operation::kAllReduce:
      return AllReduceData(mesh_.get(), first_slot, task.input, task.output, task.call.reduce,
                           collectives_);
    case Operation::kAllGather:
      return AllGatherData(mesh_.get(), first_slot, task.input, task.output, collectives_);
    case Operation::kBroadcast:
      return BroadcastData(mesh_.get(), first_slot, task.output, task.call.root, collectives_);
    case Operation::kBarrier:
    case Operation::kSend:
    case Operation::kRecv:
      break;
  }
  return {};
}

absl::Status GlooCommunicator::RunMessage(const Task& task) {
  MUSTER_RETURN_IF_ERROR(CheckUsable(task));
  const bool sends = task.call.operation == Operation::kSend;
  const uint64_t slot = MessageSlot(task.call.sequence, sends == (facts_.rank < task.peer));
  const ConstBuffer data = sends ? task.input : ConstBuffer(task.output);
  Record own{.call = task.call, .payload = {}};
  if (!task.refusal.ok()) {
    own.call.refused = true;
    own.payload = std::string(task.refusal.message().substr(0, kInlineBytesMax));
  } else if (sends) {
    own.payload = InlinePayload(data);
  }
  std::string bytes;
  Append(own, &bytes);
  std::array<std::byte, kRecordBytesMax> reply = {};
  {
    Transfers headers(mesh_.get(), task.lane);
    headers.Recv(task.peer, slot, reply.data(), reply.size());
    headers.Send(task.peer, slot, bytes.data(), bytes.size());
    const Outcome outcome = FinishOrBreak(mesh_.get(), &headers);
    if (outcome.ended != Ended::kDone) return Fail(task, outcome);
  }
  std::span<const std::byte> rest(reply);
  const std::optional<Record> other = TakeRecord(&rest);
  if (!other.has_value()) return FailUnreadable(task, {task.peer});
  MUSTER_RETURN_IF_ERROR(
      CompareCalls(facts_, task.what, {{facts_.rank, own}, {task.peer, *other}}));
  if (RidesInline(data)) {
    const Record& sent = sends ? own : *other;
    if (static_cast<int64_t>(sent.payload.size()) != BytesOf(data)) {
      return FailUnreadable(task, {task.peer});
    }
    if (!sends) CopyPayload(*other, task.output.data);
    return absl::OkStatus();
  }
  Transfers transfers(mesh_.get(), task.lane);
  const auto size = static_cast<size_t>(BytesOf(data));
  if (sends) {
    transfers.Send(task.peer, slot + 1, data.data, size);
  } else {
    transfers.Recv(task.peer, slot + 1, task.output.data, size);
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

void GlooCommunicator::Abort(absl::Status why) {
  {
    MonitorLock lock(&monitor_);
    if (!aborted_.has_value()) aborted_ = std::move(why);
    monitor_.NotifyAll();
  }
  if (mesh_ != nullptr) mesh_->Close();
}

}  // namespace muster
