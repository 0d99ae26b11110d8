#ifndef MUSTER_TESTS_WORKER_OPS_OPERATION_CASE_H_
#define MUSTER_TESTS_WORKER_OPS_OPERATION_CASE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/testing/ops_model.h"
#include "tests/worker/ops/strided_memory.h"
#include "worker/ops/tensor_operations.h"

namespace muster {

// Everything that a group can do with tensors.
enum class Kind {
  kAllReduce,
  kAllReduceInPlace,
  kReduce,
  kBroadcast,
  kBroadcastInPlace,
  kAllGather,
  kAllGatherV,
  kGather,
  kScatter,
  kReduceScatter,
  kReduceScatterV,
  kAllToAll,
  kAllToAllV,
  kAllReduceCoalesced,
  kAllReduceCoalescedInPlace,
  kAllGatherCoalesced,
  kReduceScatterCoalesced,
  kSendRecv,
  kBarrier,
};

inline constexpr Kind kAllKinds[] = {Kind::kAllReduce,
                                     Kind::kAllReduceInPlace,
                                     Kind::kReduce,
                                     Kind::kBroadcast,
                                     Kind::kBroadcastInPlace,
                                     Kind::kAllGather,
                                     Kind::kAllGatherV,
                                     Kind::kGather,
                                     Kind::kScatter,
                                     Kind::kReduceScatter,
                                     Kind::kReduceScatterV,
                                     Kind::kAllToAll,
                                     Kind::kAllToAllV,
                                     Kind::kAllReduceCoalesced,
                                     Kind::kAllReduceCoalescedInPlace,
                                     Kind::kAllGatherCoalesced,
                                     Kind::kReduceScatterCoalesced,
                                     Kind::kSendRecv,
                                     Kind::kBarrier};

bool IsReduction(Kind kind);
bool IsCoalesced(Kind kind);
bool IsInPlace(Kind kind);

// Tells whether it has a dimension, so that tensors without any are refused.
bool HasDim(Kind kind);

// One operation of a group, with all that it is told. The same on every rank.
struct OperationCase {
  Kind kind = Kind::kBarrier;
  DType dtype = DType::kInt32;
  ReduceOp reduce = ReduceOp::kSum;

  // Of the share of one rank, where there are shares: a reduce_scatter has an input n times as long
  // along `dim`. Operations with sizes have those instead, along `dim`.
  std::vector<int64_t> shape;
  int32_t dim = 0;         // May be negative.
  int32_t gather_dim = 0;  // Of all_to_all.
  int32_t root = 0;
  int64_t size_step = 1;  // Sizes of ranks are 0, 1, 2 .. times that, from the last rank on.
  Lie input_lie = Lie::kContiguous;
  std::optional<Lie> output_lie;  // Results are allocated if there is none.
  double number = 0;              // So that values of two operations differ.
};

std::string ToString(const OperationCase& op);

// One rank's part of an operation, on its way.
class StartedCase {
 public:
  // Starts it. `rank` and `size` are those of the caller in the group.
  StartedCase(TensorOperations& operations, const OperationCase& op, int32_t rank, int32_t size);

  // Waits, and compares with the model: results, inputs, and the memory around both. Empty if all
  // is well.
  std::string Finish();

 private:
  // Tensor `i` of `rank`; only coalesced operations have more than one.
  Dense InputOf(int32_t rank, int32_t i) const;
  std::vector<Dense> InputsOfAll(int32_t i) const;
  std::optional<Dense> ExpectedOf(int32_t i) const;

  std::vector<int64_t> InputShape(int32_t rank) const;
  std::vector<int64_t> Sizes() const;  // By rank, of operations with sizes.
  std::vector<int64_t> PairSizes(bool sends) const;
  int64_t PairSize(int32_t from, int32_t to) const;
  int32_t tensors() const { return IsCoalesced(op_.kind) ? 3 : 1; }
  int32_t dim() const;
  bool is_root() const { return op_.root == rank_; }

  TensorWork Start(TensorOperations& operations, const OpOptions& options);

  const OperationCase op_;
  const int32_t rank_;
  const int32_t size_;
  std::vector<StridedMemory> inputs_;
  std::vector<StridedMemory> outputs_;
  std::optional<TensorWork> work_;
};

}  // namespace muster

#endif  // MUSTER_TESTS_WORKER_OPS_OPERATION_CASE_H_
