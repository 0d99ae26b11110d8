#ifndef MUSTER_COMMON_SESSION_SESSION_H_
#define MUSTER_COMMON_SESSION_SESSION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/base/ids.h"
#include "common/layout/layout.h"
#include "common/session/deadlines.h"
#include "common/session/job_spec.h"

// What a worker and its coordinator say to each other, as values. The wire form is in protos/; this
// is the form in which both machines think.
//
// Both directions are level-triggered: a Report is everything the worker has and an Assignment is
// everything it should be; each replaces the one before. Both are numbered, so that an older one
// that arrives late changes nothing, and both are sent again until they are acknowledged.
namespace muster {

// Stable name of a worker across restarts, 1 to kWorkerIdBytesMax bytes; unique in its job.
using WorkerId = std::string;
inline constexpr int kWorkerIdBytesMax = 128;

// Where a worker runs. Two workers are on one host exactly when `host_id` is equal.
struct HostFacts {
  std::string host_id;   // Configured node id, else boot id and namespace facts.
  std::string hostname;  // For people only; never compared.
  std::string boot_id;
  std::string pid_namespace;
  int64_t pid = 0;
  int64_t process_start = 0;  // In clock ticks since boot; tells a reused pid from the old one.

  friend bool operator==(const HostFacts&, const HostFacts&) = default;
};

// The device a worker owns. An empty uuid means that it owns none.
struct DeviceFacts {
  std::string uuid;
  int32_t index = -1;  // Among the devices of the host; -1 if there is none.

  friend bool operator==(const DeviceFacts&, const DeviceFacts&) = default;
};

// What a peer needs to reach one member of one group in one epoch.
struct Endpoint {
  GroupId group;
  GroupRank from;               // Whose endpoint it is.
  std::optional<GroupRank> to;  // For which member; unset: the same bytes for all members.
  std::string bytes;            // Opaque to the coordinator; 1 to kEndpointBytesMax.

  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};
inline constexpr int kEndpointBytesMax = 4096;

// Who is at one place of a group. Every connection proves it before it carries data.
struct Peer {
  GroupId group;
  GroupRank rank;
  GlobalRank global_rank;
  Incarnation incarnation;
  std::string endpoint;  // What this peer offers to the reader; empty until it is known.

  friend bool operator==(const Peer&, const Peer&) = default;
};

// How far one worker is with one epoch. The order is the order of a healthy life.
enum class HoldingState {
  kPreparing,  // Opens endpoints.
  kPrepared,   // Endpoints are open; they are in the report.
  kBuilding,   // Builds communicators.
  kBuilt,      // All built and verified. Waits for the verdict and cannot decide by itself.
  kFailed,     // Could not prepare or build; the report says why. Waits to be rolled back.
  kActive,     // Committed; user threads work in it.
  kEnded,      // Was active; is over for user work because a member was lost.
  kFreeing,    // Gives everything back.
};

// Why a worker could not build an epoch.
struct BuildFailure {
  std::string group;  // Name without the job, as "dit.sp#1"; empty: no group in particular.
  std::optional<GlobalRank> peer;  // Who is accused, if anyone.
  std::string reason;              // For people; at most kReasonBytesMax.

  friend bool operator==(const BuildFailure&, const BuildFailure&) = default;
};
inline constexpr int kReasonBytesMax = 512;

// Resources of one epoch in one worker.
struct Holding {
  Epoch epoch;
  HoldingState state = HoldingState::kPreparing;
  std::optional<BuildFailure> failure;  // Set exactly in kFailed.
  // Set while the coordinator has not said that all are prepared; group order, then `to`.
  std::vector<Endpoint> endpoints;

  friend bool operator==(const Holding&, const Holding&) = default;
};
inline constexpr int kHoldingsMax = 2;  // At most two epochs hold resources at one time.

// What a freed epoch could not give back.
struct Leak {
  Epoch epoch;
  std::string what;

  friend bool operator==(const Leak&, const Leak&) = default;
};

// How far one operation is.
enum class OperationState { kRunning, kDone, kFailed };

// One collective of a group, as one member saw it.
struct OperationRecord {
  uint64_t sequence = 0;  // Among the collectives of the group in its epoch, from 1.
  // What was called, as "all_reduce sum float32 x1024": the same text on members that called the
  // same. At most kOperationBytesMax.
  std::string call;
  OperationState state = OperationState::kRunning;
  absl::Duration age;  // Since it was called.

  friend bool operator==(const OperationRecord&, const OperationRecord&) = default;
};
inline constexpr int kOperationBytesMax = 160;

// The newest collectives of one group, as one member saw them.
struct GroupTrace {
  Epoch epoch;
  std::string group;                     // Without the job, as "dit.sp#1".
  bool trouble = false;                  // The newest one failed or takes long.
  std::vector<OperationRecord> records;  // Sequences ascend without a gap; at most kRecordsMax.

  friend bool operator==(const GroupTrace&, const GroupTrace&) = default;
};
inline constexpr int kRecordsMax = 16;
inline constexpr int kTracesMax = 16;

// Everything a worker is, has and has seen. Sent when it changes and at every heartbeat.
struct Report {
  Incarnation incarnation;
  uint64_t number = 0;  // 1, 2, 3 ... within one incarnation.

  // The newest assignment acted upon; zeros before the first.
  StoreId store;
  Term term;
  Revision revision;

  JobUid job;                            // 0 before the first assignment.
  std::vector<Holding> holdings;         // Ascending by epoch. An epoch that is not here is freed.
  std::vector<Leak> leaks;               // Newest last; at most kLeaksMax.
  std::vector<GlobalRank> reset_peers;   // Of the active epoch: whose connection was reset.
  std::vector<Incarnation> proved_dead;  // Of the assignment's probes: those that run no more.
  uint64_t pong = 0;                     // The newest ping seen.
  std::string doing;  // For people: the operation it is in, as "all_reduce #17 on dit.sp#1".
  // Of groups in trouble, and of those that the coordinator asks for. At most kTracesMax.
  std::vector<GroupTrace> traces;

  friend bool operator==(const Report&, const Report&) = default;
};
inline constexpr int kLeaksMax = 16;

// First message of a stream: who dials, and the state it comes with.
struct Hello {
  std::string job;
  WorkerId worker;
  Incarnation incarnation;
  SessionNumber session;
  HostFacts host;
  DeviceFacts device;
  std::optional<GlobalRank> wanted_rank;
  absl::Duration join_deadline = absl::Minutes(10);  // Left of it, if the job is not known yet.
  Report report;

  friend bool operator==(const Hello&, const Hello&) = default;
};

// A process that may still hold a device. The reader, on the same boot id and pid namespace, can
// look whether (pid, process_start) still runs.
struct ProcessProbe {
  Incarnation incarnation;
  int64_t pid = 0;
  int64_t process_start = 0;

  friend bool operator==(const ProcessProbe&, const ProcessProbe&) = default;
};

// Why a worker counts as lost, strongest evidence first.
enum class LossCause {
  kExit,        // Its supervisor saw it exit.
  kSuperseded,  // A newer process of the same identity took its place.
  kLeft,        // It said that it leaves.
  kReset,       // Its stream was reset and it did not come back, or a peer saw a reset too.
  kSilence,     // Nothing was heard from it for a lease.
  kEarlier,     // It is there, but its epoch was over before this coordinator started.
};

// A lost member, as its peers are told.
struct LostMember {
  GlobalRank rank;
  WorkerId worker;
  std::string hostname;
  Incarnation incarnation;
  LossCause cause = LossCause::kSilence;
  absl::Duration silent_for;  // Since it was last heard, at the time of the loss.
  std::string doing;          // The operation it was last known to be in; may be empty.

  friend bool operator==(const LostMember&, const LostMember&) = default;
};

enum class AttemptStep { kPrepare, kBuild, kRollback };

// An epoch that is being formed, as one member should see it.
struct AttemptView {
  Epoch epoch;
  AttemptStep step = AttemptStep::kPrepare;
  GlobalRank rank;  // The reader's seat in it.
  // In kBuild: the other members of the reader's built groups, ordered by (group, rank).
  std::vector<Peer> peers;

  friend bool operator==(const AttemptView&, const AttemptView&) = default;
};

// Everything a worker should be now. Resources of an epoch that is neither `committed` nor
// `attempt->epoch` are to be freed.
struct Assignment {
  StoreId store;
  Term term;
  Revision revision;

  Incarnation to;
  JobUid job;
  bool deleted = false;  // The job is over: free everything, then leave.
  std::shared_ptr<const JobSpec> spec;
  Generation generation;
  Deadlines deadlines;

  // The committed epoch of which the reader is a member and its seat in it; 0 if there is none.
  Epoch committed;
  GlobalRank committed_rank;
  // Not empty: `committed` is over for user work. The first entry is the first cause.
  std::vector<LostMember> lost;

  std::optional<AttemptView> attempt;

  std::vector<ProcessProbe> probes;
  uint64_t ping = 0;        // Not 0: answer with this number at once.
  std::string waiting_for;  // For people: why there is no progress; may be empty.
  // While no epoch stands: known members whose seats nobody holds now, by rank where that is known.
  std::vector<LostMember> awaited;
  // Groups of the committed epoch whose traces are wanted, as some member is in trouble there. At
  // most kTracesMax.
  std::vector<std::string> traced_groups;
};

}  // namespace muster

#endif  // MUSTER_COMMON_SESSION_SESSION_H_
