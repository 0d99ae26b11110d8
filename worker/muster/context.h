#ifndef MUSTER_WORKER_MUSTER_CONTEXT_H_
#define MUSTER_WORKER_MUSTER_CONTEXT_H_

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
#include "worker/muster/group_handle.h"

namespace muster {

// This process as a member of a job: its seat, the layout and its process groups.
//
// Made by Join(). What it says is of one epoch, the one that Join() or the newest Recover() led to,
// even when that is over.
//
// Lifetime: a member until Leave() or the destructor, which leaves. User threads that still wait in
// an operation then are woken with an error.
//
// Thread safety: any method from any thread. Only Recover() and Leave() block.
class Context {
 public:
  virtual ~Context() = default;

  virtual const std::string& job() const = 0;
  virtual const WorkerId& worker() const = 0;
  virtual Incarnation incarnation() const = 0;
  virtual const HostFacts& host() const = 0;
  virtual const DeviceFacts& device() const = 0;

  virtual Epoch epoch() const = 0;
  virtual GlobalRank rank() const = 0;
  virtual int32_t world_size() const = 0;
  virtual Layout layout() const = 0;

  // OK while users may work in the epoch, else why not: kUnavailable naming the lost members, or
  // how the membership ended.
  virtual absl::Status state() const = 0;

  // The group of a kind that this process is in, as "world", "dit.sp" or "wan/dit.sp"; or one group
  // by name, as "dit.sp#1".
  //
  // Errors: kInvalidArgument: unknown_name (no such kind; those that are there are listed),
  // index_out_of_layout, invalid_request (not of these forms), not_a_member (this rank is in no
  // such group).
  virtual absl::StatusOr<std::shared_ptr<GroupHandle>> Group(std::string_view name) = 0;

  // Every group that this process is in, in the order of the layout.
  virtual std::vector<std::shared_ptr<GroupHandle>> Groups() = 0;

  // Blocks until an epoch after this one is active, and moves this context to it. Handles of groups
  // stay with their epoch.
  //
  // Errors:
  //   kDeadlineExceeded    none came within `within`
  //   kUnavailable         one is built, and nobody says whether it is committed (verdict_unknown)
  //   kFailedPrecondition  this process is no member any more: job_deleted, member_left,
  //                        unknown_store (the coordinator lost its state), stale_incarnation ...
  //   or another refusal of the coordinator
  virtual absl::Status Recover(absl::Duration within) = 0;

  // Frees everything and tells the coordinator. Bounded by the job's deadlines; waits for no peer.
  // Doing it again changes nothing.
  virtual void Leave() = 0;

  // What a process should end with: 0 while all is well, after Leave() and after the job was
  // deleted; 10 coordinator lost, 11 fenced, 12 could not be built, 13 refused.
  virtual int exit_code() const = 0;
};

}  // namespace muster

#endif  // MUSTER_WORKER_MUSTER_CONTEXT_H_
