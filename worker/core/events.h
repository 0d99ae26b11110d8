#ifndef MUSTER_WORKER_CORE_EVENTS_H_
#define MUSTER_WORKER_CORE_EVENTS_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/ids.h"
#include "common/session/session.h"

// What can happen to a worker's agent. Past tense; the time comes beside the event.
namespace muster::worker {

// Names one operation of a user that waits. Drawn by the shell.
using OperationId = TaggedId<struct OperationIdTag, uint64_t>;

// The stream that OpenStream asked for stands and its Hello is sent.
struct StreamOpened {
  SessionNumber session;
};

// The stream ended or could not be opened. `status` is the coordinator's word if it closed it
// (kUnavailable: come back), else kUnavailable.
struct StreamClosed {
  SessionNumber session;
  absl::Status status;
};

struct AssignmentReceived {
  SessionNumber session;
  Assignment assignment;
};

// Answers OpenEndpoints.
struct EndpointsOpened {
  Epoch epoch;
  std::vector<Endpoint> endpoints;
};

// Answers BuildGroup: the communicator stands and every member's identity and order is proved.
struct GroupBuilt {
  Epoch epoch;
  GroupId group;
};

// Answers OpenEndpoints or BuildGroup.
struct BuildFailed {
  Epoch epoch;
  BuildFailure failure;
};

// Answers FreeGroup. `leaked` is empty if all was given back.
struct GroupFreed {
  Epoch epoch;
  GroupId group;
  std::string leaked;
};

// Answers CloseEndpoints: the last step of freeing an epoch.
struct EndpointsClosed {
  Epoch epoch;
};

// A connection of the active epoch was reset by `peer`.
struct PeerReset {
  Epoch epoch;
  GlobalRank peer;
};

// An operation met a transport error and waits for the coordinator's verdict, at most for
// `patience` (what is left of its own deadline).
struct OperationFailed {
  OperationId operation;
  Epoch epoch;
  std::optional<GlobalRank> suspect;
  std::string what;  // As "all_reduce #17 on dit.sp#1".
  absl::Duration patience;
};

// A user entered or left an operation; empty: none is running.
struct DoingChanged {
  std::string doing;
};

// What users did in groups that are in trouble or whose traces are wanted; see Report::traces.
struct TracesChanged {
  std::vector<GroupTrace> traces;
};

// Answers ProbeProcess, only if the process runs no more.
struct ProcessGone {
  Incarnation incarnation;
};

// The user wants out.
struct LeaveRequested {};

// Time passed. Comes at least every kTickInterval from a thread that no user code can block.
struct Tick {};

using Event =
    std::variant<StreamOpened, StreamClosed, AssignmentReceived, EndpointsOpened, GroupBuilt,
                 BuildFailed, GroupFreed, EndpointsClosed, PeerReset, OperationFailed, DoingChanged,
                 TracesChanged, ProcessGone, LeaveRequested, Tick>;

}  // namespace muster::worker

#endif  // MUSTER_WORKER_CORE_EVENTS_H_
