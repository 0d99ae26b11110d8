#include "tests/simulation/checkers/agent_check.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "tests/simulation/describe.h"
#include "tests/simulation/world.h"
#include "worker/core/invariants.h"

namespace muster::sim {
namespace {

// The epoch that an effect takes apart; 0 if it takes none.
Epoch TakenApart(const worker::Effect& effect) {
  if (const auto* abort = std::get_if<worker::AbortEpoch>(&effect)) return abort->epoch;
  if (const auto* free = std::get_if<worker::FreeGroup>(&effect)) return free->epoch;
  if (const auto* close = std::get_if<worker::CloseEndpoints>(&effect)) return close->epoch;
  return Epoch();
}

// Whether `assignment` leaves open what becomes of `epoch`.
bool LeavesOpen(const Assignment& assignment, Epoch epoch) {
  if (assignment.deleted) return false;
  if (assignment.committed == epoch) return true;
  return assignment.attempt.has_value() && assignment.attempt->epoch == epoch &&
         assignment.attempt->step != AttemptStep::kRollback;
}

}  // namespace

void AgentCheck::Break(std::string_view promise, const std::string& what) {
  world_.verdict.Break(promise, absl::StrCat(world_.processes.NameOf(process_), ": ", what));
}

void AgentCheck::BeforeStep(const worker::Event& event) {
  const Process& process = world_.processes.At(process_);
  const worker::AgentState& state = process.agent();
  before_ = {};
  for (const worker::HeldEpoch& held : state.holdings) {
    before_.holdings.emplace(held.epoch, held.state);
  }
  if (state.assignment.has_value()) {
    before_.store = state.assignment->store;
    before_.term = state.assignment->term;
    before_.revision = state.assignment->revision;
    const Epoch over = state.assignment->committed;
    const bool works_on = state.phase == worker::AgentPhase::kRunning &&
                          !state.assignment->lost.empty() && process.user().epoch() == over &&
                          process.user().job() == state.assignment->job;
    if (works_on) Break("a loss ends the epoch for its users", absl::StrCat("epoch ", over.value));
  }
  if (std::holds_alternative<worker::LeaveRequested>(event)) leaving_ = true;
  if (const auto* closed = std::get_if<worker::StreamClosed>(&event)) {
    refused_ = refused_ || !absl::IsUnavailable(closed->status);
  }
}

void AgentCheck::AfterStep(const worker::Event& event, const std::vector<worker::Effect>& effects) {
  CheckOrder(event);
  CheckSleep(event);
  CheckStranger(event, effects);
  for (const worker::Effect& effect : effects) {
    if (finished_ && !stranded_) Break("an agent that finished does nothing", "");
    const Epoch epoch = TakenApart(effect);
    if (epoch.value != 0) CheckTeardown(epoch, "takes it apart");
    if (const auto* report = std::get_if<worker::SendReport>(&effect)) {
      CheckReport(report->report);
    } else if (const auto* open = std::get_if<worker::OpenStream>(&effect)) {
      CheckReport(open->hello.report);
    } else if (const auto* end = std::get_if<worker::EndEpoch>(&effect)) {
      CheckEnd(*end);
    } else if (const auto* activate = std::get_if<worker::ActivateEpoch>(&effect)) {
      CheckActivate(*activate);
    } else if (const auto* finish = std::get_if<worker::Finish>(&effect)) {
      CheckFinish(*finish);
    }
  }
  const std::vector<std::string> wrong = worker::Violations(world_.processes.At(process_).agent());
  if (!wrong.empty()) Break("an agent keeps its invariants", wrong.front());
}

void AgentCheck::CheckOrder(const worker::Event& event) {
  const worker::AgentState& state = world_.processes.At(process_).agent();
  if (!state.assignment.has_value() || before_.store.value == 0) return;
  const Assignment& now = *state.assignment;
  if (now.job != job_) {
    job_ = now.job;
    ended_.clear();
  }
  if (now.store == before_.store) {
    const bool older =
        std::pair(now.term, now.revision) < std::pair(before_.term, before_.revision);
    if (older) Break("no agent goes back to an older coordinator", Describe(event));
    return;
  }
  const bool holds = std::any_of(before_.holdings.begin(), before_.holdings.end(),
                                 [](const auto& h) { return h.second != HoldingState::kFreeing; });
  if (holds) Break("nothing is adopted by a coordinator that lost its state", Describe(event));
}

// Whoever slept for more than a lease may have been replaced: gates stay closed until it knows.
void AgentCheck::CheckSleep(const worker::Event& event) {
  const Process& process = world_.processes.At(process_);
  const worker::AgentState& state = process.agent();
  const MonotonicTime now = process.clock().At(world_.queue.now());
  const bool slept = last_tick_.has_value() && before_.store.value != 0 &&
                     now - *last_tick_ > state.assignment->deadlines.lease;
  if (slept && state.phase == worker::AgentPhase::kRunning) {
    for (const worker::HeldEpoch& held : state.holdings) {
      if (held.gates_open) Break("gates are closed after a sleep", Describe(event));
    }
  }
  if (slept || std::holds_alternative<worker::Tick>(event)) last_tick_ = now;
}

// A coordinator that lost its state ends an agent that holds something, and changes nothing else.
void AgentCheck::CheckStranger(const worker::Event& event,
                               const std::vector<worker::Effect>& effects) {
  const auto* received = std::get_if<worker::AssignmentReceived>(&event);
  const bool stranger = received != nullptr && before_.store.value != 0 &&
                        received->assignment.store != before_.store;
  const bool runs_on = stranger || (stranded_ && !leaving_);
  if (!runs_on) return;
  for (const worker::Effect& effect : effects) {
    const auto* end = std::get_if<worker::EndEpoch>(&effect);
    const Epoch epoch = end != nullptr ? end->epoch : TakenApart(effect);
    const auto held = before_.holdings.find(epoch);
    if (held == before_.holdings.end() || held->second == HoldingState::kFreeing) continue;
    Break("what runs is not disturbed when the coordinator lost its state", Describe(effect));
  }
}

void AgentCheck::CheckTeardown(Epoch epoch, const char* what) {
  const auto held = before_.holdings.find(epoch);
  if (held == before_.holdings.end() || held->second != HoldingState::kBuilt) return;
  const worker::AgentState& state = world_.processes.At(process_).agent();
  const bool released = leaving_ || refused_ ||
                        (state.assignment.has_value() && !LeavesOpen(*state.assignment, epoch));
  if (released) return;
  Break("what is built waits for the verdict", absl::StrCat(what, ": epoch ", epoch.value));
}

void AgentCheck::CheckReport(const Report& report) {
  if (report.number <= last_report_) Break("reports are numbered upwards", Describe(report));
  last_report_ = report.number;
  if (std::ssize(report.holdings) > kHoldingsMax) {
    Break("at most two epochs hold resources", Describe(report));
  }
  for (const auto& [epoch, resources] : world_.processes.At(process_).shell().epochs()) {
    const auto of_epoch = [id = epoch](const auto& item) { return item.epoch == id; };
    if (std::any_of(report.holdings.begin(), report.holdings.end(), of_epoch)) continue;
    if (resources.Count() == 0) continue;
    const bool said = std::any_of(report.leaks.begin(), report.leaks.end(), of_epoch);
    if (said || report.job != resources.job) continue;
    Break("a rolled back epoch leaves nothing behind",
          absl::StrCat("epoch ", epoch.value, " has ", resources.Count(),
                       " things left when it is reported as freed"));
  }
}

void AgentCheck::CheckEnd(const worker::EndEpoch& effect) {
  const worker::AgentState& state = world_.processes.At(process_).agent();
  ended_.insert(effect.epoch);
  const bool told = state.assignment.has_value() && !state.assignment->lost.empty() &&
                    state.assignment->committed == effect.epoch;
  const auto detail = DetailOf(effect.status);
  const bool named = told && absl::IsUnavailable(effect.status) && detail.has_value() &&
                     !detail->ranks.empty() &&
                     detail->ranks.front() == state.assignment->lost.front().rank;
  if (!named) Break("a loss is told with the name of the lost", DescribeStatus(effect.status));
}

void AgentCheck::CheckActivate(const worker::ActivateEpoch& effect) {
  const worker::AgentState& state = world_.processes.At(process_).agent();
  const bool told = state.assignment.has_value() && state.assignment->committed == effect.epoch &&
                    state.assignment->committed_rank == effect.rank;
  if (!told) Break("nobody is active in what was not committed", Describe(worker::Effect(effect)));
  if (ended_.contains(effect.epoch)) {
    Break("an epoch that ended stays ended", Describe(worker::Effect(effect)));
  }
}

void AgentCheck::CheckFinish(const worker::Finish& effect) {
  finished_ = true;
  const Process& process = world_.processes.At(process_);
  if (process.agent().phase == worker::AgentPhase::kStranded) {
    stranded_ = true;
    if (effect.exit_code != 10) Break("exit codes say why", Describe(worker::Effect(effect)));
    return;
  }
  for (const auto& [epoch, resources] : process.shell().epochs()) {
    const auto& leaks = process.agent().leaks;
    const bool said = std::any_of(leaks.begin(), leaks.end(),
                                  [id = epoch](const Leak& leak) { return leak.epoch == id; });
    if (resources.Count() == 0 || said) continue;
    Break("an agent that finished holds nothing",
          absl::StrCat("epoch ", epoch.value, " has ", resources.Count(), " things left"));
  }
  const bool gone = leaving_ || refused_ ||
                    (process.agent().assignment.has_value() && process.agent().assignment->deleted);
  if (effect.exit_code == 0 && !gone) {
    Break("exit codes say why", Describe(worker::Effect(effect)));
  }
}

}  // namespace muster::sim
