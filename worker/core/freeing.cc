#include "worker/core/freeing.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "worker/core/fence.h"
#include "worker/core/messages.h"
#include "worker/core/verdicts.h"

namespace muster::worker {
namespace {

void AddLeak(AgentState& state, Epoch epoch, std::string what) {
  state.leaks.push_back(Leak{epoch, CutReason(std::move(what))});
  if (state.leaks.size() > static_cast<size_t>(kLeaksMax)) state.leaks.erase(state.leaks.begin());
}

// What the step under way gives back.
std::string StepName(const HeldEpoch& held) {
  return held.to_free == 0 ? "endpoints" : GroupName(held, held.groups[held.to_free - 1].id);
}

void AskForStep(Move& move, const HeldEpoch& held) {
  if (held.to_free == 0) {
    move.Emit(CloseEndpoints{held.epoch});
  } else {
    move.Emit(FreeGroup{held.epoch, held.groups[held.to_free - 1].id});
  }
}

void StartStep(Move& move, HeldEpoch& held) {
  const absl::Duration bound = move.state.assignment->deadlines.abort;
  held.step_by = std::min(move.now + bound, held.free_by);
  AskForStep(move, held);
}

// Gives up the step under way and goes on with the next.
void SkipStep(Move& move, HeldEpoch& held) {
  move.state.answers_due = true;
  AddLeak(move.state, held.epoch, absl::StrCat(StepName(held), ": not given back in time"));
  if (held.to_free == 0) {
    held.freed = true;
    return;
  }
  --held.to_free;
  StartStep(move, held);
}

// Gives up the step under way and waits for none of those left, though all are asked for.
void SkipRest(Move& move, HeldEpoch& held) {
  move.state.answers_due = true;
  std::string names = StepName(held);
  while (held.to_free > 0) {
    --held.to_free;
    AskForStep(move, held);
    absl::StrAppend(&names, ", ", StepName(held));
  }
  AddLeak(move.state, held.epoch, names.append(": not given back in time"));
  held.freed = true;
}

}  // namespace

void StartFreeing(Move& move, HeldEpoch& held, const absl::Status& status) {
  if (held.state == HoldingState::kFreeing) return;
  const bool users_worked =
      held.state == HoldingState::kActive || held.state == HoldingState::kEnded;
  if (held.state == HoldingState::kActive) move.state.reset_peers.clear();

  held.state = HoldingState::kFreeing;
  held.failure.reset();
  held.gates_open = false;
  held.over = status;
  if (!held.opened) {
    held.freed = true;
    return;
  }
  if (!held.aborted) move.Emit(AbortEpoch{held.epoch, status});
  held.aborted = true;
  EndWaiting(move, held.epoch, status);

  const Deadlines& deadlines = move.state.assignment->deadlines;
  held.free_by = move.now + (users_worked ? deadlines.retire : deadlines.abort);
  held.to_free = held.built + (held.building ? 1 : 0);
  StartStep(move, held);
}

void OnGroupFreed(Move& move, const GroupFreed& event) {
  HeldEpoch* held = FindHeld(move.state, event.epoch);
  const bool awaited = held != nullptr && held->state == HoldingState::kFreeing && !held->freed &&
                       held->to_free > 0 && held->groups[held->to_free - 1].id == event.group;
  if (!awaited) return;
  if (!event.leaked.empty()) {
    AddLeak(move.state, held->epoch, absl::StrCat(StepName(*held), ": ", event.leaked));
  }
  --held->to_free;
  StartStep(move, *held);
}

void OnEndpointsClosed(Move& move, const EndpointsClosed& event) {
  HeldEpoch* held = FindHeld(move.state, event.epoch);
  const bool awaited = held != nullptr && held->state == HoldingState::kFreeing && !held->freed &&
                       held->to_free == 0;
  if (awaited) held->freed = true;
}

void CheckFreeingDeadlines(Move& move) {
  for (HeldEpoch& held : move.state.holdings) {
    if (held.state != HoldingState::kFreeing || held.freed) continue;
    if (move.now >= held.free_by) {
      SkipRest(move, held);
    } else if (move.now >= held.step_by) {
      SkipStep(move, held);
    }
  }
}

void ForgetFreed(AgentState& state) {
  std::erase_if(state.holdings, [](const HeldEpoch& held) { return held.freed; });
}

}  // namespace muster::worker
