#ifndef MUSTER_WORKER_OPS_PLANS_H_
#define MUSTER_WORKER_OPS_PLANS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/ids.h"
#include "worker/comm/reduction.h"
#include "worker/ops/tensor.h"
#include "worker/ops/transfer.h"

// What each operation on tensors does with elements, for one rank. Nothing here talks to another
// rank; what the operations mean is said at TensorOperations.
//
// Each gives kInvalidArgument for arguments that are wrong at one rank, the same at every size of
// the group, kUnimplemented for tensors that are not on the host, and kResourceExhausted if there
// is no memory for a result. What only ranks together can see is left to the group, as is whether
// elements of a type can be reduced.
namespace muster {

// A rank in its group.
struct Place {
  GroupRank rank;
  int32_t size = 1;
};

// Tensors, and where results go: one for each, or none if they are to be allocated.
using Tensors = std::span<const Tensor>;

absl::StatusOr<Transfer> PlanAllReduce(Tensors inputs, ReduceOp op, Tensors outputs);
absl::StatusOr<Transfer> PlanReduce(Place place, const Tensor& input, ReduceOp op, GroupRank root,
                                    Tensors outputs);
absl::StatusOr<Transfer> PlanBroadcast(Place place, const Tensor& input, GroupRank root,
                                       Tensors outputs);

absl::StatusOr<Transfer> PlanAllGather(Place place, Tensors inputs, int32_t dim, Tensors outputs);
absl::StatusOr<Transfer> PlanAllGatherV(Place place, const Tensor& input,
                                        std::span<const int64_t> sizes, int32_t dim,
                                        Tensors outputs);
absl::StatusOr<Transfer> PlanGather(Place place, const Tensor& input, GroupRank root, int32_t dim,
                                    Tensors outputs);

absl::StatusOr<Transfer> PlanScatter(Place place, const Tensor& input, const TensorSpec& share,
                                     GroupRank root, int32_t dim, Tensors outputs);
absl::StatusOr<Transfer> PlanReduceScatter(Place place, Tensors inputs, ReduceOp op, int32_t dim,
                                           Tensors outputs);
absl::StatusOr<Transfer> PlanReduceScatterV(Place place, const Tensor& input, ReduceOp op,
                                            std::span<const int64_t> sizes, int32_t dim,
                                            Tensors outputs);

absl::StatusOr<Transfer> PlanAllToAll(Place place, const Tensor& input, int32_t scatter_dim,
                                      int32_t gather_dim, Tensors outputs);
absl::StatusOr<Transfer> PlanAllToAllV(Place place, const Tensor& input,
                                       std::span<const int64_t> send_sizes,
                                       std::span<const int64_t> recv_sizes, Tensors outputs);
absl::StatusOr<Transfer> PlanAllToAll4D(Place place, const Tensor& input, int32_t scatter_dim,
                                        int32_t gather_dim, Tensors outputs);
absl::StatusOr<Transfer> PlanAllToAll5D(Place place, const Tensor& input, int32_t scatter_dim,
                                        int32_t gather_dim, Tensors outputs);

absl::StatusOr<Transfer> PlanBarrier();
absl::StatusOr<Transfer> PlanSend(Place place, const Tensor& input, GroupRank to);

// `inputs` are what is sent at the same time.
absl::StatusOr<Transfer> PlanRecv(Place place, const TensorSpec& spec, GroupRank from,
                                  Tensors outputs, Tensors inputs = {});

}  // namespace muster

#endif  // MUSTER_WORKER_OPS_PLANS_H_
