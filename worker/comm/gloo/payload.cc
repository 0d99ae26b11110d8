#include "worker/comm/gloo/payload.h"

#include <algorithm>
#include <cstring>

#include "worker/comm/gloo/moves.h"
#include "worker/comm/gloo/shares.h"
#include "worker/comm/reduction.h"

namespace muster {
namespace {

constexpr auto kRoom = static_cast<int64_t>(kInlineBytesMax);

int64_t ElementBytes(const OperationCall& call) {
  return static_cast<int64_t>(SizeOf(ElementType(call)));
}

// Elements that the rank `from` gives.
int64_t CountFrom(const OperationCall& call, GroupRank from, int32_t size) {
  switch (call.operation) {
    case Operation::kBroadcast:
      return from == call.root ? call.input.count : 0;
    case Operation::kScatter:
      return from == call.root ? call.output.count * size : 0;
    case Operation::kAllGatherV:
      return call.counts[static_cast<size_t>(from.value)];
    default:
      return call.input.count;
  }
}

void ReduceInline(const OperationCall& call, GroupRank self, const std::vector<Record>& records) {
  if (call.operation == Operation::kReduce && call.root != self) return;
  int64_t offset = 0;
  if (call.operation == Operation::kReduceScatter) offset = self.value * BytesOf(call.output);
  if (call.operation == Operation::kReduceScatterV) {
    offset = Shares(call.counts, call.input.dtype).Offset(self);
  }
  std::vector<const std::byte*> inputs;
  for (const Record& record : records) {
    inputs.push_back(reinterpret_cast<const std::byte*>(record.payload.data()) + offset);
  }
  Reduce(inputs, call.output.data, call.output.count, call.output.dtype, call.reduce);
}

void MoveInline(const OperationCall& call, GroupRank self, const std::vector<Record>& records,
                const CountsByRank& sends) {
  const Moves moves = PlanMoves(call, self, static_cast<int32_t>(records.size()), sends);
  for (size_t from = 0; from < records.size(); ++from) {
    const std::span<std::byte> to = moves.recvs[from];
    if (to.empty()) continue;
    std::memcpy(to.data(), records[from].payload.data() + moves.offsets[from], to.size());
  }
}

}  // namespace

bool RidesInline(const OperationCall& call, int32_t size) {
  int64_t most = call.input.count;
  switch (call.operation) {
    case Operation::kAllToAllV:
      return false;
    case Operation::kScatter:
      if (call.output.count > kRoom) return false;  // The product below does not overflow.
      most = call.output.count * size;
      break;
    case Operation::kAllGatherV:
      most = *std::max_element(call.counts.begin(), call.counts.end());
      break;
    default:
      break;
  }
  return most <= kRoom && most * ElementBytes(call) <= kRoom;
}

std::string PayloadOf(const OperationCall& call, GroupRank self, int32_t size) {
  if (!RidesInline(call, size) || CountFrom(call, self, size) == 0) return {};
  return {reinterpret_cast<const char*>(call.input.data), static_cast<size_t>(BytesOf(call.input))};
}

bool FinishInline(const OperationCall& call, GroupRank self, const std::vector<Record>& records,
                  const CountsByRank& sends) {
  const auto size = static_cast<int32_t>(records.size());
  for (GroupRank from; from.value < size; ++from.value) {
    const int64_t bytes = CountFrom(call, from, size) * ElementBytes(call);
    if (call.operation == Operation::kAllToAllV) break;  // Compared with the counts before.
    if (static_cast<int64_t>(records[static_cast<size_t>(from.value)].payload.size()) != bytes) {
      return false;
    }
  }
  if (call.operation == Operation::kBarrier) return true;
  if (Reduces(call.operation)) {
    ReduceInline(call, self, records);
  } else {
    MoveInline(call, self, records, sends);
  }
  return true;
}

}  // namespace muster
