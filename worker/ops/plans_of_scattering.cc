#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "worker/ops/plan_checks.h"
#include "worker/ops/plans.h"

// Operations that cut elements along a dimension and leave to each rank its part.
namespace muster {
namespace {

// Like `spec`, with the part of `dim` that each of n ranks gets.
absl::StatusOr<TensorSpec> Divided(const TensorSpec& spec, int32_t dim, int32_t n) {
  const int64_t size = spec.shape[static_cast<size_t>(dim)];
  if (size % n != 0) {
    return InvalidArgument(absl::StrCat("dimension ", dim, " of shape ", FormatShape(spec.shape),
                                        " has size ", size, ", which does not divide into ", n,
                                        " equal parts"));
  }
  return WithSize(spec, dim, size / n);
}

}  // namespace

absl::StatusOr<Transfer> PlanScatter(Place place, const Tensor& input, const TensorSpec& share,
                                     GroupRank root, int32_t dim, Tensors outputs) {
  MUSTER_RETURN_IF_ERROR(CheckRoot(root, place.size));
  MUSTER_RETURN_IF_ERROR(CountElements(share).status());
  MUSTER_ASSIGN_OR_RETURN(const int32_t at,
                          NormalizeDim(dim, static_cast<int32_t>(share.shape.size())));
  Transfer transfer;
  transfer.call = {.operation = Operation::kScatter, .root = root};
  transfer.common = {at};
  AddCommon(share, &transfer.common);
  Tensors inputs;
  if (place.rank == root) {
    MUSTER_RETURN_IF_ERROR(CheckInput(input));
    MUSTER_ASSIGN_OR_RETURN(const TensorSpec whole, Multiplied(share, at, place.size));
    if (input.spec() != whole) {
      return InvalidArgument(absl::StrCat("input is ", FormatSpec(input.spec()), ", want ",
                                          FormatSpec(whole), " for ", place.size, " shares of ",
                                          FormatSpec(share)));
    }
    MUSTER_ASSIGN_OR_RETURN(Tensor parts, EqualParts(input, at, place.size));
    transfer.send = {std::move(parts)};
    inputs = {&input, 1};
  }
  MUSTER_ASSIGN_OR_RETURN(Tensor output, MakeOutput(share, outputs, inputs));
  transfer.results = {std::move(output)};
  transfer.recv = transfer.results;
  transfer.new_results = outputs.empty();
  return transfer;
}

absl::StatusOr<Transfer> PlanReduceScatter(Place place, Tensors inputs, ReduceOp op, int32_t dim,
                                           Tensors outputs) {
  MUSTER_RETURN_IF_ERROR(CheckInputs(inputs));
  Transfer transfer;
  std::vector<TensorSpec> specs;
  for (const Tensor& input : inputs) {
    MUSTER_ASSIGN_OR_RETURN(const int32_t at, NormalizeDim(dim, input.dims()));
    MUSTER_ASSIGN_OR_RETURN(TensorSpec spec, Divided(input.spec(), at, place.size));
    specs.push_back(std::move(spec));
    transfer.common.push_back(at);
    AddCommon(input.spec(), &transfer.common);
  }
  transfer.call = {.operation = Operation::kReduceScatter, .reduce = op};
  MUSTER_ASSIGN_OR_RETURN(transfer.results, MakeOutputs(specs, outputs, inputs, InPlace::kNo));
  MUSTER_ASSIGN_OR_RETURN(transfer.send, EqualPartsOf(inputs, dim, place.size));
  transfer.recv = transfer.results;
  transfer.new_results = outputs.empty();
  return transfer;
}

absl::StatusOr<Transfer> PlanReduceScatterV(Place place, const Tensor& input, ReduceOp op,
                                            std::span<const int64_t> sizes, int32_t dim,
                                            Tensors outputs) {
  MUSTER_RETURN_IF_ERROR(CheckInput(input));
  MUSTER_ASSIGN_OR_RETURN(const int32_t at, NormalizeDim(dim, input.dims()));
  MUSTER_ASSIGN_OR_RETURN(const Sizes checked, CheckSizes("sizes", sizes, place.size));
  if (checked.sum != input.size(at)) {
    return InvalidArgument(absl::StrCat("dimension ", at, " of shape ", FormatShape(input.shape()),
                                        " has size ", input.size(at), ", and sizes sums up to ",
                                        checked.sum));
  }
  const int64_t own = checked.of[static_cast<size_t>(place.rank.value)];
  MUSTER_ASSIGN_OR_RETURN(Tensor output,
                          MakeOutput(WithSize(input.spec(), at, own), outputs, {&input, 1}));
  Transfer transfer;
  transfer.common = {at};
  AddCommon(input.spec(), &transfer.common);
  MUSTER_ASSIGN_OR_RETURN(transfer.send, PartsOf(input, at, checked));
  transfer.call = {
      .operation = Operation::kReduceScatterV, .reduce = op, .counts = CountsOf(transfer.send)};
  transfer.results = {std::move(output)};
  transfer.recv = transfer.results;
  transfer.new_results = outputs.empty();
  return transfer;
}

}  // namespace muster
