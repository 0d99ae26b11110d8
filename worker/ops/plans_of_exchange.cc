#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "worker/ops/plan_checks.h"
#include "worker/ops/plans.h"

// Operations in which each rank gives something else to each, and messages between two.
namespace muster {
namespace {

// Dimensions of attention: (batch, sequence, heads, size of a head), and where queries, keys and
// values are packed into one tensor, (batch, sequence, 3, heads, size of a head).
constexpr int32_t kSequenceDim = 1;
constexpr int64_t kPackedParts = 3;

// The exchange of sequence against heads, either way. `heads_dim` is their dimension.
absl::StatusOr<Transfer> PlanHeads(Place place, const Tensor& input, int32_t heads_dim,
                                   int32_t scatter_dim, int32_t gather_dim, Tensors outputs) {
  const bool to_heads = scatter_dim == heads_dim && gather_dim == kSequenceDim;
  const bool to_sequence = scatter_dim == kSequenceDim && gather_dim == heads_dim;
  if (!to_heads && !to_sequence) {
    return InvalidArgument(absl::StrCat("scatter and gather are dimensions ", scatter_dim, " and ",
                                        gather_dim, ", want ", heads_dim, " and ", kSequenceDim,
                                        ", or ", kSequenceDim, " and ", heads_dim));
  }
  return PlanAllToAll(place, input, scatter_dim, gather_dim, outputs);
}

absl::Status CheckPeer(Place place, GroupRank peer) {
  if (peer.value < 0 || peer.value >= place.size) {
    return InvalidArgument(
        absl::StrCat("the other side is group rank ", peer.value, ", want 0 to ", place.size - 1));
  }
  if (peer != place.rank) return absl::OkStatus();
  return InvalidArgument(
      absl::StrCat("the other side is group rank ", peer.value, ", the caller itself"));
}

absl::Status CheckDims(const Tensor& input, int32_t want) {
  MUSTER_RETURN_IF_ERROR(CheckInput(input));
  if (input.dims() == want) return absl::OkStatus();
  return InvalidArgument(absl::StrCat("input of shape ", FormatShape(input.shape()), " has ",
                                      input.dims(), " dimensions, want ", want));
}

}  // namespace

absl::StatusOr<Transfer> PlanAllToAll(Place place, const Tensor& input, int32_t scatter_dim,
                                      int32_t gather_dim, Tensors outputs) {
  MUSTER_RETURN_IF_ERROR(CheckInput(input));
  MUSTER_ASSIGN_OR_RETURN(const int32_t from, NormalizeDim(scatter_dim, input.dims()));
  MUSTER_ASSIGN_OR_RETURN(const int32_t to, NormalizeDim(gather_dim, input.dims()));
  MUSTER_ASSIGN_OR_RETURN(Tensor parts, EqualParts(input, from, place.size));
  const TensorSpec divided = WithSize(input.spec(), from, input.size(from) / place.size);
  MUSTER_ASSIGN_OR_RETURN(const TensorSpec spec, Multiplied(divided, to, place.size));
  MUSTER_ASSIGN_OR_RETURN(Tensor output, MakeOutput(spec, outputs, {&input, 1}));
  MUSTER_ASSIGN_OR_RETURN(Tensor places, EqualParts(output, to, place.size));
  Transfer transfer;
  transfer.call = {.operation = Operation::kAllToAll};
  transfer.common = {from, to};
  AddCommon(input.spec(), &transfer.common);
  transfer.send = {std::move(parts)};
  transfer.recv = {std::move(places)};
  transfer.results = {std::move(output)};
  transfer.new_results = outputs.empty();
  return transfer;
}

absl::StatusOr<Transfer> PlanAllToAllV(Place place, const Tensor& input,
                                       std::span<const int64_t> send_sizes,
                                       std::span<const int64_t> recv_sizes, Tensors outputs) {
  MUSTER_RETURN_IF_ERROR(CheckInput(input));
  MUSTER_RETURN_IF_ERROR(NormalizeDim(0, input.dims()).status());
  MUSTER_ASSIGN_OR_RETURN(const Sizes send, CheckSizes("send_sizes", send_sizes, place.size));
  MUSTER_ASSIGN_OR_RETURN(const Sizes recv, CheckSizes("recv_sizes", recv_sizes, place.size));
  const auto self = static_cast<size_t>(place.rank.value);
  if (send.sum != input.size(0)) {
    return InvalidArgument(absl::StrCat("dimension 0 of shape ", FormatShape(input.shape()),
                                        " has size ", input.size(0), ", and send_sizes sums up to ",
                                        send.sum));
  }
  if (send.of[self] != recv.of[self]) {
    return InvalidArgument(absl::StrCat("send_sizes[", self, "] is ", send.of[self],
                                        " and recv_sizes[", self, "] is ", recv.of[self],
                                        ", want the same, as both are of the caller"));
  }
  MUSTER_ASSIGN_OR_RETURN(Tensor output,
                          MakeOutput(WithSize(input.spec(), 0, recv.sum), outputs, {&input, 1}));
  Transfer transfer;
  AddCommon(WithSize(input.spec(), 0, kAnySize), &transfer.common);
  MUSTER_ASSIGN_OR_RETURN(transfer.send, PartsOf(input, 0, send));
  MUSTER_ASSIGN_OR_RETURN(transfer.recv, PartsOf(output, 0, recv));
  transfer.call = {.operation = Operation::kAllToAllV,
                   .counts = CountsOf(transfer.send),
                   .recv_counts = CountsOf(transfer.recv)};
  transfer.results = {std::move(output)};
  transfer.new_results = outputs.empty();
  return transfer;
}

absl::StatusOr<Transfer> PlanAllToAll4D(Place place, const Tensor& input, int32_t scatter_dim,
                                        int32_t gather_dim, Tensors outputs) {
  constexpr int32_t kHeadsDim = 2;
  MUSTER_RETURN_IF_ERROR(CheckDims(input, 4));
  return PlanHeads(place, input, kHeadsDim, scatter_dim, gather_dim, outputs);
}

absl::StatusOr<Transfer> PlanAllToAll5D(Place place, const Tensor& input, int32_t scatter_dim,
                                        int32_t gather_dim, Tensors outputs) {
  constexpr int32_t kHeadsDim = 3;
  MUSTER_RETURN_IF_ERROR(CheckDims(input, 5));
  if (input.size(2) != kPackedParts) {
    return InvalidArgument(absl::StrCat("dimension 2 of shape ", FormatShape(input.shape()),
                                        " has size ", input.size(2), ", want ", kPackedParts,
                                        " for queries, keys and values"));
  }
  return PlanHeads(place, input, kHeadsDim, scatter_dim, gather_dim, outputs);
}

absl::StatusOr<Transfer> PlanBarrier() {
  Transfer transfer;
  transfer.call = {.operation = Operation::kBarrier};
  return transfer;
}

absl::StatusOr<Transfer> PlanSend(Place place, const Tensor& input, GroupRank to) {
  MUSTER_RETURN_IF_ERROR(CheckPeer(place, to));
  MUSTER_RETURN_IF_ERROR(CheckInput(input));
  Transfer transfer;
  transfer.call = {.operation = Operation::kSend, .root = to};
  transfer.send = {input};
  return transfer;
}

absl::StatusOr<Transfer> PlanRecv(Place place, const TensorSpec& spec, GroupRank from,
                                  Tensors outputs, Tensors inputs) {
  MUSTER_RETURN_IF_ERROR(CheckPeer(place, from));
  MUSTER_ASSIGN_OR_RETURN(Tensor output, MakeOutput(spec, outputs, inputs));
  Transfer transfer;
  transfer.call = {.operation = Operation::kRecv, .root = from};
  transfer.results = {std::move(output)};
  transfer.recv = transfer.results;
  transfer.new_results = outputs.empty();
  return transfer;
}

}  // namespace muster
