#include "worker/core/endings.h"

#include <utility>

#include "common/base/error_detail.h"
#include "worker/core/connection.h"
#include "worker/core/epochs.h"
#include "worker/core/freeing.h"
#include "worker/core/messages.h"
#include "worker/core/report.h"
#include "worker/core/verdicts.h"

namespace muster::worker {
namespace {

// Starts freeing everything; operations that run end with `for_operations`.
void Begin(Move& move, Ending ending, const absl::Status& for_operations) {
  AgentState& state = move.state;
  state.phase = AgentPhase::kEnding;
  state.ending = std::move(ending);
  if (state.link.state == LinkState::kWaiting) state.link.state = LinkState::kShut;
  for (HeldEpoch& held : state.holdings) StartFreeing(move, held, for_operations);
}

// An agent that no epoch made a member: whose fault is it?
int JoinExitCode(const AgentState& state) {
  if (state.last_failure.has_value()) return kExitNotBuilt;
  const bool unknown_job = state.link.state == LinkState::kOpen && !state.assignment.has_value();
  return unknown_job ? kExitRefused : kExitCoordinatorLost;
}

int ExitCodeOf(const AgentState& state, ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kJobDeleted:
      return state.assignment.has_value() ? kExitLeft : kExitRefused;
    case ErrorKind::kStaleIncarnation:
    case ErrorKind::kStaleEpoch:
    case ErrorKind::kEpochConflict:
    case ErrorKind::kSeatTaken:
    case ErrorKind::kMemberLost:
      return kExitFenced;
    case ErrorKind::kDeadlineExceeded:
      return JoinExitCode(state);
    default:
      return kExitRefused;
  }
}

}  // namespace

void OnLeaveRequested(Move& move) {
  const AgentPhase phase = move.state.phase;
  if (phase == AgentPhase::kEnding || phase == AgentPhase::kFinished) return;
  Begin(move, Ending{absl::OkStatus(), kExitLeft, /*close_stream=*/true},
        LeavingStatus(move.state));
}

void EndDeleted(Move& move) {
  Begin(move, Ending{absl::OkStatus(), kExitLeft, /*close_stream=*/false},
        DeletedStatus(move.state));
}

void EndRefused(Move& move, const absl::Status& status) {
  const std::optional<ErrorDetail> detail = DetailOf(status);
  const ErrorKind kind = detail.has_value() ? detail->kind : ErrorKind::kUnknown;
  const int exit_code = ExitCodeOf(move.state, kind);
  const absl::Status told = exit_code == kExitLeft ? absl::OkStatus() : status;
  Begin(move, Ending{told, exit_code, /*close_stream=*/false}, status);
}

void Strand(Move& move, const absl::Status& status) {
  AgentState& state = move.state;
  GiveUpWaiting(move);
  ShutLink(move, /*leaving=*/false);
  state.ending = Ending{status, kExitCoordinatorLost, /*close_stream=*/false};
  state.phase = state.holdings.empty() ? AgentPhase::kFinished : AgentPhase::kStranded;
  move.Emit(Finish{status, kExitCoordinatorLost});
}

void CheckJoinDeadline(Move& move) {
  AgentState& state = move.state;
  const bool waits = state.phase == AgentPhase::kRunning && !state.was_active;
  if (!waits || move.now - state.started < state.options.join_deadline) return;

  bool in_doubt = false;
  for (HeldEpoch& held : state.holdings) {
    if (held.state != HoldingState::kBuilt) continue;
    in_doubt = true;
    TellDoubt(move, held);
  }
  if (in_doubt) return;
  const absl::Status status = JoinDeadlineStatus(state);
  Begin(move, Ending{status, JoinExitCode(state), /*close_stream=*/true}, status);
}

void FinishWhenFree(Move& move) {
  AgentState& state = move.state;
  ForgetFreed(state);
  if (state.phase != AgentPhase::kEnding || !state.holdings.empty()) return;

  state.report_owed = true;
  SendReportIfNeeded(move);
  if (state.ending.close_stream) ShutLink(move, /*leaving=*/true);
  state.link.state = LinkState::kShut;
  state.link.attached = false;
  state.phase = AgentPhase::kFinished;
  move.Emit(Finish{state.ending.status, state.ending.exit_code});
}

}  // namespace muster::worker
