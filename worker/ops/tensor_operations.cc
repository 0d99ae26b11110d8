#include "worker/ops/tensor_operations.h"

#include <utility>

namespace muster {

TensorOperations::TensorOperations(std::shared_ptr<GroupOperations> group, absl::Duration timeout)
    : group_(std::move(group)), timeout_(timeout) {}

TensorWork TensorOperations::Start(OperationCall call, absl::StatusOr<Transfer> transfer,
                                   const OpOptions& options) {
  return StartTransfer(group_.get(), scratch_.get(), std::move(call), std::move(transfer),
                       TimeoutOf(options));
}

TensorWork TensorOperations::AllReduce(const Tensor& input, ReduceOp op, const OpOptions& options) {
  return AllReduceCoalesced({&input, 1}, op, options);
}

TensorWork TensorOperations::AllReduceInPlace(const Tensor& tensor, ReduceOp op,
                                              const OpOptions& options) {
  return AllReduceCoalescedInPlace({&tensor, 1}, op, options);
}

TensorWork TensorOperations::AllReduceCoalesced(Tensors inputs, ReduceOp op,
                                                const OpOptions& options) {
  return Start({.operation = Operation::kAllReduce}, PlanAllReduce(inputs, op, options.outputs),
               options);
}

TensorWork TensorOperations::AllReduceCoalescedInPlace(Tensors tensors, ReduceOp op,
                                                       const OpOptions& options) {
  return Start({.operation = Operation::kAllReduce}, PlanAllReduce(tensors, op, tensors), options);
}

TensorWork TensorOperations::Reduce(const Tensor& input, ReduceOp op, GroupRank root,
                                    const OpOptions& options) {
  return Start({.operation = Operation::kReduce},
               PlanReduce(place(), input, op, root, options.outputs), options);
}

TensorWork TensorOperations::Broadcast(const Tensor& input, GroupRank root,
                                       const OpOptions& options) {
  return Start({.operation = Operation::kBroadcast},
               PlanBroadcast(place(), input, root, options.outputs), options);
}

TensorWork TensorOperations::BroadcastInPlace(const Tensor& tensor, GroupRank root,
                                              const OpOptions& options) {
  return Start({.operation = Operation::kBroadcast},
               PlanBroadcast(place(), tensor, root, {&tensor, 1}), options);
}

TensorWork TensorOperations::AllGather(const Tensor& input, int32_t dim, const OpOptions& options) {
  return AllGatherCoalesced({&input, 1}, dim, options);
}

TensorWork TensorOperations::AllGatherCoalesced(Tensors inputs, int32_t dim,
                                                const OpOptions& options) {
  return Start({.operation = Operation::kAllGather},
               PlanAllGather(place(), inputs, dim, options.outputs), options);
}

TensorWork TensorOperations::AllGatherV(const Tensor& input, std::span<const int64_t> sizes,
                                        int32_t dim, const OpOptions& options) {
  return Start({.operation = Operation::kAllGatherV},
               PlanAllGatherV(place(), input, sizes, dim, options.outputs), options);
}

TensorWork TensorOperations::Gather(const Tensor& input, GroupRank root, int32_t dim,
                                    const OpOptions& options) {
  return Start({.operation = Operation::kGather},
               PlanGather(place(), input, root, dim, options.outputs), options);
}

TensorWork TensorOperations::Scatter(const Tensor& input, const TensorSpec& share, GroupRank root,
                                     int32_t dim, const OpOptions& options) {
  return Start({.operation = Operation::kScatter},
               PlanScatter(place(), input, share, root, dim, options.outputs), options);
}

TensorWork TensorOperations::ReduceScatter(const Tensor& input, ReduceOp op, int32_t dim,
                                           const OpOptions& options) {
  return ReduceScatterCoalesced({&input, 1}, op, dim, options);
}

TensorWork TensorOperations::ReduceScatterCoalesced(Tensors inputs, ReduceOp op, int32_t dim,
                                                    const OpOptions& options) {
  return Start({.operation = Operation::kReduceScatter},
               PlanReduceScatter(place(), inputs, op, dim, options.outputs), options);
}

TensorWork TensorOperations::ReduceScatterV(const Tensor& input, ReduceOp op,
                                            std::span<const int64_t> sizes, int32_t dim,
                                            const OpOptions& options) {
  return Start({.operation = Operation::kReduceScatterV},
               PlanReduceScatterV(place(), input, op, sizes, dim, options.outputs), options);
}

TensorWork TensorOperations::AllToAll(const Tensor& input, const OpOptions& options) {
  return AllToAll(input, 0, 0, options);
}

TensorWork TensorOperations::AllToAll(const Tensor& input, int32_t scatter_dim, int32_t gather_dim,
                                      const OpOptions& options) {
  return Start({.operation = Operation::kAllToAll},
               PlanAllToAll(place(), input, scatter_dim, gather_dim, options.outputs), options);
}

TensorWork TensorOperations::AllToAllV(const Tensor& input, std::span<const int64_t> send_sizes,
                                       std::span<const int64_t> recv_sizes,
                                       const OpOptions& options) {
  return Start({.operation = Operation::kAllToAllV},
               PlanAllToAllV(place(), input, send_sizes, recv_sizes, options.outputs), options);
}

TensorWork TensorOperations::AllToAll4D(const Tensor& input, int32_t scatter_dim,
                                        int32_t gather_dim, const OpOptions& options) {
  return Start({.operation = Operation::kAllToAll},
               PlanAllToAll4D(place(), input, scatter_dim, gather_dim, options.outputs), options);
}

TensorWork TensorOperations::AllToAll5D(const Tensor& input, int32_t scatter_dim,
                                        int32_t gather_dim, const OpOptions& options) {
  return Start({.operation = Operation::kAllToAll},
               PlanAllToAll5D(place(), input, scatter_dim, gather_dim, options.outputs), options);
}

TensorWork TensorOperations::Barrier(const OpOptions& options) {
  return Start({.operation = Operation::kBarrier}, PlanBarrier(), options);
}

TensorWork TensorOperations::Send(const Tensor& input, GroupRank to, const OpOptions& options) {
  return Start({.operation = Operation::kSend, .root = to}, PlanSend(place(), input, to), options);
}

TensorWork TensorOperations::Recv(const TensorSpec& spec, GroupRank from,
                                  const OpOptions& options) {
  return Start({.operation = Operation::kRecv, .root = from},
               PlanRecv(place(), spec, from, options.outputs), options);
}

TensorWork TensorOperations::RecvInto(const Tensor& tensor, GroupRank from,
                                      const OpOptions& options) {
  return Start({.operation = Operation::kRecv, .root = from},
               PlanRecv(place(), tensor.spec(), from, {&tensor, 1}), options);
}

TensorWork TensorOperations::SendRecv(const Tensor& input, GroupRank to, const TensorSpec& spec,
                                      GroupRank from, const OpOptions& options) {
  std::vector<PlannedCall> planned;
  planned.push_back({{.operation = Operation::kSend, .root = to}, PlanSend(place(), input, to)});
  planned.push_back({{.operation = Operation::kRecv, .root = from},
                     PlanRecv(place(), spec, from, options.outputs, {&input, 1})});
  return StartTogether(group_.get(), scratch_.get(), std::move(planned), TimeoutOf(options));
}

std::vector<TensorWork> TensorOperations::Exchange(std::span<const Message> messages,
                                                   const OpOptions& options) {
  std::vector<TensorWork> works;
  for (const Message& message : messages) {
    works.push_back(message.direction == Message::Direction::kSend
                        ? Send(message.tensor, message.peer, options)
                        : RecvInto(message.tensor, message.peer, options));
  }
  return works;
}

}  // namespace muster
