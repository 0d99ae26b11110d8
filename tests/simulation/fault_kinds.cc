#include "tests/simulation/fault_kinds.h"

namespace muster::sim {

std::string_view Name(FaultKind kind) {
  static constexpr std::array<std::string_view, kFaultKinds> kNames = {
      "loss",           "delay",         "duplicate",     "reorder",         "stream reset",
      "stream cut",     "partition",     "worker crash",  "worker restart",  "worker stop",
      "leave",          "zombie",        "same identity", "same device",     "coord. crash",
      "coord. pause",   "journal delay", "journal full",  "journal unknown", "journal wiped",
      "build error",    "build hang",    "peer reset",    "free leak",       "free hang",
      "old coordinator"};
  return kNames.at(static_cast<size_t>(kind));
}

std::string_view Name(Step step) {
  static constexpr std::array<std::string_view, kSteps + 1> kNames = {
      "waiting", "reserving",    "preparing", "building", "committing",
      "active",  "rolling back", "ended",     "deleting", "none"};
  return kNames.at(static_cast<size_t>(step));
}

Step StepOf(const coordinator::Job& job) {
  if (job.deleted || job.delete_pending) return Step::kDeleting;
  if (job.attempt.has_value()) {
    switch (job.attempt->phase) {
      case coordinator::AttemptPhase::kReserving:
        return Step::kReserving;
      case coordinator::AttemptPhase::kPreparing:
        return Step::kPreparing;
      case coordinator::AttemptPhase::kBuilding:
        return Step::kBuilding;
      case coordinator::AttemptPhase::kCommitting:
        return Step::kCommitting;
      case coordinator::AttemptPhase::kRollingBack:
        return Step::kRollingBack;
    }
  }
  if (!job.committed.has_value()) return Step::kWaiting;
  return job.committed->lost.empty() ? Step::kActive : Step::kEnded;
}

}  // namespace muster::sim
