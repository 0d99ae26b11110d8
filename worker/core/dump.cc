#include "worker/core/dump.h"

#include "absl/strings/str_cat.h"
#include "common/base/string_view.h"

namespace muster::worker {
namespace {

std::string_view PhaseName(AgentPhase phase) {
  switch (phase) {
    case AgentPhase::kRunning:
      return "running";
    case AgentPhase::kEnding:
      return "ending";
    case AgentPhase::kStranded:
      return "stranded";
    case AgentPhase::kFinished:
      return "finished";
  }
  return "?";
}

std::string_view LinkName(LinkState state) {
  switch (state) {
    case LinkState::kWaiting:
      return "waiting";
    case LinkState::kDialing:
      return "dialing";
    case LinkState::kOpen:
      return "open";
    case LinkState::kShut:
      return "shut";
  }
  return "?";
}

std::string DumpHeld(const HeldEpoch& held) {
  std::string line =
      absl::StrCat("  epoch ", held.epoch.value, " ", ToAbsl(HoldingStateName(held.state)),
                   " rank=", held.rank.value, " built=", held.built, "/", held.groups.size());
  if (held.building) absl::StrAppend(&line, " building");
  if (held.gates_open) absl::StrAppend(&line, " gates=open");
  if (held.doubt_was_told) absl::StrAppend(&line, " doubt_told");
  if (held.state == HoldingState::kFreeing) absl::StrAppend(&line, " to_free=", held.to_free);
  if (held.failure.has_value()) absl::StrAppend(&line, " failure='", held.failure->reason, "'");
  return line.append("\n");
}

}  // namespace

std::string_view HoldingStateName(HoldingState state) {
  switch (state) {
    case HoldingState::kPreparing:
      return "preparing";
    case HoldingState::kPrepared:
      return "prepared";
    case HoldingState::kBuilding:
      return "building";
    case HoldingState::kBuilt:
      return "built";
    case HoldingState::kFailed:
      return "failed";
    case HoldingState::kActive:
      return "active";
    case HoldingState::kEnded:
      return "ended";
    case HoldingState::kFreeing:
      return "freeing";
  }
  return "?";
}

std::string Dump(const AgentState& state) {
  std::string text =
      absl::StrCat("agent ", state.options.worker, " ", ToAbsl(PhaseName(state.phase)),
                   " stream=", state.link.session.value, " ", ToAbsl(LinkName(state.link.state)));
  if (state.link.attached) absl::StrAppend(&text, " attached");
  if (state.assignment.has_value()) {
    absl::StrAppend(&text, " at=store:", state.assignment->store.value,
                    " term:", state.assignment->term.value,
                    " rev:", state.assignment->revision.value);
  }
  if (!state.waiting.empty()) absl::StrAppend(&text, " waiting_ops=", state.waiting.size());
  if (!state.leaks.empty()) absl::StrAppend(&text, " leaks=", state.leaks.size());
  text.append("\n");
  for (const HeldEpoch& held : state.holdings) text.append(DumpHeld(held));
  return text;
}

}  // namespace muster::worker
