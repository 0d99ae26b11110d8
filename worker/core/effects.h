#ifndef MUSTER_WORKER_CORE_EFFECTS_H_
#define MUSTER_WORKER_CORE_EFFECTS_H_

#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "common/base/ids.h"
#include "common/session/session.h"
#include "worker/core/events.h"

// What an agent wants done, in the order in which it must be done. Imperative.
namespace muster::worker {

// Dials the coordinator and sends `hello`. Answered by StreamOpened or StreamClosed.
struct OpenStream {
  Hello hello;
};

// Ends the stream, if there is one; no StreamClosed follows.
struct CloseStream {
  SessionNumber session;
  // The worker goes for good and holds nothing any more: the coordinator is told that it leaves,
  // stream or not, before the stream ends.
  bool leaving = false;
};

// A newer report may replace one that is not sent yet.
struct SendReport {
  SessionNumber session;
  Report report;
};

// Opens what peers will connect to, for every listed group. Answered by EndpointsOpened or
// BuildFailed.
struct OpenEndpoints {
  Epoch epoch;
  GlobalRank rank;
  std::shared_ptr<const JobSpec> spec;
  std::vector<GroupMembership> groups;  // Built groups only, ascending: the order of building.
};

// Builds one communicator beside those that run. Comes for one group at a time, in the same order
// on every member. Answered by GroupBuilt or BuildFailed.
struct BuildGroup {
  Epoch epoch;
  GroupMembership group;
  std::vector<Peer> peers;  // All other members, by group rank.
  absl::Duration deadline;  // What is left of the build deadline.
};

// Wakes whoever is blocked in a build or an operation of this epoch, at once and for good:
// operations end with `status`. Comes before the frees of the epoch.
struct AbortEpoch {
  Epoch epoch;
  absl::Status status;
};

// Destroys one communicator: local, bounded, never collective. In reverse order of building.
// Answered by GroupFreed.
struct FreeGroup {
  Epoch epoch;
  GroupId group;
};

// Closes what OpenEndpoints opened and whatever else the epoch has. Answered by EndpointsClosed.
struct CloseEndpoints {
  Epoch epoch;
};

// Makes `epoch` the one that users work in, with its gates open. Ends a Join or a recovery that
// waits.
struct ActivateEpoch {
  Epoch epoch;
  GlobalRank rank;
};

// Every operation of the epoch, running or later, in every group, ends with `status`: kUnavailable,
// naming the first lost member.
struct EndEpoch {
  Epoch epoch;
  absl::Status status;
};

// Gates refuse new operations of the epoch with `status` until it is activated again.
struct CloseGates {
  Epoch epoch;
  absl::Status status;
};

struct OpenGates {
  Epoch epoch;
};

// Ends an operation that waits for a verdict.
struct EndOperation {
  OperationId operation;
  absl::Status status;
};

// Looks whether a process still runs; ProcessGone answers if it does not.
struct ProbeProcess {
  ProcessProbe probe;
};

// Nothing more will come of this agent: everything is freed, or, where `status` says that the
// coordinator is lost or another one, what runs may go on. Waiting users get `status`.
//
// `exit_code` is what a supervisor should end with: 0 left or deleted, 10 coordinator lost, 11
// fenced by a newer incarnation, 12 could not be built, 13 refused.
struct Finish {
  absl::Status status;
  int exit_code = 0;
};

using Effect = std::variant<OpenStream, CloseStream, SendReport, OpenEndpoints, BuildGroup,
                            AbortEpoch, FreeGroup, CloseEndpoints, ActivateEpoch, EndEpoch,
                            CloseGates, OpenGates, EndOperation, ProbeProcess, Finish>;

}  // namespace muster::worker

#endif  // MUSTER_WORKER_CORE_EFFECTS_H_
