#ifndef MUSTER_WORKER_COMM_COMMUNICATOR_H_
#define MUSTER_WORKER_COMM_COMMUNICATOR_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/ids.h"
#include "worker/comm/buffer.h"
#include "worker/comm/group_facts.h"
#include "worker/comm/reduction.h"
#include "worker/comm/work.h"

namespace muster {

// What members of a group do together. The numbers travel between members and are never reused.
enum class Operation : uint8_t {
  kAllReduce = 1,
  kAllGather = 2,
  kBroadcast = 3,
  kBarrier = 4,
  kSend = 5,
  kRecv = 6,
};

inline constexpr Operation kAllOperations[] = {Operation::kAllReduce, Operation::kAllGather,
                                               Operation::kBroadcast, Operation::kBarrier,
                                               Operation::kSend,      Operation::kRecv};

// As "all_reduce".
std::string_view OperationName(Operation operation);

// The longest that an operation may be given. There is no way to wait for ever.
inline constexpr absl::Duration kOperationTimeoutMax = absl::Hours(24);

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
// Order: collectives (all but send and recv) are carried out one after the other, in the order of
// the calls, which must be the same on every rank. A send is matched with a recv by the order of
// calls between these two ranks in this direction, and never waits for anything else: two ranks may
// both send first.
//
// Deadlines: `timeout` counts from the call, waiting for earlier operations included. It must be
// above 0 and at most kOperationTimeoutMax.
//
// Thread safety: Abort() may be called from any thread, at any time. All other methods: from one
// thread at a time.
//
// Blocking: only Work::Wait(), the destructor of a Work that is not done, and the destructor of the
// communicator. Handles of Work may outlive the communicator.
//
// Errors, from Work::Wait(), of every operation:
//   kInvalidArgument     refused: the arguments are wrong here or on another rank, which is named,
//                        or ranks called different operations (operation_refused,
//                        operation_mismatch). All members of a collective get it. No data moved.
//   kUnimplemented       refused: this backend cannot do it for this dtype
//   kDeadlineExceeded    some ranks did not join in time; all are named, as ranges
//   kUnavailable         a peer's connection was lost; the suspects are named, unconfirmed
//                        (member_suspect, or member_left if it said goodbye)
//   kFailedPrecondition  the communicator is broken
//   kResourceExhausted   no memory or thread for it; the communicator is broken
// After Abort(why), all of them give `why`.
class Communicator {
 public:
  virtual ~Communicator() = default;

  // Which group, in which epoch, and who is in it.
  virtual const GroupFacts& facts() const = 0;

  // Tells whether this backend carries out `operation` on elements of `dtype`.
  virtual bool Supports(Operation operation, DType dtype) const = 0;

  // Tells whether it reduces elements of `dtype` by `op`.
  virtual bool Supports(ReduceOp op, DType dtype) const = 0;

  // Reduces `input` of all ranks, element by element and in rank order, into `output` of all ranks.
  // All ranks get the same bits.
  //
  // Both have the same count and dtype, on every rank. `output` is `input` for the form in place;
  // any other overlap is an error. 0 elements are allowed and still synchronize the ranks.
  virtual std::unique_ptr<Work> AllReduce(ConstBuffer input, Buffer output, ReduceOp op,
                                          absl::Duration timeout) = 0;

  // Gathers `input` of every rank into `output`, on every rank.
  //
  // With n ranks and c elements in `input`, `output` has n * c elements of the same dtype; those of
  // rank r land at [r * c, (r + 1) * c). c is the same on every rank and may be 0. `input` may be
  // the caller's own slice of `output`; any other overlap is an error.
  virtual std::unique_ptr<Work> AllGather(ConstBuffer input, Buffer output,
                                          absl::Duration timeout) = 0;

  // Copies `buffer` of `root` into `buffer` of all ranks. Count and dtype are the same on every
  // rank.
  virtual std::unique_ptr<Work> Broadcast(Buffer buffer, GroupRank root,
                                          absl::Duration timeout) = 0;

  // Ends, on every rank, after every rank has called it.
  virtual std::unique_ptr<Work> Barrier(absl::Duration timeout) = 0;

  // Sends `input` to `to`, another rank. Done when the memory may be used again, which does not say
  // that the other side has received it.
  //
  // kInvalidArgument (operation_mismatch), on both sides, if count or dtype differ from the recv.
  virtual std::unique_ptr<Work> Send(ConstBuffer input, GroupRank to, absl::Duration timeout) = 0;

  // Receives from `from`, another rank, into `output`.
  virtual std::unique_ptr<Work> Recv(Buffer output, GroupRank from, absl::Duration timeout) = 0;

  // Ends everything that runs and everything that is called later with `why`, which is not OK, and
  // closes all connections. Wakes every waiter at once; takes milliseconds and waits for no peer.
  // The first call counts, except that a `why` also replaces the reason of a communicator that
  // broke by itself.
  virtual void Abort(absl::Status why) = 0;
};

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_COMMUNICATOR_H_
