#include "worker/comm/group_operations.h"

#include <utility>

namespace muster {

std::unique_ptr<Work> GroupOperations::AllReduce(ConstBuffer input, Buffer output, ReduceOp op,
                                                 absl::Duration timeout) {
  return Start({.operation = Operation::kAllReduce, .input = input, .output = output, .reduce = op},
               timeout);
}

std::unique_ptr<Work> GroupOperations::Reduce(ConstBuffer input, Buffer output, ReduceOp op,
                                              GroupRank root, absl::Duration timeout) {
  return Start({.operation = Operation::kReduce,
                .input = input,
                .output = output,
                .reduce = op,
                .root = root},
               timeout);
}

std::unique_ptr<Work> GroupOperations::ReduceScatter(ConstBuffer input, Buffer output, ReduceOp op,
                                                     absl::Duration timeout) {
  return Start(
      {.operation = Operation::kReduceScatter, .input = input, .output = output, .reduce = op},
      timeout);
}

std::unique_ptr<Work> GroupOperations::ReduceScatterV(ConstBuffer input, Buffer output, ReduceOp op,
                                                      std::span<const int64_t> counts,
                                                      absl::Duration timeout) {
  return Start({.operation = Operation::kReduceScatterV,
                .input = input,
                .output = output,
                .reduce = op,
                .counts = {counts.begin(), counts.end()}},
               timeout);
}

std::unique_ptr<Work> GroupOperations::AllGather(ConstBuffer input, Buffer output,
                                                 absl::Duration timeout) {
  return Start({.operation = Operation::kAllGather, .input = input, .output = output}, timeout);
}

std::unique_ptr<Work> GroupOperations::AllGatherV(ConstBuffer input, Buffer output,
                                                  std::span<const int64_t> counts,
                                                  absl::Duration timeout) {
  return Start({.operation = Operation::kAllGatherV,
                .input = input,
                .output = output,
                .counts = {counts.begin(), counts.end()}},
               timeout);
}

std::unique_ptr<Work> GroupOperations::Gather(ConstBuffer input, Buffer output, GroupRank root,
                                              absl::Duration timeout) {
  return Start({.operation = Operation::kGather, .input = input, .output = output, .root = root},
               timeout);
}

std::unique_ptr<Work> GroupOperations::Scatter(ConstBuffer input, Buffer output, GroupRank root,
                                               absl::Duration timeout) {
  return Start({.operation = Operation::kScatter, .input = input, .output = output, .root = root},
               timeout);
}

std::unique_ptr<Work> GroupOperations::Broadcast(Buffer buffer, GroupRank root,
                                                 absl::Duration timeout) {
  return Start(
      {.operation = Operation::kBroadcast, .input = buffer, .output = buffer, .root = root},
      timeout);
}

std::unique_ptr<Work> GroupOperations::AllToAll(ConstBuffer input, Buffer output,
                                                absl::Duration timeout) {
  return Start({.operation = Operation::kAllToAll, .input = input, .output = output}, timeout);
}

std::unique_ptr<Work> GroupOperations::AllToAllV(ConstBuffer input,
                                                 std::span<const int64_t> send_counts,
                                                 Buffer output,
                                                 std::span<const int64_t> recv_counts,
                                                 absl::Duration timeout) {
  return Start({.operation = Operation::kAllToAllV,
                .input = input,
                .output = output,
                .counts = {send_counts.begin(), send_counts.end()},
                .recv_counts = {recv_counts.begin(), recv_counts.end()}},
               timeout);
}

std::unique_ptr<Work> GroupOperations::Barrier(absl::Duration timeout) {
  return Start({.operation = Operation::kBarrier}, timeout);
}

std::unique_ptr<Work> GroupOperations::Send(ConstBuffer input, GroupRank to,
                                            absl::Duration timeout) {
  return Start({.operation = Operation::kSend, .input = input, .root = to}, timeout);
}

std::unique_ptr<Work> GroupOperations::Recv(Buffer output, GroupRank from, absl::Duration timeout) {
  return Start({.operation = Operation::kRecv, .output = output, .root = from}, timeout);
}

}  // namespace muster
