#ifndef MUSTER_WORKER_COMM_BACKEND_H_
#define MUSTER_WORKER_COMM_BACKEND_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/ids.h"
#include "common/layout/layout.h"
#include "common/session/session.h"
#include "worker/comm/communicator.h"

namespace muster {

// A group that this process is to be a member of.
struct NamedGroup {
  GroupMembership membership;
  std::string name;  // In full, as "wan/dit.sp#1"; the same on every member.
};

// Whether the ranks of an operation compare what they called before its data moves.
enum class CallChecks {
  // They do. Calls that do not fit together are refused on all ranks, and leave the group usable.
  kOn,

  // They do only where that is the operation itself: where all ranks give something, as much as
  // fits beside a header, and in a barrier. Every other operation moves its data at once, which
  // saves a round of small messages. What is lost:
  // - Ranks whose calls do not fit together, or one of which refuses its arguments, wait for each
  //   other until the deadline. The group is broken then, and the error names who was waited for,
  //   not who was wrong. On a rank that needs nothing of the wrong one the operation may end well.
  // - Calls are told apart by 24 bits of a hash: once in 16 million times a rank would take data of
  //   another call.
  // - An operation without data does not synchronize the ranks, unless all of them give something.
  // A call that a rank refuses counts as not made.
  kOff,
};

// Who this process is in an epoch, and which groups it will build there.
struct EpochPlan {
  JobUid job;
  Epoch epoch;
  GlobalRank rank;
  Incarnation incarnation;
  std::vector<NamedGroup> groups;
  CallChecks call_checks = CallChecks::kOn;  // The same on all members.

  // Called, if set, when a peer's connection in a communicator of this epoch is lost without a
  // goodbye: at most once per communicator and peer, from a thread of the backend, until that
  // communicator is destroyed. Must not block and must not call into the backend.
  std::function<void(GlobalRank peer)> on_peer_reset;
};

// What this process holds open for the groups of one epoch that are not built yet.
//
// Lifetime: destroying it closes everything that no communicator took over, at once and without
// asking any peer. It must not be destroyed while Build() runs. Communicators live on without it.
//
// Thread safety: Abort() from any thread, at any time; everything else from one thread at a time.
class EpochEndpoints {
 public:
  virtual ~EpochEndpoints() = default;

  // What peers need to connect: to be handed to them, each member getting those meant for it. In
  // the order of EpochPlan::groups, then of `to`. Groups of one have none.
  virtual const std::vector<Endpoint>& endpoints() const = 0;

  // Builds the communicator of one planned group, together with its other members, who must do the
  // same. `peers` are all of them, in the order of their group ranks, each with what it offers to
  // this process. Every connection first proves who is at its ends: job, epoch, group, group rank
  // and incarnation, both ways; then all members prove to each other that they have the same order.
  //
  // Blocks until the communicator stands, the first error, or `deadline` from now. A group can be
  // tried once; whatever was opened for it is closed on an error.
  //
  // Errors; the detail names the group and, where there is one, the peer to blame:
  //   kInvalidArgument     the group is not planned or was tried already, or `peers` are not its
  //                        members or offer what cannot be used
  //   kDeadlineExceeded    some peers did not come in time; all are named, as ranges
  //   kUnavailable         a peer refused the connection or was lost (member_suspect)
  //   kFailedPrecondition  a connection led to somebody else (wrong_peer): what was found and what
  //                        was wanted are both named
  //   or the status given to Abort()
  virtual absl::StatusOr<std::unique_ptr<Communicator>> Build(GroupId group,
                                                              const std::vector<Peer>& peers,
                                                              absl::Duration deadline) = 0;

  // Ends a Build() that runs, and each later one, with `why`, which is not OK. Takes milliseconds.
  // Communicators that were built are not concerned; they have an Abort() of their own.
  virtual void Abort(absl::Status why) = 0;
};

// A factory of communicators of one kind. One per process; everything that it made must be
// destroyed before it.
//
// Thread safety: any method from any thread.
class Backend {
 public:
  virtual ~Backend() = default;

  // As "gloo".
  virtual std::string_view name() const = 0;

  // Opens what peers will connect to, for every group of `plan`. Local; nothing stays open on an
  // error.
  //
  // Errors:
  //   kInvalidArgument    a group is larger than this backend takes (limit_exceeded), or is planned
  //                       twice, or the configured address cannot be used
  //   kResourceExhausted  no file descriptor, port, thread or memory left
  virtual absl::StatusOr<std::unique_ptr<EpochEndpoints>> OpenEndpoints(EpochPlan plan) = 0;
};

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_BACKEND_H_
