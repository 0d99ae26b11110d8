#include "worker/core/verdicts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "worker/core/fence.h"
#include "worker/core/messages.h"

namespace muster::worker {
namespace {

// Takes out the waiting operations that `which` picks, in their order.
template <typename Predicate>
std::vector<WaitingOperation> TakeWaiting(AgentState& state, Predicate which) {
  std::vector<WaitingOperation> taken;
  std::vector<WaitingOperation> kept;
  for (WaitingOperation& operation : state.waiting) {
    (which(operation) ? taken : kept).push_back(std::move(operation));
  }
  state.waiting = std::move(kept);
  return taken;
}

void EndUnconfirmed(Move& move, const std::vector<WaitingOperation>& operations) {
  for (const WaitingOperation& operation : operations) {
    move.Emit(EndOperation{operation.operation, UnconfirmedStatus(move.state, operation)});
  }
}

}  // namespace

void OnOperationFailed(Move& move, const OperationFailed& event) {
  const HeldEpoch* held = FindHeld(move.state, event.epoch);
  const bool over = held != nullptr &&
                    (held->state == HoldingState::kEnded || held->state == HoldingState::kFreeing);
  if (over) {
    move.Emit(EndOperation{event.operation, held->over});
    return;
  }
  if (held == nullptr || held->state != HoldingState::kActive) {
    move.Emit(EndOperation{event.operation, NotActiveStatus(move.state, event.epoch)});
    return;
  }
  const absl::Duration wait = std::min(move.state.assignment->deadlines.verdict, event.patience);
  const bool verdict_may_come = move.state.phase == AgentPhase::kRunning;
  const WaitingOperation operation{event.operation, event.epoch, event.suspect, event.what,
                                   move.now + wait};
  if (!verdict_may_come || wait <= absl::ZeroDuration()) {
    EndUnconfirmed(move, {operation});
  } else {
    move.state.waiting.push_back(operation);
  }
}

void OnPeerReset(Move& move, const PeerReset& event) {
  const HeldEpoch* held = FindHeld(move.state, event.epoch);
  if (held == nullptr || held->state != HoldingState::kActive) return;
  move.state.reset_peers.insert(event.peer);
}

void EndWaiting(Move& move, Epoch epoch, const absl::Status& status) {
  const auto of_epoch = [epoch](const WaitingOperation& operation) {
    return operation.epoch == epoch;
  };
  for (const WaitingOperation& operation : TakeWaiting(move.state, of_epoch)) {
    move.Emit(EndOperation{operation.operation, status});
  }
}

void ExpireWaiting(Move& move) {
  const MonotonicTime now = move.now;
  EndUnconfirmed(move, TakeWaiting(move.state, [now](const WaitingOperation& operation) {
                   return now >= operation.until;
                 }));
}

void GiveUpWaiting(Move& move) { EndUnconfirmed(move, std::exchange(move.state.waiting, {})); }

}  // namespace muster::worker
