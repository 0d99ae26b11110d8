#include "tests/worker/ops/operation_case.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/string_view.h"

namespace muster {
namespace {

const char* NameOf(Kind kind) {
  static constexpr const char* kNames[] = {"all_reduce",
                                           "all_reduce_in_place",
                                           "reduce",
                                           "broadcast",
                                           "broadcast_in_place",
                                           "all_gather",
                                           "all_gatherv",
                                           "gather",
                                           "scatter",
                                           "reduce_scatter",
                                           "reduce_scatterv",
                                           "all_to_all",
                                           "all_to_allv",
                                           "all_reduce_coalesced",
                                           "all_reduce_coalesced_in_place",
                                           "all_gather_coalesced",
                                           "reduce_scatter_coalesced",
                                           "send_recv",
                                           "barrier"};
  return kNames[static_cast<size_t>(kind)];
}

// `value` as one that the type can be reduced with exactly, whatever the rank order.
double Reducible(double value, DType dtype, ReduceOp op) {
  const bool is_narrow = dtype == DType::kFloat16 || dtype == DType::kBFloat16;
  if (op == ReduceOp::kProduct) return 1 + std::fmod(value, 3);
  // Any number of ranks that is tested divides their sum.
  if (op == ReduceOp::kAverage) return 120 * std::fmod(value, is_narrow ? 16 : 97);
  const bool is_ordered = op == ReduceOp::kMin || op == ReduceOp::kMax;
  if (is_ordered && SizeOf(dtype) == 1) return std::fmod(value, 101);
  return is_narrow ? std::fmod(value, 31) : value;
}

}  // namespace

bool IsReduction(Kind kind) {
  switch (kind) {
    case Kind::kAllReduce:
    case Kind::kAllReduceInPlace:
    case Kind::kReduce:
    case Kind::kReduceScatter:
    case Kind::kReduceScatterV:
    case Kind::kAllReduceCoalesced:
    case Kind::kAllReduceCoalescedInPlace:
    case Kind::kReduceScatterCoalesced:
      return true;
    default:
      return false;
  }
}

bool IsCoalesced(Kind kind) {
  return kind == Kind::kAllReduceCoalesced || kind == Kind::kAllReduceCoalescedInPlace ||
         kind == Kind::kAllGatherCoalesced || kind == Kind::kReduceScatterCoalesced;
}

bool IsInPlace(Kind kind) {
  return kind == Kind::kAllReduceInPlace || kind == Kind::kBroadcastInPlace ||
         kind == Kind::kAllReduceCoalescedInPlace;
}

bool HasDim(Kind kind) {
  switch (kind) {
    case Kind::kAllReduce:
    case Kind::kAllReduceInPlace:
    case Kind::kReduce:
    case Kind::kBroadcast:
    case Kind::kBroadcastInPlace:
    case Kind::kAllReduceCoalesced:
    case Kind::kAllReduceCoalescedInPlace:
    case Kind::kSendRecv:
    case Kind::kBarrier:
      return false;
    default:
      return true;
  }
}

std::string ToString(const OperationCase& op) {
  return absl::StrCat(NameOf(op.kind), IsReduction(op.kind) ? " by " : "",
                      IsReduction(op.kind) ? ToAbsl(ReduceOpName(op.reduce)) : "", " of ",
                      ToAbsl(DTypeName(op.dtype)), " (", absl::StrJoin(op.shape, ", "), ") dim ",
                      op.dim, " gather dim ", op.gather_dim, " root ", op.root, " step ",
                      op.size_step, " lies ", static_cast<int>(op.input_lie), " -> ",
                      op.output_lie.has_value() ? static_cast<int>(*op.output_lie) : -1);
}

StartedCase::StartedCase(TensorOperations& operations, const OperationCase& op, int32_t rank,
                         int32_t size)
    : op_(op), rank_(rank), size_(size) {
  OpOptions options;
  for (int32_t i = 0; i < tensors(); ++i) {
    inputs_.emplace_back(InputOf(rank_, i), op_.dtype, op_.input_lie);
    const std::optional<Dense> expected = ExpectedOf(i);
    if (!op_.output_lie.has_value() || IsInPlace(op_.kind) || !expected.has_value()) continue;
    outputs_.emplace_back(TensorSpec{op_.dtype, expected->shape}, *op_.output_lie);
    options.outputs.push_back(outputs_.back().tensor());
  }
  work_.emplace(Start(operations, options));
}

int32_t StartedCase::dim() const {
  return op_.dim < 0 ? op_.dim + static_cast<int32_t>(op_.shape.size()) : op_.dim;
}

std::vector<int64_t> StartedCase::Sizes() const {
  std::vector<int64_t> sizes;
  for (int32_t rank = size_; rank-- > 0;) sizes.push_back(rank * op_.size_step);
  return sizes;
}

int64_t StartedCase::PairSize(int32_t from, int32_t to) const {
  return (3 * from + to) % 4 * op_.size_step;
}

std::vector<int64_t> StartedCase::PairSizes(bool sends) const {
  std::vector<int64_t> sizes;
  for (int32_t other = 0; other < size_; ++other) {
    sizes.push_back(sends ? PairSize(rank_, other) : PairSize(other, rank_));
  }
  return sizes;
}

std::vector<int64_t> StartedCase::InputShape(int32_t rank) const {
  std::vector<int64_t> shape = op_.shape;
  if (!HasDim(op_.kind)) return shape;
  int64_t& size = shape[static_cast<size_t>(dim())];
  switch (op_.kind) {
    case Kind::kScatter:
    case Kind::kReduceScatter:
    case Kind::kReduceScatterCoalesced:
    case Kind::kAllToAll:
      size *= size_;
      break;
    case Kind::kAllGatherV:
      size = Sizes()[static_cast<size_t>(rank)];
      break;
    case Kind::kReduceScatterV:
      size = 0;
      for (const int64_t part : Sizes()) size += part;
      break;
    case Kind::kAllToAllV:
      size = 0;
      for (int32_t to = 0; to < size_; ++to) size += PairSize(rank, to);
      break;
    default:
      break;
  }
  return shape;
}

Dense StartedCase::InputOf(int32_t rank, int32_t i) const {
  Dense dense = Numbered(InputShape(rank), op_.number + 1000 * rank + 7919 * i);
  if (IsReduction(op_.kind)) {
    for (double& value : dense.values) value = Reducible(value, op_.dtype, op_.reduce);
  }
  return dense;
}

std::vector<Dense> StartedCase::InputsOfAll(int32_t i) const {
  std::vector<Dense> inputs;
  for (int32_t rank = 0; rank < size_; ++rank) inputs.push_back(InputOf(rank, i));
  return inputs;
}

std::optional<Dense> StartedCase::ExpectedOf(int32_t i) const {
  const auto self = static_cast<size_t>(rank_);
  switch (op_.kind) {
    case Kind::kReduce:
      if (!is_root()) return std::nullopt;
      [[fallthrough]];
    case Kind::kAllReduce:
    case Kind::kAllReduceInPlace:
    case Kind::kAllReduceCoalesced:
    case Kind::kAllReduceCoalescedInPlace:
      return Combined(InputsOfAll(i), op_.reduce);
    case Kind::kBroadcast:
    case Kind::kBroadcastInPlace:
      return InputOf(op_.root, i);
    case Kind::kGather:
      if (!is_root()) return std::nullopt;
      [[fallthrough]];
    case Kind::kAllGather:
    case Kind::kAllGatherV:
    case Kind::kAllGatherCoalesced:
      return Concatenated(InputsOfAll(i), dim());
    case Kind::kScatter: {
      const int64_t part = op_.shape[static_cast<size_t>(dim())];
      return SliceOf(InputOf(op_.root, i), dim(), rank_ * part, part);
    }
    case Kind::kReduceScatter:
    case Kind::kReduceScatterCoalesced: {
      const int64_t part = op_.shape[static_cast<size_t>(dim())];
      return SliceOf(Combined(InputsOfAll(i), op_.reduce), dim(), rank_ * part, part);
    }
    case Kind::kReduceScatterV: {
      int64_t first = 0;
      for (size_t rank = 0; rank < self; ++rank) first += Sizes()[rank];
      return SliceOf(Combined(InputsOfAll(i), op_.reduce), dim(), first, Sizes()[self]);
    }
    case Kind::kAllToAll:
      return Exchanged(InputsOfAll(i), self, dim(), op_.gather_dim);
    case Kind::kAllToAllV: {
      std::vector<Dense> parts;
      for (int32_t from = 0; from < size_; ++from) {
        int64_t first = 0;
        for (int32_t to = 0; to < rank_; ++to) first += PairSize(from, to);
        parts.push_back(SliceOf(InputOf(from, i), 0, first, PairSize(from, rank_)));
      }
      return Concatenated(parts, 0);
    }
    case Kind::kSendRecv:
      return InputOf((rank_ + size_ - 1) % size_, i);
    case Kind::kBarrier:
      return std::nullopt;
  }
  return std::nullopt;
}

TensorWork StartedCase::Start(TensorOperations& ops, const OpOptions& options) {
  const Tensor& input = inputs_.front().tensor();
  const GroupRank root(op_.root);
  std::vector<Tensor> all;
  for (const StridedMemory& memory : inputs_) all.push_back(memory.tensor());
  switch (op_.kind) {
    case Kind::kAllReduce:
      return ops.AllReduce(input, op_.reduce, options);
    case Kind::kAllReduceInPlace:
      return ops.AllReduceInPlace(input, op_.reduce, options);
    case Kind::kReduce:
      return ops.Reduce(input, op_.reduce, root, options);
    case Kind::kBroadcast:
      return ops.Broadcast(input, root, options);
    case Kind::kBroadcastInPlace:
      return ops.BroadcastInPlace(input, root, options);
    case Kind::kAllGather:
      return ops.AllGather(input, op_.dim, options);
    case Kind::kAllGatherV:
      return ops.AllGatherV(input, Sizes(), op_.dim, options);
    case Kind::kGather:
      return ops.Gather(input, root, op_.dim, options);
    case Kind::kScatter:
      return ops.Scatter(is_root() ? input : Tensor(), {op_.dtype, op_.shape}, root, op_.dim,
                         options);
    case Kind::kReduceScatter:
      return ops.ReduceScatter(input, op_.reduce, op_.dim, options);
    case Kind::kReduceScatterV:
      return ops.ReduceScatterV(input, op_.reduce, Sizes(), op_.dim, options);
    case Kind::kAllToAll:
      return ops.AllToAll(input, op_.dim, op_.gather_dim, options);
    case Kind::kAllToAllV:
      return ops.AllToAllV(input, PairSizes(/*sends=*/true), PairSizes(/*sends=*/false), options);
    case Kind::kAllReduceCoalesced:
      return ops.AllReduceCoalesced(all, op_.reduce, options);
    case Kind::kAllReduceCoalescedInPlace:
      return ops.AllReduceCoalescedInPlace(all, op_.reduce, options);
    case Kind::kAllGatherCoalesced:
      return ops.AllGatherCoalesced(all, op_.dim, options);
    case Kind::kReduceScatterCoalesced:
      return ops.ReduceScatterCoalesced(all, op_.reduce, op_.dim, options);
    case Kind::kSendRecv:
      return ops.SendRecv(input, GroupRank((rank_ + 1) % size_), input.spec(),
                          GroupRank((rank_ + size_ - 1) % size_), options);
    case Kind::kBarrier:
      break;
  }
  return ops.Barrier(options);
}

std::string StartedCase::Finish() {
  const absl::StatusOr<std::vector<Tensor>> results = work_->Results();
  if (!results.ok()) return absl::StrCat(ToString(op_), ": ", results.status().ToString());
  for (int32_t i = 0; i < tensors(); ++i) {
    const auto at = static_cast<size_t>(i);
    const std::optional<Dense> expected = ExpectedOf(i);
    const Tensor result = at < results->size() ? (*results)[at] : Tensor();
    if (expected.has_value() != result.defined()) {
      return absl::StrCat(ToString(op_), ": result ", i, " is there and should not, or is not");
    }
    if (expected.has_value()) {
      const std::string wrong = Compare(result, *expected, op_.dtype);
      if (!wrong.empty()) return absl::StrCat(ToString(op_), ": result ", i, " ", wrong);
    }
    const bool is_kept =
        IsInPlace(op_.kind) ? inputs_[at].IsRestUntouched() : inputs_[at].IsUntouched();
    if (!is_kept) return absl::StrCat(ToString(op_), ": input ", i, " was changed");
    if (at < outputs_.size() && !outputs_[at].IsRestUntouched()) {
      return absl::StrCat(ToString(op_), ": bytes between elements were changed");
    }
    if (at < outputs_.size() && result.data() != outputs_[at].tensor().data()) {
      return absl::StrCat(ToString(op_), ": the result is not the output");
    }
  }
  return "";
}

}  // namespace muster
