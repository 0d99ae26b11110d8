#include "coordinator/core/verdict.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/rank_ranges.h"

namespace muster::coordinator {
namespace {

constexpr size_t kRangesShownMax = 16;

std::string Ranks(const std::vector<GlobalRank>& ranks) {
  return absl::StrCat(ranks.size() == 1 ? "rank " : "ranks ",
                      FormatIdRanges(ranks, kRangesShownMax));
}

// What the members made of one place in the order of calls.
struct Place {
  std::map<std::string, std::vector<GlobalRank>> calls;  // Who called what.
  std::vector<GlobalRank> absent;                        // Who has not come so far.
  bool over = true;                                      // It ended well for all who called it.
};

Place LookAt(uint64_t sequence, const std::vector<Witness>& members) {
  Place place;
  for (const Witness& member : members) {
    if (!member.records.has_value()) continue;
    const std::vector<OperationRecord>& records = *member.records;
    if (records.empty() || records.back().sequence < sequence) {
      place.absent.push_back(member.rank);
      continue;
    }
    if (records.front().sequence > sequence) continue;  // So long ago that it is forgotten.
    const OperationRecord& record = records[sequence - records.front().sequence];
    place.calls[record.call].push_back(member.rank);
    place.over &= record.state == OperationState::kDone;
  }
  return place;
}

// The call that most made; nothing if there is no majority.
std::optional<std::string> MostCalled(const Place& place) {
  size_t all = 0;
  for (const auto& [call, ranks] : place.calls) all += ranks.size();
  for (const auto& [call, ranks] : place.calls) {
    if (2 * ranks.size() > all) return call;
  }
  return std::nullopt;
}

Verdict Diverged(uint64_t sequence, const Place& place) {
  Verdict verdict;
  verdict.kind = VerdictKind::kDiverged;
  const std::optional<std::string> most = MostCalled(place);
  std::vector<std::string> odd;
  for (const auto& [call, ranks] : place.calls) {
    if (call == most) continue;
    odd.push_back(absl::StrCat(Ranks(ranks), " called ", call));
    verdict.ranks.insert(verdict.ranks.end(), ranks.begin(), ranks.end());
  }
  verdict.text = absl::StrCat("as #", sequence, " ", absl::StrJoin(odd, ", "));
  if (most.has_value()) {
    absl::StrAppend(&verdict.text, ", the others (", Ranks(place.calls.at(*most)), ") ", *most);
  }
  return verdict;
}

const Witness& Find(const std::vector<Witness>& members, GlobalRank rank) {
  return *std::find_if(members.begin(), members.end(),
                       [rank](const Witness& member) { return member.rank == rank; });
}

Verdict NotCalled(uint64_t sequence, const Place& place, const std::vector<Witness>& members) {
  Verdict verdict;
  verdict.kind = VerdictKind::kNotCalled;
  verdict.ranks = place.absent;
  const auto& [call, callers] = *place.calls.begin();
  verdict.text = absl::StrCat(Ranks(callers),
                              place.over            ? " did"
                              : callers.size() == 1 ? " waits in"
                                                    : " wait in",
                              " #", sequence, " ", call, ", which ", Ranks(place.absent),
                              place.absent.size() == 1 ? " has" : " have", " not called");
  const std::vector<OperationRecord>& records = *Find(members, place.absent.front()).records;
  if (records.empty()) {
    absl::StrAppend(&verdict.text, "; it has called nothing on this group");
  } else {
    absl::StrAppend(&verdict.text, "; the last call of rank ", place.absent.front().value, " was #",
                    records.back().sequence, " ", records.back().call, ", ",
                    absl::FormatDuration(absl::Trunc(records.back().age, absl::Milliseconds(1))),
                    " ago");
  }
  return verdict;
}

// All who tell called the same, and it is not over for all of them.
Verdict NotOver(uint64_t sequence, const Place& place, const std::vector<Witness>& members) {
  Verdict verdict;
  const auto& [call, callers] = *place.calls.begin();
  std::vector<std::string> silent;
  for (const Witness& member : members) {
    if (member.records.has_value()) continue;
    verdict.ranks.push_back(member.rank);
    silent.push_back(absl::StrCat(
        "rank ", member.rank.value, " (", member.worker, ", last heard ",
        absl::FormatDuration(absl::Trunc(member.silent_for, absl::Milliseconds(1))), " ago)"));
  }
  const std::string inside = absl::StrCat(Ranks(callers), " called #", sequence, " ", call);
  if (silent.empty()) {
    verdict.kind = VerdictKind::kInside;
    verdict.text = absl::StrCat("all members (", inside,
                                "): it is slow, or the connections between them are stuck");
  } else {
    verdict.kind = VerdictKind::kUntold;
    verdict.text =
        absl::StrCat(inside, "; what the others did is not known: ", absl::StrJoin(silent, ", "));
  }
  return verdict;
}

std::set<uint64_t> Sequences(const std::vector<Witness>& members) {
  std::set<uint64_t> sequences;
  for (const Witness& member : members) {
    if (!member.records.has_value()) continue;
    for (const OperationRecord& record : *member.records) sequences.insert(record.sequence);
  }
  return sequences;
}

}  // namespace

std::optional<Verdict> Judge(const std::string& group, const std::vector<Witness>& members) {
  for (const uint64_t sequence : Sequences(members)) {
    const Place place = LookAt(sequence, members);
    std::optional<Verdict> verdict;
    if (place.calls.size() > 1) {
      verdict = Diverged(sequence, place);
    } else if (!place.calls.empty() && !place.absent.empty()) {
      verdict = NotCalled(sequence, place, members);
    } else if (!place.over) {
      verdict = NotOver(sequence, place, members);
    }
    if (!verdict.has_value()) continue;
    verdict->group = group;
    verdict->sequence = sequence;
    verdict->members = members;
    std::sort(verdict->ranks.begin(), verdict->ranks.end());
    return verdict;
  }
  return std::nullopt;
}

}  // namespace muster::coordinator
