#ifndef MUSTER_WORKER_CORE_AGENT_STATE_H_
#define MUSTER_WORKER_CORE_AGENT_STATE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/layout/layout.h"
#include "common/session/session.h"
#include "worker/core/events.h"

namespace muster::worker {

// Who an agent is and what its user asked for. Fixed for the life of the agent.
struct AgentOptions {
  std::string job;
  WorkerId worker;
  Incarnation incarnation;  // Not 0.
  HostFacts host;
  DeviceFacts device;
  std::optional<GlobalRank> wanted_rank;
  // From the making of the agent to its first active epoch.
  absl::Duration join_deadline = absl::Minutes(10);
  // Source of the jitter between two dials. Agents that start together should differ in it.
  uint64_t seed = 1;
};

enum class LinkState {
  kWaiting,  // Dials when Link::redial_at comes.
  kDialing,  // OpenStream is not answered yet.
  kOpen,
  kShut,  // Never dials again.
};

// The stream to the coordinator.
struct Link {
  LinkState state = LinkState::kWaiting;
  SessionNumber session;    // Of the newest dial; 0 before the first.
  int64_t failures = 0;     // Dials in a row that led to no assignment.
  MonotonicTime redial_at;  // In kWaiting.
  // An assignment of the known coordinator came on this very stream, so what we know is fresh.
  bool attached = false;
  MonotonicTime detached_since;  // While not attached.
};

// One epoch that has resources here.
struct HeldEpoch {
  Epoch epoch;
  GlobalRank rank;  // Our seat in it.
  HoldingState state = HoldingState::kPreparing;
  std::optional<BuildFailure> failure;  // Set in kFailed.

  std::shared_ptr<const JobSpec> spec;
  std::optional<Layout> layout;         // Unset if the spec gives none; then nothing was opened.
  std::vector<GroupMembership> groups;  // Those with a communicator, in the order of building.
  std::vector<Endpoint> endpoints;      // Ours, by (group, to).

  bool opened = false;     // OpenEndpoints was asked for; else there is nothing to free.
  bool building = false;   // BuildGroup of groups[built] is not answered yet.
  size_t built = 0;        // groups[0, built) stand.
  MonotonicTime deadline;  // Of preparing, then of building.

  bool gates_open = false;      // Users may start operations.
  bool aborted = false;         // AbortEpoch was asked for.
  bool doubt_was_told = false;  // Waiting users were told that the verdict is not known.
  absl::Status over;            // In kEnded and kFreeing: what operations of it end with.

  // In kFreeing. FreeGroup of groups[to_free - 1] is not answered yet; at 0 CloseEndpoints is not.
  size_t to_free = 0;
  MonotonicTime step_by;  // When the step under way is given up.
  MonotonicTime free_by;  // When all that is left is given up.
  bool freed = false;     // All is given back or given up.
};

// An operation that met a transport error and waits to be told why.
struct WaitingOperation {
  OperationId operation;
  Epoch epoch;
  std::optional<GlobalRank> suspect;
  std::string what;
  MonotonicTime until;
};

enum class AgentPhase {
  kRunning,
  kEnding,    // Frees everything; Finish follows.
  kStranded,  // Finished because the coordinator lost its state. What is held runs on.
  kFinished,  // Nothing is held.
};

// What Finish will say, and the farewell before it.
struct Ending {
  absl::Status status;
  int exit_code = 0;
  bool close_stream = false;  // We say goodbye. Else the other side closes, or has closed.
};

// Everything that an agent knows.
struct AgentState {
  AgentOptions options;
  MonotonicTime started;
  MonotonicTime last_tick;
  AgentPhase phase = AgentPhase::kRunning;
  Ending ending;  // From kEnding on.

  Link link;

  std::optional<Assignment> assignment;  // The newest one adopted.
  std::vector<HeldEpoch> holdings;       // Ascending by epoch; at most kHoldingsMax.
  Epoch highest_entered;                 // Of this job; none up to it is entered again.
  // An epoch was let go while an answer of the shell about it was still due. Its number must not
  // come back, as it could under another coordinator's job.
  bool answers_due = false;
  bool was_active = false;                   // Some epoch was active once.
  std::optional<BuildFailure> last_failure;  // Of any attempt.

  std::vector<WaitingOperation> waiting;  // In the order in which they came.
  std::set<GlobalRank> reset_peers;       // Of the active epoch.
  std::set<Incarnation> probed;           // Of the assignment's probes: looked for already ...
  std::set<Incarnation> proved_dead;      // ... and found gone.
  uint64_t pong = 0;                      // The newest ping seen.
  std::vector<Leak> leaks;                // Newest last; at most kLeaksMax.
  std::string doing;
  std::vector<GroupTrace> traces;

  uint64_t reports = 0;               // Number of the newest one.
  std::optional<Report> last_report;  // The newest one, in a Hello or by itself.
  MonotonicTime report_due;
  bool report_owed = false;  // The newest one may have been lost.
};

}  // namespace muster::worker

#endif  // MUSTER_WORKER_CORE_AGENT_STATE_H_
