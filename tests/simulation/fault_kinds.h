#ifndef MUSTER_TESTS_SIMULATION_FAULT_KINDS_H_
#define MUSTER_TESTS_SIMULATION_FAULT_KINDS_H_

#include <array>
#include <cstddef>
#include <string_view>

#include "coordinator/core/state.h"

namespace muster::sim {

// What can go wrong. The kinds up to kAnywhereCount strike at any step of a transition and are
// counted by step; the others belong to one step by their nature.
enum class FaultKind {
  kLoss,           // A message is lost.
  kDelay,          // A message is very late.
  kDuplicate,      // A message comes twice.
  kReorder,        // A message overtakes others.
  kStreamReset,    // A stream breaks; each side learns of it in its own time, or only by silence.
  kStreamCut,      // The coordinator's server ends a stream on purpose.
  kPartition,      // Nothing passes between a worker and the coordinator for a while.
  kWorkerCrash,    // A process ends at once; what it held is gone.
  kWorkerRestart,  // A process ends and its successor starts at once.
  kWorkerStop,     // A process stands still for a while, its streams do not.
  kLeave,          // A user wants out.
  kZombie,         // A successor starts while its predecessor is cut off or stands still.
  kDuplicateIdentity,  // Another process takes the name of one that is alive and well.
  kDuplicateDevice,    // A process of another name takes the device of one that is alive.
  kCoordinatorCrash,   // The coordinator ends and starts again over the same journal.
  kCoordinatorPause,   // The coordinator stands still for a while.
  kJournalDelay,       // The journal's answers are late.
  kJournalFull,        // The journal has no room.
  kJournalUnknown,     // Nobody knows whether a write is on disk.
  kJournalWiped,       // The coordinator ends and starts again over an empty journal.
  kAnywhereCount,

  kBuildError = kAnywhereCount,  // A member's next endpoint or communicator cannot be made.
  kBuildHang,                    // A member's next communicator never gets anywhere.
  kPeerReset,                    // A connection between two members that are alive breaks.
  kFreeLeak,                     // Something cannot be given back.
  kFreeHang,                     // Giving something back takes for ever.
  kOldCoordinator,               // A worker dials an earlier coordinator that should have ended.
  kCount,
};

inline constexpr size_t kFaultKinds = static_cast<size_t>(FaultKind::kCount);
inline constexpr size_t kAnywhereFaultKinds = static_cast<size_t>(FaultKind::kAnywhereCount);

// Where a job is in its life, as a fault finds it.
enum class Step {
  kWaiting,
  kReserving,
  kPreparing,
  kBuilding,
  kCommitting,
  kActive,
  kRollingBack,
  kEnded,
  kDeleting,
  kCount,

  kNone = kCount,  // The coordinator is down, or has no such job.
};

inline constexpr size_t kSteps = static_cast<size_t>(Step::kCount);

std::string_view Name(FaultKind kind);
std::string_view Name(Step step);

// The step of `job` as its coordinator sees it.
Step StepOf(const coordinator::Job& job);

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_FAULT_KINDS_H_
