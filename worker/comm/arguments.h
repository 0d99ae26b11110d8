#ifndef MUSTER_WORKER_COMM_ARGUMENTS_H_
#define MUSTER_WORKER_COMM_ARGUMENTS_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "worker/comm/buffer.h"
#include "worker/comm/communicator.h"

// What every backend checks before anything moves. The same at size 1 and size n.
//
// Each check gives kInvalidArgument, saying what was found and what was wanted, for the first thing
// that is wrong: a bad timeout, a negative or overflowing count, memory that is missing, sizes that
// do not fit, an overlap that is not allowed, a rank outside the group. `self` is the caller's
// rank, `size` that of the group.
namespace muster {

absl::Status CheckTimeout(absl::Duration timeout);
absl::Status CheckAllReduce(ConstBuffer input, ConstBuffer output, ReduceOp op);
absl::Status CheckAllGather(ConstBuffer input, ConstBuffer output, GroupRank self, int32_t size);
absl::Status CheckBroadcast(ConstBuffer buffer, GroupRank root, int32_t size);

// `peer` is the other rank.
absl::Status CheckPointToPoint(ConstBuffer buffer, GroupRank peer, GroupRank self, int32_t size);

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_ARGUMENTS_H_
