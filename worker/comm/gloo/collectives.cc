#include "worker/comm/gloo/collectives.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "worker/comm/gloo/moves.h"
#include "worker/comm/gloo/shares.h"
#include "worker/comm/gloo/transfers.h"
#include "worker/comm/reduction.h"

namespace muster {
namespace {

// Memory that is only written to before it is read.
std::unique_ptr<std::byte[]> MakeScratch(int64_t bytes) {
  return std::make_unique_for_overwrite<std::byte[]>(static_cast<size_t>(bytes));
}

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

// Sends the caller's share of `share` to `root`, and receives those of all others at `data` if that
// is the caller, where its own is already.
Outcome CollectShares(Mesh* mesh, uint64_t slot, const Shares& shares, const std::byte* share,
                      std::byte* data, GroupRank root, const DeadlineSource& deadline) {
  Transfers transfers(mesh, &deadline);
  if (mesh->self() != root) {
    transfers.Send(root, slot, share, shares.Bytes(mesh->self()));
  } else {
    for (const GroupRank other : mesh->others()) {
      transfers.Recv(other, slot, data + shares.Offset(other), shares.Bytes(other));
    }
  }
  return FinishOrBreak(mesh, &transfers);
}

// Reduces `count` elements of every rank's input into `output`. `pieces` are the parts of the
// caller's input, by the rank that reduces them, and `scratch` has room for what comes from the
// others.
Outcome ReducePieces(Mesh* mesh, uint64_t slot, const OperationCall& call,
                     const std::vector<std::span<const std::byte>>& pieces, std::byte* output,
                     std::byte* scratch, const DeadlineSource& deadline) {
  const std::span<const std::byte> own = pieces[static_cast<size_t>(mesh->self().value)];
  std::vector<const std::byte*> inputs(pieces.size(), own.data());
  Transfers transfers(mesh, &deadline);
  for (const GroupRank other : mesh->others()) {
    transfers.Recv(other, slot, scratch, own.size());
    inputs[static_cast<size_t>(other.value)] = scratch;
    scratch += own.size();
  }
  for (const GroupRank other : mesh->others()) {
    const std::span<const std::byte> piece = pieces[static_cast<size_t>(other.value)];
    transfers.Send(other, slot, piece.data(), piece.size());
  }
  Outcome outcome = FinishOrBreak(mesh, &transfers);
  if (outcome.ended == Ended::kDone && !own.empty()) {
    const size_t count = own.size() / SizeOf(call.input.dtype);
    Reduce(inputs, output, static_cast<int64_t>(count), call.input.dtype, call.reduce);
  }
  return outcome;
}

// The shares of memory at `data`, by rank: of each the elements from `start` on, at most `most`.
std::vector<std::span<const std::byte>> Cut(const Shares& shares, const std::byte* data,
                                            int64_t element, int64_t start, int64_t most) {
  std::vector<std::span<const std::byte>> pieces;
  for (GroupRank rank; rank.value < shares.size(); ++rank.value) {
    const int64_t count = std::clamp<int64_t>(shares.Count(rank) - start, 0, most);
    pieces.emplace_back(data + shares.Offset(rank) + (count > 0 ? start * element : 0),
                        static_cast<size_t>(count * element));
  }
  return pieces;
}

// all_reduce and reduce: every rank reduces a share of each segment, then all or the root get it.
Outcome ReduceAll(Mesh* mesh, uint64_t first_slot, const OperationCall& call,
                  const DeadlineSource& deadline) {
  const auto element = static_cast<int64_t>(SizeOf(call.input.dtype));
  const int64_t segment = std::min(call.input.count, kReduceSegmentBytes / element);
  const int64_t share_max = (segment / mesh->size() + 1) * element;
  const bool to_all = call.operation == Operation::kAllReduce;
  const bool has_result = to_all || call.root == mesh->self();
  const auto scratch = MakeScratch(share_max * (mesh->size() - 1));
  const auto own = MakeScratch(has_result ? 0 : share_max);
  uint64_t slot = first_slot;
  for (int64_t start = 0; start < call.input.count; start += segment) {
    const int64_t count = std::min(segment, call.input.count - start);
    const Shares shares = Shares::Even(count, mesh->size(), call.input.dtype);
    std::byte* const into = has_result ? call.output.data + start * element : nullptr;
    std::byte* const share = has_result ? into + shares.Offset(mesh->self()) : own.get();
    const auto pieces = Cut(shares, call.input.data + start * element, element, 0, count);
    Outcome outcome = ReducePieces(mesh, slot++, call, pieces, share, scratch.get(), deadline);
    if (outcome.ended != Ended::kDone) return outcome;
    outcome = to_all ? SpreadShares(mesh, slot++, shares, into, std::nullopt, deadline)
                     : CollectShares(mesh, slot++, shares, share, into, call.root, deadline);
    if (outcome.ended != Ended::kDone) return outcome;
  }
  return {};
}

// reduce_scatter and reduce_scatterv: a piece of every share at a time, so that the pieces of all
// others fit into the segment.
Outcome ReduceShares(Mesh* mesh, uint64_t first_slot, const OperationCall& call,
                     const Shares& shares, const DeadlineSource& deadline) {
  const auto element = static_cast<int64_t>(SizeOf(call.input.dtype));
  const int64_t largest = shares.LargestCount();
  const int64_t piece =
      std::min(largest, std::max<int64_t>(1, kReduceSegmentBytes / element / mesh->size()));
  const auto scratch = MakeScratch(piece * element * (mesh->size() - 1));
  uint64_t slot = first_slot;
  for (int64_t start = 0; start < largest; start += piece) {
    const Outcome outcome =
        ReducePieces(mesh, slot++, call, Cut(shares, call.input.data, element, start, piece),
                     call.output.data + start * element, scratch.get(), deadline);
    if (outcome.ended != Ended::kDone) return outcome;
  }
  return {};
}

// The root deals the data out; then all, the root included, spread what they were dealt.
Outcome BroadcastShares(Mesh* mesh, uint64_t first_slot, const OperationCall& call,
                        const DeadlineSource& deadline) {
  const Shares shares = Shares::Even(call.output.count, mesh->size(), call.output.dtype);
  const GroupRank self = mesh->self();
  std::byte* const data = call.output.data;
  Transfers transfers(mesh, &deadline);
  if (self == call.root) {
    for (const GroupRank other : mesh->others()) {
      transfers.Send(other, first_slot, data + shares.Offset(other), shares.Bytes(other));
    }
  } else {
    transfers.Recv(call.root, first_slot, data + shares.Offset(self), shares.Bytes(self));
  }
  Outcome outcome = FinishOrBreak(mesh, &transfers);
  if (outcome.ended != Ended::kDone) return outcome;
  return SpreadShares(mesh, first_slot + 1, shares, data, call.root, deadline);
}

// A slot for a message of `bytes`, so that none is taken for one of another size.
uint64_t SlotOfSize(uint64_t first_slot, size_t bytes) {
  constexpr uint64_t kMix = 0x9e3779b97f4a7c15U;
  return first_slot + ((bytes * kMix) >> 32U) % kDataSlots;
}

// Everything that changes no elements: every rank sends to every other one what is for it.
Outcome MoveParts(Mesh* mesh, uint64_t first_slot, const OperationCall& call,
                  const DeadlineSource& deadline) {
  const Moves moves = PlanMoves(call, mesh->self(), mesh->size(), {});
  Transfers transfers(mesh, &deadline);
  for (const GroupRank other : mesh->others()) {
    const std::span<std::byte> to = moves.recvs[static_cast<size_t>(other.value)];
    transfers.Recv(other, SlotOfSize(first_slot, to.size()), to.data(), to.size());
  }
  for (const GroupRank other : mesh->others()) {
    const std::span<const std::byte> from = moves.sends[static_cast<size_t>(other.value)];
    transfers.Send(other, SlotOfSize(first_slot, from.size()), from.data(), from.size());
  }
  MoveOwn(moves, mesh->self());
  return FinishOrBreak(mesh, &transfers);
}

}  // namespace

Outcome MoveData(Mesh* mesh, uint64_t first_slot, const OperationCall& call,
                 const DeadlineSource& deadline) {
  switch (call.operation) {
    case Operation::kAllReduce:
    case Operation::kReduce:
      return ReduceAll(mesh, first_slot, call, deadline);
    case Operation::kReduceScatter:
      return ReduceShares(mesh, first_slot, call,
                          Shares::Uniform(call.output.count, mesh->size(), call.input.dtype),
                          deadline);
    case Operation::kReduceScatterV:
      return ReduceShares(mesh, first_slot, call, Shares(call.counts, call.input.dtype), deadline);
    case Operation::kBroadcast:
      return BroadcastShares(mesh, first_slot, call, deadline);
    case Operation::kAllGather:
    case Operation::kAllGatherV:
    case Operation::kGather:
    case Operation::kScatter:
    case Operation::kAllToAll:
    case Operation::kAllToAllV:
      return MoveParts(mesh, first_slot, call, deadline);
    case Operation::kBarrier:
    case Operation::kSend:
    case Operation::kRecv:
      break;
  }
  return {};
}

}  // namespace muster
