#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "worker/ops/plan_checks.h"
#include "worker/ops/plans.h"

// Operations that put the elements of ranks together along a dimension.
namespace muster {

absl::StatusOr<Transfer> PlanAllGather(Place place, Tensors inputs, int32_t dim, Tensors outputs) {
  MUSTER_RETURN_IF_ERROR(CheckInputs(inputs));
  Transfer transfer;
  std::vector<TensorSpec> specs;
  for (const Tensor& input : inputs) {
    MUSTER_ASSIGN_OR_RETURN(const int32_t at, NormalizeDim(dim, input.dims()));
    MUSTER_ASSIGN_OR_RETURN(TensorSpec spec, Multiplied(input.spec(), at, place.size));
    specs.push_back(std::move(spec));
    transfer.common.push_back(at);
    AddCommon(input.spec(), &transfer.common);
  }
  transfer.call = {.operation = Operation::kAllGather};
  MUSTER_ASSIGN_OR_RETURN(transfer.results, MakeOutputs(specs, outputs, inputs, InPlace::kNo));
  transfer.new_results = outputs.empty();
  transfer.send = {inputs.begin(), inputs.end()};
  MUSTER_ASSIGN_OR_RETURN(transfer.recv, EqualPartsOf(transfer.results, dim, place.size));
  transfer.input_slot = place.rank.value * CountElements(transfer.send);
  return transfer;
}

absl::StatusOr<Transfer> PlanAllGatherV(Place place, const Tensor& input,
                                        std::span<const int64_t> sizes, int32_t dim,
                                        Tensors outputs) {
  MUSTER_RETURN_IF_ERROR(CheckInput(input));
  MUSTER_ASSIGN_OR_RETURN(const int32_t at, NormalizeDim(dim, input.dims()));
  MUSTER_ASSIGN_OR_RETURN(const Sizes checked, CheckSizes("sizes", sizes, place.size));
  const auto self = static_cast<size_t>(place.rank.value);
  if (checked.of[self] != input.size(at)) {
    return InvalidArgument(absl::StrCat("dimension ", at, " of shape ", FormatShape(input.shape()),
                                        " has size ", input.size(at), ", and sizes[", self, "] is ",
                                        checked.of[self]));
  }
  MUSTER_ASSIGN_OR_RETURN(
      Tensor output, MakeOutput(WithSize(input.spec(), at, checked.sum), outputs, {&input, 1}));
  Transfer transfer;
  transfer.common = {at};
  AddCommon(WithSize(input.spec(), at, kAnySize), &transfer.common);
  transfer.send = {input};
  MUSTER_ASSIGN_OR_RETURN(transfer.recv, PartsOf(output, at, checked));
  transfer.call = {.operation = Operation::kAllGatherV, .counts = CountsOf(transfer.recv)};
  transfer.input_slot = 0;
  for (size_t rank = 0; rank < self; ++rank) *transfer.input_slot += transfer.call.counts[rank];
  transfer.results = {std::move(output)};
  transfer.new_results = outputs.empty();
  return transfer;
}

absl::StatusOr<Transfer> PlanGather(Place place, const Tensor& input, GroupRank root, int32_t dim,
                                    Tensors outputs) {
  MUSTER_RETURN_IF_ERROR(CheckInput(input));
  MUSTER_RETURN_IF_ERROR(CheckRoot(root, place.size));
  MUSTER_ASSIGN_OR_RETURN(const int32_t at, NormalizeDim(dim, input.dims()));
  MUSTER_ASSIGN_OR_RETURN(const TensorSpec spec, Multiplied(input.spec(), at, place.size));
  Transfer transfer;
  transfer.call = {.operation = Operation::kGather, .root = root};
  transfer.common = {at};
  AddCommon(input.spec(), &transfer.common);
  transfer.send = {input};
  if (place.rank != root) return transfer;
  MUSTER_ASSIGN_OR_RETURN(Tensor output, MakeOutput(spec, outputs, {&input, 1}));
  MUSTER_ASSIGN_OR_RETURN(Tensor parts, EqualParts(output, at, place.size));
  transfer.recv = {std::move(parts)};
  transfer.input_slot = place.rank.value * input.element_count();
  transfer.results = {std::move(output)};
  transfer.new_results = outputs.empty();
  return transfer;
}

}  // namespace muster
