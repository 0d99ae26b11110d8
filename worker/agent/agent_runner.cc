#include "worker/agent/agent_runner.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/mailbox.h"
#include "common/support/log.h"
#include "worker/agent/fault_point.h"
#include "worker/agent/host_facts.h"

namespace muster::worker {
namespace {

constexpr absl::Duration kTickIntervalMax = absl::Milliseconds(50);
constexpr int64_t kTicksPerLease = 20;
constexpr size_t kMailboxMax = 65536;

// Which waiting event a newer one replaces.
using LaneKey = int64_t;

bool IsFarewell(const Effect& effect) {
  const auto* close = std::get_if<CloseStream>(&effect);
  return close != nullptr && close->leaving;
}

}  // namespace

// Events on their way to the control thread. None is ever refused for want of room; of assignments
// of one stream, each of which says everything, only the newest waits.
class AgentMailbox {
 public:
  void Post(Event event) {
    const auto* assignment = std::get_if<AssignmentReceived>(&event);
    const LaneKey key = assignment == nullptr ? ++others_ : -assignment->session.value;
    mailbox_.PostCoalesced(key, std::move(event));
  }
  Drained Drain(std::vector<Event>* events, absl::Duration timeout) {
    return mailbox_.Drain(events, timeout);
  }
  void Close() { mailbox_.Close(); }

 private:
  std::atomic<int64_t> others_{0};
  Mailbox<LaneKey, Event> mailbox_{"agent", kMailboxMax};
};

// Carries out one effect of each kind.
struct AgentRunner::Carrier {
  AgentRunner& runner;

  const Agent::Options& options() const { return runner.agent_.state().options; }

  void operator()(const OpenStream& effect) const { runner.session_->Open(effect.hello); }
  void operator()(const CloseStream& effect) const {
    if (effect.leaving) {
      runner.session_->SayGoodbye({options().job, options().worker, options().incarnation});
    } else {
      runner.session_->Close(effect.session);
    }
  }
  void operator()(const SendReport& effect) const {
    runner.session_->Send(effect.session, effect.report);
    for (const HeldEpoch& held : runner.agent_.state().holdings) {
      if (held.state != HoldingState::kPrepared) continue;
      (void)FaultPoint(FaultStep::kEndpointsSent, held.rank);
    }
  }
  void operator()(const OpenEndpoints& effect) const {
    LiveEpoch::Info info{.job = runner.agent_.state().assignment->job,
                         .epoch = effect.epoch,
                         .rank = effect.rank,
                         .incarnation = options().incarnation,
                         .spec = effect.spec};
    // The machine made the same layout before it asked.
    Layout layout = *Layout::Create(effect.spec->layout);
    runner.builder_->Open(effect, runner.registry_.Add(std::move(info), std::move(layout)));
  }
  void operator()(const BuildGroup& effect) const { runner.builder_->Build(effect); }
  void operator()(const AbortEpoch& effect) const { runner.builder_->Abort(effect); }
  void operator()(const FreeGroup& effect) const { runner.builder_->Free(effect); }
  void operator()(const CloseEndpoints& effect) const {
    runner.registry_.Forget(effect.epoch);
    runner.builder_->Close(effect);
  }
  void operator()(const ActivateEpoch& effect) const {
    Log(LogLevel::kInfo, "worker.epoch_active")
        .Job(options().job)
        .Epoch(effect.epoch)
        .Rank(effect.rank)
        .Worker(options().worker);
    runner.registry_.Activate(effect.epoch);
  }
  void operator()(const EndEpoch& effect) const {
    Log(LogLevel::kWarning, "worker.epoch_ended")
        .Job(options().job)
        .Epoch(effect.epoch)
        .Worker(options().worker)
        .Error(effect.status);
    runner.registry_.End(effect.epoch, effect.status);
  }
  void operator()(const CloseGates& effect) const {
    Log(LogLevel::kWarning, "worker.gates_closed")
        .Job(options().job)
        .Epoch(effect.epoch)
        .Worker(options().worker)
        .Error(effect.status);
    runner.registry_.CloseGates(effect.epoch, effect.status);
  }
  void operator()(const OpenGates& effect) const { runner.registry_.OpenGates(effect.epoch); }
  void operator()(const EndOperation& effect) const {
    runner.registry_.board()->End(effect.operation, effect.status);
  }
  void operator()(const ProbeProcess& effect) const {
    if (IsGone(effect.probe)) runner.post_(ProcessGone{effect.probe.incarnation});
  }
  void operator()(const Finish& effect) const {
    LogLine line = Log(effect.status.ok() ? LogLevel::kInfo : LogLevel::kError, "worker.finished");
    line.Job(options().job).Worker(options().worker).With("exit_code", effect.exit_code);
    if (!effect.status.ok()) line.Error(effect.status);
    runner.registry_.Finish({runner.StatusForWaiters(effect), effect.exit_code});
  }
};

AgentRunner::AgentRunner(const Agent::Options& options, std::shared_ptr<grpc::Channel> channel,
                         SessionClient::Diagnosis diagnosis, Backend* backend, Clock* clock)
    : clock_(clock),
      mailbox_(std::make_shared<AgentMailbox>()),
      post_([mailbox = mailbox_](Event event) { mailbox->Post(std::move(event)); }),
      registry_(std::make_shared<OperationBoard>(post_)),
      agent_(options, clock->Now()),
      session_(std::make_unique<SessionClient>(std::move(channel), post_, std::move(diagnosis))),
      builder_(std::make_unique<EpochBuilder>(backend, post_)),
      thread_([this] { Run(); }) {}

AgentRunner::~AgentRunner() { Stop(); }

void AgentRunner::RequestLeave() { post_(LeaveRequested{}); }

void AgentRunner::Stop() {
  mailbox_->Close();
  if (!thread_.joinable()) return;
  thread_.join();
  builder_.reset();
  session_.reset();
  if (!registry_.finished().has_value()) {
    registry_.Finish({absl::CancelledError("the worker ended without leaving"), 0});
  }
}

std::string AgentRunner::last_stream_error() const {
  MonitorLock lock(&monitor_);
  return last_stream_error_;
}

void AgentRunner::Run() {
  CarryOut(agent_.Start(clock_->Now()));
  MonotonicTime tick_at = clock_->Now() + TickInterval();
  std::vector<Event> events;
  while (true) {
    const absl::Duration left = tick_at - clock_->Now();
    if (mailbox_->Drain(&events, std::max(left, absl::ZeroDuration())) == Drained::kClosed) return;
    for (const Event& event : events) Step(event);
    if (clock_->Now() < tick_at) continue;
    NoteDoing();
    NoteTraces();
    Step(Tick{});
    tick_at = clock_->Now() + TickInterval();
  }
}

void AgentRunner::Step(const Event& event) {
  if (const auto* closed = std::get_if<StreamClosed>(&event)) NoteStreamClosed(*closed);
  CarryOut(agent_.Step(event, clock_->Now()));
  if (std::holds_alternative<StreamOpened>(event)) {
    (void)FaultPoint(FaultStep::kRegistered, agent_.state().options.wanted_rank);
  }
}

void AgentRunner::CarryOut(std::vector<Effect> effects) {
  // The farewell says all that a report beside it would, and must not be overtaken by it: an epoch
  // that a member has let go of counts as lost, not as left.
  const bool leaving = std::any_of(effects.begin(), effects.end(), IsFarewell);
  for (const Effect& effect : effects) {
    if (leaving && std::holds_alternative<SendReport>(effect)) continue;
    std::visit(Carrier{*this}, effect);
  }
  if (agent_.state().phase == AgentPhase::kFinished) registry_.SetEmpty();
}

void AgentRunner::NoteDoing() {
  std::string doing = registry_.board()->Doing();
  if (doing == doing_) return;
  doing_ = std::move(doing);
  Step(DoingChanged{doing_});
}

void AgentRunner::NoteTraces() {
  const std::optional<Assignment>& assignment = agent_.state().assignment;
  if (!assignment.has_value() || assignment->committed == Epoch()) return;
  std::vector<GroupTrace> traces = registry_.board()->recorder().Traces(
      assignment->committed, assignment->traced_groups, clock_->Now());
  if (traces.empty() && !told_traces_) return;
  told_traces_ = !traces.empty();
  Step(TracesChanged{std::move(traces)});
}

void AgentRunner::NoteStreamClosed(const StreamClosed& event) {
  if (agent_.state().phase != AgentPhase::kRunning) return;
  std::string said(event.status.message());
  {
    MonitorLock lock(&monitor_);
    if (said == last_stream_error_) return;  // A coordinator that is away is logged once.
    last_stream_error_ = std::move(said);
  }
  Log(LogLevel::kWarning, "worker.stream_closed")
      .Job(agent_.state().options.job)
      .Worker(agent_.state().options.worker)
      .Error(event.status);
}

absl::Duration AgentRunner::TickInterval() const {
  const std::optional<Assignment>& assignment = agent_.state().assignment;
  if (!assignment.has_value()) return kTickIntervalMax;
  const absl::Duration lease = assignment->deadlines.lease;
  if (lease <= absl::ZeroDuration()) return kTickIntervalMax;
  return std::min(kTickIntervalMax, lease / kTicksPerLease);
}

absl::Status AgentRunner::StatusForWaiters(const Finish& effect) const {
  if (!effect.status.ok()) return effect.status;
  const AgentState& state = agent_.state();
  const bool deleted = state.assignment.has_value() && state.assignment->deleted;
  ErrorDetail detail;
  detail.kind = deleted ? ErrorKind::kJobDeleted : ErrorKind::kMemberLeft;
  detail.job = state.options.job;
  return MakeError(absl::StatusCode::kFailedPrecondition,
                   absl::StrCat("job '", state.options.job,
                                "': ", deleted ? "it was deleted" : "this worker has left it"),
                   detail);
}

}  // namespace muster::worker
