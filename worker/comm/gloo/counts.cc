#include "worker/comm/gloo/counts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/string_view.h"
#include "worker/comm/group_errors.h"

namespace muster {
namespace {

// Differences are listed up to this many.
constexpr size_t kListedMax = 4;

GroupRank RankAt(size_t place) { return GroupRank(static_cast<int32_t>(place)); }

std::string Name(const GroupFacts& facts, size_t place) {
  return absl::StrCat("rank ", facts.member(RankAt(place)).rank.value);
}

absl::Status MismatchError(const GroupFacts& facts, std::string_view what, std::string_view message,
                           const std::set<GroupRank>& odd) {
  return GroupError(absl::StatusCode::kInvalidArgument, ErrorKind::kOperationMismatch, facts, what,
                    message, odd, "Give the same numbers of elements on all ranks of the group.");
}

}  // namespace

absl::Status CompareShares(const GroupFacts& facts, std::string_view what,
                           const CountsByRank& counts) {
  const auto differs = [&counts](const std::vector<int64_t>& other) { return other != counts[0]; };
  const auto first = std::find_if(counts.begin(), counts.end(), differs);
  if (first == counts.end()) return absl::OkStatus();
  const auto place = static_cast<size_t>(
      std::mismatch(first->begin(), first->end(), counts[0].begin()).first - first->begin());

  std::map<std::vector<int64_t>, std::set<GroupRank>> sides;
  std::map<int64_t, std::set<GroupRank>> at_place;
  for (size_t rank = 0; rank < counts.size(); ++rank) {
    sides[counts[rank]].insert(RankAt(rank));
    at_place[counts[rank][place]].insert(RankAt(rank));
  }
  std::set<GroupRank> odd;
  for (const auto& [numbers, ranks] : sides) {
    if (2 * ranks.size() <= counts.size()) odd.insert(ranks.begin(), ranks.end());
  }
  std::string text;
  size_t listed = 0;
  for (const auto& [number, ranks] : at_place) {
    if (listed++ == kListedMax) break;
    absl::StrAppend(&text, text.empty() ? "" : ", ", number, " on ",
                    ranks.size() == 1 ? "rank " : "ranks ", FormatMembers(facts, ranks));
  }
  return MismatchError(
      facts, what, absl::StrCat("counts differ between ranks: counts[", place, "] is ", text), odd);
}

absl::Status ComparePairs(const GroupFacts& facts, std::string_view what, const CountsByRank& sends,
                          const CountsByRank& wants) {
  std::vector<size_t> differences(sends.size());
  std::string text;
  size_t found = 0;
  for (size_t from = 0; from < sends.size(); ++from) {
    for (size_t to = 0; to < sends.size(); ++to) {
      if (sends[from][to] == wants[to][from]) continue;
      ++differences[from];
      if (from != to) ++differences[to];
      if (++found > kListedMax) continue;
      absl::StrAppend(&text, text.empty() ? "" : ", ", Name(facts, from), " sends ",
                      sends[from][to], " elements to ", Name(facts, to), ", which wants ",
                      wants[to][from]);
    }
  }
  if (found == 0) return absl::OkStatus();
  if (found > kListedMax) absl::StrAppend(&text, " and ", found - kListedMax, " more");
  const size_t most = *std::max_element(differences.begin(), differences.end());
  std::set<GroupRank> odd;
  for (size_t rank = 0; rank < differences.size(); ++rank) {
    if (differences[rank] == most) odd.insert(RankAt(rank));
  }
  return MismatchError(facts, what, absl::StrCat("counts do not fit together: ", text), odd);
}

}  // namespace muster
