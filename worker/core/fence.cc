#include "worker/core/fence.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster::worker {
namespace {

FenceResult JudgeStranger(const AgentState& state) {
  if (!HoldsAnything(state)) return FenceResult::kAdopt;
  return HoldsOnlyFreeing(state) ? FenceResult::kNotYet : FenceResult::kStranger;
}

}  // namespace

FenceResult JudgeAssignment(const AgentState& state, const Assignment& assignment) {
  if (assignment.to != state.options.incarnation) return FenceResult::kIgnore;
  if (!state.assignment.has_value()) return FenceResult::kAdopt;

  const Assignment& known = *state.assignment;
  if (assignment.store != known.store) return JudgeStranger(state);
  if (assignment.term < known.term) return FenceResult::kLowerTerm;

  const auto offered = std::pair(assignment.term, assignment.revision);
  const auto newest = std::pair(known.term, known.revision);
  if (offered < newest) return FenceResult::kIgnore;
  if (assignment.job != known.job) return JudgeStranger(state);
  return offered == newest ? FenceResult::kDuplicate : FenceResult::kAdopt;
}

bool IsCurrentStream(const AgentState& state, SessionNumber session) {
  const bool wanted =
      state.link.state == LinkState::kDialing || state.link.state == LinkState::kOpen;
  return wanted && session == state.link.session;
}

bool HoldsAnything(const AgentState& state) { return !state.holdings.empty() || state.answers_due; }

bool HoldsOnlyFreeing(const AgentState& state) {
  return !state.answers_due &&
         std::all_of(state.holdings.begin(), state.holdings.end(),
                     [](const HeldEpoch& held) { return held.state == HoldingState::kFreeing; });
}

HeldEpoch* FindHeld(AgentState& state, Epoch epoch) {
  const auto at = std::find_if(state.holdings.begin(), state.holdings.end(),
                               [epoch](const HeldEpoch& held) { return held.epoch == epoch; });
  return at == state.holdings.end() ? nullptr : &*at;
}

HeldEpoch* FindActive(AgentState& state) {
  const auto at =
      std::find_if(state.holdings.begin(), state.holdings.end(),
                   [](const HeldEpoch& held) { return held.state == HoldingState::kActive; });
  return at == state.holdings.end() ? nullptr : &*at;
}

bool MayEnter(const AgentState& state, Epoch epoch) {
  return epoch > state.highest_entered && std::ssize(state.holdings) < kHoldingsMax;
}

}  // namespace muster::worker
