#include "coordinator/core/machine.h"

#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "common/base/error_detail.h"
#include "coordinator/core/liveness.h"
#include "coordinator/core/load.h"
#include "coordinator/core/publish.h"
#include "coordinator/core/requests.h"
#include "coordinator/core/sessions.h"
#include "coordinator/core/transition.h"

namespace muster::coordinator {
namespace {

// Workers of a job that waits are told again what it waits for, this often.
constexpr absl::Duration kNewsInterval = absl::Seconds(1);

absl::Status NotServing() {
  ErrorDetail detail;
  detail.kind = ErrorKind::kCoordinatorLost;
  detail.remedy = "retry";
  return MakeError(absl::StatusCode::kUnavailable, "the coordinator is starting", detail);
}

// Turns away what comes before the term is journalled.
class TurnAway {
 public:
  explicit TurnAway(std::vector<Effect>& effects) : effects_(effects) {}

  void operator()(const ApplyRequested& e) {
    effects_.push_back(Reply{e.call, NotServing(), {}, {}});
  }
  void operator()(const DeleteRequested& e) {
    effects_.push_back(Reply{e.call, NotServing(), {}, {}});
  }
  void operator()(const HelloReceived& e) {
    effects_.push_back(CloseStream{e.connection, NotServing()});
  }
  template <typename Other>
  void operator()(const Other&) {}

 private:
  std::vector<Effect>& effects_;
};

void OnTick(Context& context) {
  JudgeLiveness(context);
  JudgeWaiting(context);
  std::vector<JobUid> uids;
  for (auto& [uid, job] : context.state.jobs) {
    JudgeContests(context, job);
    JudgeJoins(context, job);
    JudgeAttemptDeadline(context, job);
    TryStartAttempt(context, job);
    TellNews(context, job, kNewsInterval);
    uids.push_back(uid);
  }
  for (const JobUid uid : uids) JudgeDeletion(context, uid);
  ResendUnacknowledged(context);
}

class Dispatch {
 public:
  explicit Dispatch(Context& context) : context_(context) {}

  void operator()(const ApplyRequested& event) { OnApply(context_, event); }
  void operator()(const DeleteRequested& event) { OnDelete(context_, event); }
  void operator()(const HelloReceived& event) { OnHello(context_, event); }
  void operator()(const ReportReceived& event) {
    const auto owner = context_.state.connections.find(event.connection);
    const JobUid uid = owner == context_.state.connections.end() ? JobUid() : owner->second.job;
    OnReport(context_, event);
    JudgeDeletion(context_, uid);
  }
  void operator()(const StreamReset& event) { OnStreamReset(context_, event); }
  void operator()(const StreamCut& event) { OnStreamCut(context_, event); }
  void operator()(const LeaveReceived& event) { OnLeave(context_, event); }
  void operator()(const ExitReported& event) { OnExit(context_, event); }
  void operator()(const Journaled&) {}
  void operator()(const Tick&) { OnTick(context_); }

 private:
  Context& context_;
};

// Hands the journal's answer to whoever asked for the write.
class DispatchAnswer {
 public:
  DispatchAnswer(Context& context, JournalResult result) : context_(context), result_(result) {}

  void operator()(const TermStarted& record) {
    if (result_ == JournalResult::kWritten) {
      context_.state.term = record.term;
      context_.state.serving = true;
      return;
    }
    context_.state.halted = true;
    context_.effects.push_back(Halt{"the journal is full: the term cannot be claimed"});
  }
  void operator()(const JobAccepted& record) { OnAccepted(context_, record, result_); }
  void operator()(const EpochReserved& record) { OnReserved(context_, record, result_); }
  void operator()(const EpochCommitted& record) { OnCommitted(context_, record, result_); }
  void operator()(const JobDeleted& record) { OnDeleted(context_, record, result_); }

 private:
  Context& context_;
  const JournalResult result_;
};

void OnJournaled(Context& context, const Journaled& event) {
  State& state = context.state;
  const auto it = state.writes.find(event.write);
  if (it == state.writes.end()) return;
  const JournalRecord record = std::move(it->second);
  state.writes.erase(it);
  if (event.result == JournalResult::kUnknown) {
    state.halted = true;
    context.effects.push_back(Halt{"a write to the journal ended without saying how"});
    return;
  }
  std::visit(DispatchAnswer(context, event.result), record);
}

}  // namespace

absl::StatusOr<Machine> Machine::Load(const JournalContents& contents, const Options& options,
                                      MonotonicTime now) {
  absl::StatusOr<State> state = LoadState(contents, now);
  if (!state.ok()) return state.status();
  state->seed = options.seed;
  state->tick_interval = options.tick_interval;
  return Machine(*std::move(state));
}

std::vector<Effect> Machine::Start(MonotonicTime now) {
  std::vector<Effect> effects;
  Context context{state_, now, effects};
  Write(context, TermStarted{Term(state_.term.value + 1)});
  return effects;
}

std::vector<Effect> Machine::Step(const Event& event, MonotonicTime now) {
  std::vector<Effect> effects;
  if (state_.halted) return effects;
  Context context{state_, now, effects};
  if (const auto* journaled = std::get_if<Journaled>(&event)) {
    OnJournaled(context, *journaled);
  } else if (state_.serving) {
    std::visit(Dispatch(context), event);
  } else {
    std::visit(TurnAway(effects), event);
  }
  FlushPublishes(context);
  return effects;
}

}  // namespace muster::coordinator
