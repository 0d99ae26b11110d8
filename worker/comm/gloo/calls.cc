#include "worker/comm/gloo/calls.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/string_view.h"
#include "worker/comm/group_errors.h"

namespace muster {
namespace {

// Different calls are listed up to this many.
constexpr size_t kSidesMax = 4;

// What must be the same. Refusals are told apart before.
Call Comparable(Call call) {
  if (call.operation == Operation::kRecv) call.operation = Operation::kSend;
  return call;
}

std::string RanksAre(const GroupFacts& facts, const std::set<GroupRank>& ranks) {
  return absl::StrCat(ranks.size() == 1 ? "rank " : "ranks ", FormatMembers(facts, ranks));
}

absl::Status RefusedError(const GroupFacts& facts, std::string_view what,
                          const std::map<GroupRank, Record>& records) {
  std::set<GroupRank> refusing;
  std::string reasons;
  bool invalid = false;
  for (const auto& [rank, record] : records) {
    if (record.call.refusal == Refusal::kNone) continue;
    const bool is_invalid = record.call.refusal == Refusal::kInvalid;
    invalid |= is_invalid;
    refusing.insert(rank);
    absl::StrAppend(&reasons, reasons.empty() ? "" : "; ", RanksAre(facts, {rank}),
                    is_invalid ? " refused its arguments: " : ": ", record.payload);
  }
  return GroupError(invalid ? absl::StatusCode::kInvalidArgument : absl::StatusCode::kUnimplemented,
                    ErrorKind::kOperationRefused, facts, what, reasons, refusing,
                    "Correct the call on these ranks; the group is usable.");
}

}  // namespace

Call HeaderOf(const OperationCall& call) {
  Call header;
  header.operation = call.operation;
  header.dtype = ElementType(call);
  if (Reduces(call.operation)) header.reduce = call.reduce;
  if (HasRoot(call.operation)) header.root = call.root;
  switch (call.operation) {
    case Operation::kBarrier:
    case Operation::kAllToAllV:
      break;
    case Operation::kScatter:
    case Operation::kReduceScatter:
    case Operation::kRecv:
    case Operation::kAllGatherV:
      header.count = call.output.count;
      break;
    case Operation::kAllReduce:
    case Operation::kAllGather:
    case Operation::kBroadcast:
    case Operation::kSend:
    case Operation::kReduce:
    case Operation::kGather:
    case Operation::kAllToAll:
    case Operation::kReduceScatterV:
      header.count = call.input.count;
      break;
  }
  if (!IsPointToPoint(call.operation)) header.common_hash = call.common_hash;
  if (SharesDiffer(call.operation)) header.counts_hash = HashOf(PackCounts(call.counts));
  return header;
}

Record RefusalOf(const Call& header, const absl::Status& refusal) {
  Record record;
  record.call.sequence = header.sequence;
  record.call.operation = header.operation;
  record.call.refusal = absl::IsUnimplemented(refusal) ? Refusal::kUnsupported : Refusal::kInvalid;
  record.payload = std::string(refusal.message().substr(0, kInlineBytesMax));
  return record;
}

std::string DescribeCall(const Call& call) {
  std::vector<std::string> parts;
  if (Reduces(call.operation)) parts.emplace_back(ReduceOpName(call.reduce));
  if (HasRoot(call.operation)) {
    parts.push_back(absl::StrCat("root group rank ", call.root.value));
  }
  if (call.operation == Operation::kAllToAllV) {
    parts.emplace_back(DTypeName(call.dtype));
  } else if (call.operation != Operation::kBarrier) {
    parts.push_back(absl::StrCat(ToAbsl(DTypeName(call.dtype)), " x ", call.count));
  }
  if (call.common_hash != 0) {
    parts.push_back(absl::StrCat("shape #", absl::Hex(call.common_hash & 0xffff, absl::kZeroPad4)));
  }
  return absl::StrCat(ToAbsl(OperationName(call.operation)), "(", absl::StrJoin(parts, ", "), ")");
}

absl::Status CompareCalls(const GroupFacts& facts, std::string_view what,
                          const std::map<GroupRank, Record>& records) {
  std::vector<std::pair<Call, std::set<GroupRank>>> sides;  // In order of their lowest ranks.
  for (const auto& [rank, record] : records) {
    if (record.call.refusal != Refusal::kNone) return RefusedError(facts, what, records);
    const Call call = Comparable(record.call);
    auto side = std::find_if(sides.begin(), sides.end(),
                             [&call](const auto& s) { return Comparable(s.first) == call; });
    if (side == sides.end()) side = sides.insert(sides.end(), {record.call, {}});
    side->second.insert(rank);
  }
  if (sides.size() <= 1) return absl::OkStatus();

  std::set<GroupRank> odd;
  std::string text;
  for (const auto& [call, ranks] : sides) {
    if (2 * ranks.size() <= records.size()) odd.insert(ranks.begin(), ranks.end());
  }
  for (size_t i = 0; i < std::min(sides.size(), kSidesMax); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", RanksAre(facts, sides[i].second), " called ",
                    DescribeCall(sides[i].first));
  }
  if (sides.size() > kSidesMax) absl::StrAppend(&text, " and ", sides.size() - kSidesMax, " more");
  return GroupError(absl::StatusCode::kInvalidArgument, ErrorKind::kOperationMismatch, facts, what,
                    absl::StrCat("members called different operations: ", text), odd,
                    "Make all ranks of a group call the same operations in the same order.");
}

}  // namespace muster
