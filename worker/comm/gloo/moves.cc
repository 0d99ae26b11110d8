#include "worker/comm/gloo/moves.h"

#include <cstring>
#include <numeric>

#include "common/base/check.h"
#include "worker/comm/gloo/shares.h"

namespace muster {
namespace {

// Builds the moves of one rank.
class Planner {
 public:
  Planner(const OperationCall& call, GroupRank self, int32_t size) : call_(call), self_(self) {
    moves_.sends.resize(static_cast<size_t>(size));
    moves_.recvs.resize(static_cast<size_t>(size));
    moves_.offsets.resize(static_cast<size_t>(size));
  }

  void Send(GroupRank to, int64_t offset, size_t bytes) {
    moves_.sends[Place(to)] = {call_.input.data + offset, bytes};
  }
  void Recv(GroupRank from, int64_t offset, size_t bytes) {
    moves_.recvs[Place(from)] = {call_.output.data + offset, bytes};
  }
  void SetOffset(GroupRank from, int64_t offset) {
    moves_.offsets[Place(from)] = static_cast<size_t>(offset);
  }

  // Everything that this rank has goes to `to`.
  void SendAll(GroupRank to) { Send(to, 0, static_cast<size_t>(BytesOf(call_.input))); }
  void RecvAll(GroupRank from) { Recv(from, 0, static_cast<size_t>(BytesOf(call_.output))); }

  void SendShare(GroupRank to, const Shares& shares) {
    Send(to, shares.Offset(to), shares.Bytes(to));
  }
  void RecvShare(GroupRank from, const Shares& shares) {
    Recv(from, shares.Offset(from), shares.Bytes(from));
  }

  bool IsRoot() const { return call_.root == self_; }
  Moves Take() { return std::move(moves_); }

 private:
  static size_t Place(GroupRank rank) { return static_cast<size_t>(rank.value); }

  const OperationCall& call_;
  const GroupRank self_;
  Moves moves_;
};

// How the input of this rank is cut for the others, and its output for what comes from them.
Shares InputShares(const OperationCall& call, int32_t size) {
  if (call.operation == Operation::kAllToAllV) return Shares(call.counts, call.input.dtype);
  return Shares::Uniform(call.input.count / size, size, call.input.dtype);
}
Shares OutputShares(const OperationCall& call, int32_t size) {
  const DType dtype = call.output.dtype;
  if (call.operation == Operation::kAllGatherV) return Shares(call.counts, dtype);
  if (call.operation == Operation::kAllToAllV) return Shares(call.recv_counts, dtype);
  return Shares::Uniform(call.output.count / size, size, dtype);
}

}  // namespace

Moves PlanMoves(const OperationCall& call, GroupRank self, int32_t size,
                const CountsByRank& all_sends) {
  Planner plan(call, self, size);
  const Shares in = InputShares(call, size);
  const Shares out = OutputShares(call, size);
  const auto element = static_cast<int64_t>(SizeOf(ElementType(call)));
  for (GroupRank other; other.value < size; ++other.value) {
    switch (call.operation) {
      case Operation::kAllGather:
      case Operation::kAllGatherV:
        plan.SendAll(other);
        plan.RecvShare(other, out);
        break;
      case Operation::kGather:
        if (other == call.root) plan.SendAll(other);
        if (plan.IsRoot()) plan.RecvShare(other, out);
        break;
      case Operation::kScatter:
        if (plan.IsRoot()) plan.SendShare(other, in);
        if (other == call.root) plan.RecvAll(other);
        plan.SetOffset(other, self.value * BytesOf(call.output));
        break;
      case Operation::kBroadcast:
        if (plan.IsRoot()) plan.SendAll(other);
        if (other == call.root) plan.RecvAll(other);
        break;
      case Operation::kAllToAll:
        plan.SendShare(other, in);
        plan.RecvShare(other, out);
        plan.SetOffset(other, in.Offset(self));
        break;
      case Operation::kAllToAllV: {
        plan.SendShare(other, in);
        plan.RecvShare(other, out);
        if (all_sends.empty()) break;
        const auto& sends = all_sends[static_cast<size_t>(other.value)];
        plan.SetOffset(other, element * std::accumulate(sends.begin(), sends.begin() + self.value,
                                                        int64_t{0}));
        break;
      }
      default:
        MUSTER_CHECK(false, "an operation that changes elements, or has none");
    }
  }
  return plan.Take();
}

void MoveOwn(const Moves& moves, GroupRank self) {
  const auto place = static_cast<size_t>(self.value);
  const std::span<std::byte> to = moves.recvs[place];
  const std::span<const std::byte> from = moves.sends[place];
  if (!to.empty() && to.data() != from.data()) std::memcpy(to.data(), from.data(), to.size());
}

}  // namespace muster
