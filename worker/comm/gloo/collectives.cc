#include "worker/comm/gloo/collectives.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "worker/comm/gloo/transfers.h"

namespace muster {
namespace {

// How `count` elements are dealt out to the ranks: evenly, the first ones getting one more.
class Shares {
 public:
  Shares(int64_t count, size_t element_bytes, int32_t size)
      : count_(count), element_bytes_(static_cast<int64_t>(element_bytes)), size_(size) {}

  int64_t Count(GroupRank rank) const {
    return count_ / size_ + (rank.value < count_ % size_ ? 1 : 0);
  }
  size_t Bytes(GroupRank rank) const { return static_cast<size_t>(Count(rank) * element_bytes_); }
  int64_t Offset(GroupRank rank) const {
    return (count_ / size_ * rank.value + std::min<int64_t>(rank.value, count_ % size_)) *
           element_bytes_;
  }

 private:
  const int64_t count_;
  const int64_t element_bytes_;
  const int32_t size_;
};

// Sends the caller's share to all others and receives theirs. `complete`, if any, has everything
// already and receives nothing.
Outcome SpreadShares(Mesh* mesh, uint64_t slot, const Shares& shares, std::byte* data,
                     std::optional<GroupRank> complete, const DeadlineSource& deadline) {
  Transfers transfers(mesh, &deadline);
  const GroupRank self = mesh->self();
  for (const GroupRank other : mesh->others()) {
    if (self == complete) break;
    transfers.Recv(other, slot, data + shares.Offset(other), shares.Bytes(other));
  }
  for (const GroupRank other : mesh->others()) {
    if (other == complete) continue;
    transfers.Send(other, slot, data + shares.Offset(self), shares.Bytes(self));
  }
  return FinishOrBreak(mesh, &transfers);
}

// Reduces the caller's share of all inputs into its place in `output`. `scratch` has room for the
// shares of all others.
Outcome ReduceOwnShare(Mesh* mesh, uint64_t slot, const Shares& shares, ConstBuffer input,
                       std::byte* output, ReduceOp op, std::byte* scratch,
                       const DeadlineSource& deadline) {
  const GroupRank self = mesh->self();
  std::vector<const std::byte*> inputs(static_cast<size_t>(mesh->size()));
  inputs[static_cast<size_t>(self.value)] = input.data + shares.Offset(self);
  Transfers transfers(mesh, &deadline);
  for (const GroupRank other : mesh->others()) {
    transfers.Recv(other, slot, scratch, shares.Bytes(self));
    inputs[static_cast<size_t>(other.value)] = scratch;
    scratch += shares.Bytes(self);
  }
  for (const GroupRank other : mesh->others()) {
    transfers.Send(other, slot, input.data + shares.Offset(other), shares.Bytes(other));
  }
  Outcome outcome = FinishOrBreak(mesh, &transfers);
  if (outcome.ended == Ended::kDone) {
    Reduce(inputs, output + shares.Offset(self), shares.Count(self), input.dtype, op);
  }
  return outcome;
}

}  // namespace

Outcome AllReduceData(Mesh* mesh, uint64_t first_slot, ConstBuffer input, Buffer output,
                      ReduceOp op, const DeadlineSource& deadline) {
  const auto element = static_cast<int64_t>(SizeOf(input.dtype));
  const int64_t segment = std::min(input.count, kReduceSegmentBytes / element);
  const int64_t share_max = segment / mesh->size() + 1;
  const auto scratch = std::make_unique_for_overwrite<std::byte[]>(
      static_cast<size_t>(share_max * element * (mesh->size() - 1)));
  uint64_t slot = first_slot;
  for (int64_t start = 0; start < input.count; start += segment) {
    const int64_t count = std::min(segment, input.count - start);
    const Shares shares(count, SizeOf(input.dtype), mesh->size());
    const ConstBuffer part{input.data + start * element, count, input.dtype};
    std::byte* const into = output.data + start * element;
    Outcome outcome = ReduceOwnShare(mesh, slot++, shares, part, into, op, scratch.get(), deadline);
    if (outcome.ended != Ended::kDone) return outcome;
    outcome = SpreadShares(mesh, slot++, shares, into, std::nullopt, deadline);
    if (outcome.ended != Ended::kDone) return outcome;
  }
  return {};
}

Outcome AllGatherData(Mesh* mesh, uint64_t first_slot, ConstBuffer input, Buffer output,
                      const DeadlineSource& deadline) {
  const Shares shares(output.count, SizeOf(output.dtype), mesh->size());
  std::byte* const own = output.data + shares.Offset(mesh->self());
  if (own != input.data) std::memcpy(own, input.data, shares.Bytes(mesh->self()));
  return SpreadShares(mesh, first_slot, shares, output.data, std::nullopt, deadline);
}

Outcome BroadcastData(Mesh* mesh, uint64_t first_slot, Buffer buffer, GroupRank root,
                      const DeadlineSource& deadline) {
  // The root deals the data out; then all, the root included, spread what they were dealt.
  const Shares shares(buffer.count, SizeOf(buffer.dtype), mesh->size());
  const GroupRank self = mesh->self();
  Transfers transfers(mesh, &deadline);
  if (self == root) {
    for (const GroupRank other : mesh->others()) {
      transfers.Send(other, first_slot, buffer.data + shares.Offset(other), shares.Bytes(other));
    }
  } else {
    transfers.Recv(root, first_slot, buffer.data + shares.Offset(self), shares.Bytes(self));
  }
  Outcome outcome = FinishOrBreak(mesh, &transfers);
  if (outcome.ended != Ended::kDone) return outcome;
  return SpreadShares(mesh, first_slot + 1, shares, buffer.data, root, deadline);
}

}  // namespace muster
