#include <utility>

#include "common/base/status_macros.h"
#include "worker/ops/plan_checks.h"
#include "worker/ops/plans.h"

// Operations whose input and output have one shape.
namespace muster {

absl::StatusOr<Transfer> PlanAllReduce(Tensors inputs, ReduceOp op, Tensors outputs) {
  MUSTER_RETURN_IF_ERROR(CheckInputs(inputs));
  Transfer transfer;
  std::vector<TensorSpec> specs;
  for (const Tensor& input : inputs) {
    specs.push_back(input.spec());
    AddCommon(input.spec(), &transfer.common);
  }
  transfer.call = {.operation = Operation::kAllReduce, .reduce = op};
  MUSTER_ASSIGN_OR_RETURN(transfer.results, MakeOutputs(specs, outputs, inputs, InPlace::kAllowed));
  transfer.new_results = outputs.empty();
  transfer.send = {inputs.begin(), inputs.end()};
  transfer.recv = transfer.results;
  transfer.input_slot = 0;
  return transfer;
}

absl::StatusOr<Transfer> PlanReduce(Place place, const Tensor& input, ReduceOp op, GroupRank root,
                                    Tensors outputs) {
  MUSTER_RETURN_IF_ERROR(CheckInput(input));
  MUSTER_RETURN_IF_ERROR(CheckRoot(root, place.size));
  Transfer transfer;
  transfer.call = {.operation = Operation::kReduce, .reduce = op, .root = root};
  transfer.send = {input};
  AddCommon(input.spec(), &transfer.common);
  if (place.rank != root) return transfer;
  MUSTER_ASSIGN_OR_RETURN(Tensor output,
                          MakeOutput(input.spec(), outputs, {&input, 1}, InPlace::kAllowed));
  transfer.new_results = outputs.empty();
  transfer.results = {std::move(output)};
  transfer.recv = transfer.results;
  transfer.input_slot = 0;
  return transfer;
}

absl::StatusOr<Transfer> PlanBroadcast(Place place, const Tensor& input, GroupRank root,
                                       Tensors outputs) {
  MUSTER_RETURN_IF_ERROR(CheckInput(input));
  MUSTER_RETURN_IF_ERROR(CheckRoot(root, place.size));
  MUSTER_ASSIGN_OR_RETURN(Tensor output,
                          MakeOutput(input.spec(), outputs, {&input, 1}, InPlace::kAllowed));
  Transfer transfer;
  transfer.call = {.operation = Operation::kBroadcast, .root = root};
  AddCommon(input.spec(), &transfer.common);
  transfer.new_results = outputs.empty();
  transfer.results = {output};
  const bool is_in_place = input.element_count() > 0 && output.data() == input.data();
  if (place.rank == root) transfer.send = {input};
  if (place.rank != root || !is_in_place) transfer.recv = {std::move(output)};
  return transfer;
}

}  // namespace muster
