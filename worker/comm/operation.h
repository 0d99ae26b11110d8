#ifndef MUSTER_WORKER_COMM_OPERATION_H_
#define MUSTER_WORKER_COMM_OPERATION_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/base/ids.h"
#include "worker/comm/buffer.h"
#include "worker/comm/reduction.h"

namespace muster {

// What members of a group do together. The numbers travel between members and are never reused.
enum class Operation : uint8_t {
  kAllReduce = 1,
  kAllGather = 2,
  kBroadcast = 3,
  kBarrier = 4,
  kSend = 5,
  kRecv = 6,
  kReduce = 7,
  kGather = 8,
  kScatter = 9,
  kReduceScatter = 10,
  kAllToAll = 11,
  kAllGatherV = 12,
  kReduceScatterV = 13,
  kAllToAllV = 14,
};

inline constexpr Operation kAllOperations[] = {
    Operation::kAllReduce,      Operation::kAllGather, Operation::kBroadcast,
    Operation::kBarrier,        Operation::kSend,      Operation::kRecv,
    Operation::kReduce,         Operation::kGather,    Operation::kScatter,
    Operation::kReduceScatter,  Operation::kAllToAll,  Operation::kAllGatherV,
    Operation::kReduceScatterV, Operation::kAllToAllV,
};

// As "all_reduce".
std::string_view OperationName(Operation operation);

// Tells whether the operation joins elements of several ranks by a ReduceOp.
bool Reduces(Operation operation);

// Tells whether one rank has a part of its own: broadcast, reduce, gather and scatter.
bool HasRoot(Operation operation);

// Tells whether all ranks name the elements of each rank: all_gatherv and reduce_scatterv.
bool SharesDiffer(Operation operation);

// Tells whether it is between two ranks: send and recv.
bool IsPointToPoint(Operation operation);

// One rank's part of one operation. What each operation wants is said at Communicator; fields that
// it has no use for stay as they are here.
struct OperationCall {
  Operation operation = Operation::kBarrier;
  ConstBuffer input;
  Buffer output;
  ReduceOp reduce = ReduceOp::kSum;
  GroupRank root;                    // The other rank, of send and recv.
  std::vector<int64_t> counts;       // Elements of each rank; of all_to_allv: for each rank.
  std::vector<int64_t> recv_counts;  // Of all_to_allv: from each rank.

  // Why the caller refuses its own part, if it does. It is made known to the other ranks as if the
  // group had found it; nothing else is looked at but the operation, and the root of a message.
  absl::Status refusal;

  // A number for what else the ranks must have in common, as the shapes behind the elements; not
  // of messages. Ranks in which it differs called different operations.
  uint64_t common_hash = 0;
};

// The type of the elements that move.
DType ElementType(const OperationCall& call);

// Carries out `call`, whose arguments are right, in a group of one: copies input to output.
void CopyAlone(const OperationCall& call);

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_OPERATION_H_
