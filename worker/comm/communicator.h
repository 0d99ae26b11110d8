#ifndef MUSTER_WORKER_COMM_COMMUNICATOR_H_
#define MUSTER_WORKER_COMM_COMMUNICATOR_H_

#include <cstdint>

#include "absl/status/status.h"
#include "common/base/ids.h"
#include "worker/comm/group_facts.h"
#include "worker/comm/group_operations.h"

namespace muster {

// One member's end of one process group in one epoch.
//
// A Communicator is made by a Backend, in one epoch, after each member proved who it is. It may be
// kept into later epochs as long as the members, their order and their incarnations stay the same;
// else a new one is made. It is never repaired in place.
//
// Lifetime: open, then perhaps broken or aborted. An operation that ran out of time or lost a peer
// leaves it broken: the members may no longer be in step, so every later call gives
// kFailedPrecondition (group_broken) and says what broke it. A refused or mismatched call moves
// nothing and leaves it open. The destructor ends what still runs with kAborted and gives
// everything back; it is local and takes milliseconds.
//
// Thread safety: Abort() may be called from any thread, at any time. All other methods: from one
// thread at a time.
//
// Blocking: only Work::Wait(), the destructor of a Work that is not done, and the destructor of the
// communicator. Handles of Work may outlive the communicator.
//
// What operations want, how they are ordered and their errors are said at GroupOperations. After
// Abort(why), all of them give `why`.
class Communicator : public GroupOperations {
 public:
  // Which group, in which epoch, and who is in it.
  virtual const GroupFacts& facts() const = 0;

  GroupRank rank() const final { return facts().rank; }
  int32_t size() const final { return facts().size(); }

  // Ends everything that runs and everything that is called later with `why`, which is not OK, and
  // closes all connections. Wakes every waiter at once; takes milliseconds and waits for no peer.
  // The first call counts, except that a `why` also replaces the reason of a communicator that
  // broke by itself.
  virtual void Abort(absl::Status why) = 0;
};

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_COMMUNICATOR_H_
