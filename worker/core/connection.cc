#include "worker/core/connection.h"

#include <algorithm>
#include <utility>

#include "common/base/error_detail.h"
#include "worker/core/endings.h"
#include "worker/core/fence.h"
#include "worker/core/messages.h"
#include "worker/core/report.h"

namespace muster::worker {
namespace {

// A number that looks random and follows from `n`.
uint64_t Scramble(uint64_t n) {
  n += 0x9E3779B97F4A7C15;
  n = (n ^ (n >> 30)) * 0xBF58476D1CE4E5B9;
  n = (n ^ (n >> 27)) * 0x94D049BB133111EB;
  return n ^ (n >> 31);
}

absl::Duration RedialPause(const AgentState& state) {
  absl::Duration pause = kRedialPauseMin;
  for (int64_t i = 1; i < state.link.failures && pause < kRedialPauseMax; ++i) pause *= 2;
  pause = std::min(pause, kRedialPauseMax);

  const auto session = static_cast<uint64_t>(state.link.session.value);
  const auto thousandths =
      static_cast<int64_t>(Scramble(state.options.seed ^ Scramble(session)) % 501);
  return pause - pause * thousandths / 1000;
}

void Detach(Move& move) {
  Link& link = move.state.link;
  if (!link.attached) return;
  link.attached = false;
  link.detached_since = move.now;
}

void Attach(Move& move) {
  move.state.link.attached = true;
  move.state.link.failures = 0;
}

void RedialLater(Move& move) {
  Detach(move);
  Link& link = move.state.link;
  ++link.failures;
  link.state = LinkState::kWaiting;
  link.redial_at = move.now + RedialPause(move.state);
}

void EndStreamAndRedialLater(Move& move) {
  move.Emit(CloseStream{move.state.link.session});
  RedialLater(move);
}

ErrorKind KindOf(const absl::Status& status) {
  const std::optional<ErrorDetail> detail = DetailOf(status);
  return detail.has_value() ? detail->kind : ErrorKind::kUnknown;
}

bool MayComeBack(const absl::Status& status) {
  const ErrorKind kind = KindOf(status);
  return absl::IsUnavailable(status) || kind == ErrorKind::kStaleSession ||
         kind == ErrorKind::kLowerTerm || kind == ErrorKind::kMailboxFull;
}

// Forgets the coordinator and job known so far. Nothing is held of them.
void Forget(AgentState& state) {
  state.assignment.reset();
  state.highest_entered = Epoch();
  state.last_failure.reset();
  state.probed.clear();
  state.proved_dead.clear();
  state.leaks.clear();
  state.pong = 0;
}

// The coordinator does not know the store that our report names.
void OnStateLost(Move& move, const absl::Status& status) {
  if (HoldsAnything(move.state) && !HoldsOnlyFreeing(move.state)) {
    Strand(move, status);
    return;
  }
  if (!HoldsAnything(move.state)) Forget(move.state);
  RedialLater(move);
}

void Adopt(Move& move, const Assignment& assignment) {
  AgentState& state = move.state;
  const bool other_job =
      state.assignment.has_value() &&
      (state.assignment->store != assignment.store || state.assignment->job != assignment.job);
  if (other_job) Forget(state);

  state.assignment = assignment;
  if (assignment.ping != 0) state.pong = assignment.ping;

  std::set<Incarnation> listed;
  for (const ProcessProbe& probe : assignment.probes) listed.insert(probe.incarnation);
  const auto not_listed = [&listed](Incarnation incarnation) {
    return !listed.contains(incarnation);
  };
  std::erase_if(state.probed, not_listed);
  std::erase_if(state.proved_dead, not_listed);
}

}  // namespace

void Dial(Move& move) {
  AgentState& state = move.state;
  ++state.link.session.value;
  state.link.state = LinkState::kDialing;

  Hello hello;
  hello.job = state.options.job;
  hello.worker = state.options.worker;
  hello.incarnation = state.options.incarnation;
  hello.session = state.link.session;
  hello.host = state.options.host;
  hello.device = state.options.device;
  hello.wanted_rank = state.options.wanted_rank;
  hello.join_deadline =
      std::max(state.options.join_deadline - (move.now - state.started), absl::ZeroDuration());
  hello.report = TakeReport(move);
  move.Emit(OpenStream{std::move(hello)});
}

void ShutLink(Move& move, bool leaving) {
  Link& link = move.state.link;
  const bool streaming = link.state == LinkState::kDialing || link.state == LinkState::kOpen;
  if (streaming || leaving) move.Emit(CloseStream{link.session, leaving});
  Detach(move);
  link.state = LinkState::kShut;
}

void OnStreamOpened(Move& move, const StreamOpened& event) {
  if (!IsCurrentStream(move.state, event.session)) return;
  move.state.link.state = LinkState::kOpen;
}

void OnStreamClosed(Move& move, const StreamClosed& event) {
  AgentState& state = move.state;
  if (!IsCurrentStream(state, event.session)) return;
  if (state.phase == AgentPhase::kEnding) {
    Detach(move);
    state.link.state = LinkState::kShut;
    return;
  }
  if (MayComeBack(event.status)) {
    RedialLater(move);
    return;
  }
  Detach(move);
  state.link.state = LinkState::kShut;
  const ErrorKind kind = KindOf(event.status);
  const bool state_lost =
      kind == ErrorKind::kUnknownStore || (kind == ErrorKind::kUnknownJob && HoldsAnything(state));
  if (state_lost) {
    OnStateLost(move, event.status);
  } else {
    EndRefused(move, event.status);
  }
}

void OnAssignmentReceived(Move& move, const AssignmentReceived& event) {
  AgentState& state = move.state;
  if (!IsCurrentStream(state, event.session)) return;
  state.link.state = LinkState::kOpen;

  const FenceResult result = JudgeAssignment(state, event.assignment);
  switch (result) {
    case FenceResult::kAdopt:
      Adopt(move, event.assignment);
      Attach(move);
      return;
    case FenceResult::kDuplicate:
      Attach(move);
      state.report_owed = true;
      return;
    case FenceResult::kIgnore:
      return;
    case FenceResult::kLowerTerm:
    case FenceResult::kNotYet:
    case FenceResult::kStranger:
      break;
  }
  if (state.phase == AgentPhase::kEnding) {
    ShutLink(move, /*leaving=*/false);
  } else if (result == FenceResult::kStranger) {
    Strand(move, StrangerStatus(state, event.assignment));
  } else {
    EndStreamAndRedialLater(move);
  }
}

void RedialWhenDue(Move& move) {
  const Link& link = move.state.link;
  if (link.state == LinkState::kWaiting && move.now >= link.redial_at) Dial(move);
}

void NoticeSleep(Move& move) {
  AgentState& state = move.state;
  if (state.phase != AgentPhase::kRunning || !state.assignment.has_value()) return;
  const absl::Duration slept = move.now - state.last_tick;
  if (slept <= state.assignment->deadlines.lease) return;

  state.last_tick = move.now;
  HeldEpoch* active = FindActive(state);
  if (active != nullptr && active->gates_open) {
    active->gates_open = false;
    move.Emit(CloseGates{active->epoch, SleptStatus(state, active->epoch, slept)});
  }
  if (state.link.state != LinkState::kWaiting) move.Emit(CloseStream{state.link.session});
  Detach(move);
  Dial(move);
}

void ReopenGates(Move& move) {
  HeldEpoch* active = FindActive(move.state);
  if (active == nullptr || active->gates_open || !move.state.link.attached) return;
  active->gates_open = true;
  move.Emit(OpenGates{active->epoch});
}

}  // namespace muster::worker
