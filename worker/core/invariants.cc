#include "worker/core/invariants.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/string_view.h"
#include "worker/core/dump.h"

namespace muster::worker {
namespace {

// Collects the sentences whose condition does not hold.
class Findings {
 public:
  void Want(bool holds, std::string sentence) {
    if (!holds) found_.push_back(std::move(sentence));
  }
  std::vector<std::string> Take() { return std::move(found_); }

 private:
  std::vector<std::string> found_;
};

bool IsComplete(const HeldEpoch& held) {
  return held.built == held.groups.size() && !held.building;
}

void CheckHeld(const AgentState& state, const HeldEpoch& held, Findings& findings) {
  const HoldingState at = held.state;
  const std::string who =
      absl::StrCat("epoch ", held.epoch.value, " (", ToAbsl(HoldingStateName(at)), ") ");

  findings.Want(held.epoch.value > 0 && held.epoch <= state.highest_entered,
                who + "was never entered");
  const auto out_of_order = std::adjacent_find(
      held.groups.begin(), held.groups.end(),
      [](const GroupMembership& a, const GroupMembership& b) { return a.id >= b.id; });
  findings.Want(out_of_order == held.groups.end(), who + "has groups that do not ascend");
  findings.Want(held.built <= held.groups.size() && held.to_free <= held.groups.size(),
                who + "counts more groups than it has");

  const bool may_build =
      at == HoldingState::kBuilding || at == HoldingState::kFailed || at == HoldingState::kFreeing;
  findings.Want(!held.building || (may_build && held.built < held.groups.size()),
                who + "builds a group out of turn");
  const bool was_built =
      at == HoldingState::kBuilt || at == HoldingState::kActive || at == HoldingState::kEnded;
  findings.Want(!was_built || IsComplete(held), who + "lacks groups");
  findings.Want((at == HoldingState::kFailed) == held.failure.has_value(),
                who + "has a failure exactly when it did not fail");
  findings.Want(!held.gates_open || at == HoldingState::kActive, who + "has open gates");
  findings.Want(!was_built || !held.aborted, who + "was aborted");
  findings.Want(!held.freed, who + "is freed and still held");
}

void CheckHoldings(const AgentState& state, Findings& findings) {
  int64_t active = 0;
  int64_t ended = 0;
  for (size_t i = 0; i < state.holdings.size(); ++i) {
    const HeldEpoch& held = state.holdings[i];
    CheckHeld(state, held, findings);
    if (held.state == HoldingState::kActive) ++active;
    if (held.state == HoldingState::kEnded) ++ended;
    findings.Want(i == 0 || state.holdings[i - 1].epoch < held.epoch,
                  "the holdings do not ascend by epoch");
  }
  findings.Want(
      std::ssize(state.holdings) <= kHoldingsMax,
      absl::StrCat(state.holdings.size(), " epochs are held, want at most ", kHoldingsMax));
  findings.Want(active + ended <= 1, "users were let into two epochs at one time");
}

void CheckPhase(const AgentState& state, Findings& findings) {
  const bool all_freeing =
      std::all_of(state.holdings.begin(), state.holdings.end(),
                  [](const HeldEpoch& held) { return held.state == HoldingState::kFreeing; });
  findings.Want(state.phase != AgentPhase::kFinished || state.holdings.empty(),
                "a finished agent holds epochs");
  findings.Want(state.phase != AgentPhase::kEnding || all_freeing,
                "an ending agent does not free all it holds");
  findings.Want(state.phase == AgentPhase::kRunning || state.waiting.empty(),
                "an operation waits for a verdict that will not come");
  findings.Want(state.phase == AgentPhase::kRunning || state.phase == AgentPhase::kEnding ||
                    state.link.state == LinkState::kShut,
                "an agent has a stream after its end");
  findings.Want(!state.link.attached || state.link.state == LinkState::kOpen,
                "the agent is attached without a stream");
}

void CheckActive(const AgentState& state, Findings& findings) {
  const auto active =
      std::find_if(state.holdings.begin(), state.holdings.end(),
                   [](const HeldEpoch& held) { return held.state == HoldingState::kActive; });
  if (active == state.holdings.end()) {
    findings.Want(state.waiting.empty(), "an operation waits, and no epoch is active");
    findings.Want(state.reset_peers.empty(), "peers are suspected, and no epoch is active");
    return;
  }
  findings.Want(state.assignment.has_value() && state.assignment->committed == active->epoch,
                absl::StrCat("epoch ", active->epoch.value, " is active but not committed"));
  for (const WaitingOperation& operation : state.waiting) {
    findings.Want(operation.epoch == active->epoch,
                  absl::StrCat("operation ", operation.operation.value,
                               " waits, and its epoch is not active"));
  }
}

}  // namespace

std::vector<std::string> Violations(const AgentState& state) {
  Findings findings;
  CheckHoldings(state, findings);
  CheckPhase(state, findings);
  CheckActive(state, findings);
  findings.Want(std::ssize(state.leaks) <= kLeaksMax, "too many leaks are kept");
  return findings.Take();
}

}  // namespace muster::worker
