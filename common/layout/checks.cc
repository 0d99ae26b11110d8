#include "common/layout/checks.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/rank_ranges.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "common/layout/layout_error.h"

namespace muster {
namespace {

absl::Status CheckNoRemainder(ErrorKind kind, std::string_view what, int64_t total,
                              const MeshDim& by) {
  MUSTER_RETURN_IF_ERROR(CheckPositive(absl::StrCat("the number of ", ToAbsl(what), " is"), total));
  MUSTER_RETURN_IF_ERROR(
      CheckPositive(absl::StrCat("dimension ", Quoted(by.name), " has size"), by.size));
  if (total % by.size == 0) return absl::OkStatus();
  return LayoutError(
      kind,
      absl::StrCat(total, " ", ToAbsl(what), " over ", by.name, " ", by.size, ": ", total, " = ",
                   by.size, " x ", total / by.size, " + ", total % by.size, ", want no remainder"),
      absl::StrCat("Choose a size of ", by.name, " that divides ", total, "."));
}

}  // namespace

absl::Status CheckDivides(std::string_view what, int64_t total, const MeshDim& by) {
  return CheckNoRemainder(ErrorKind::kNotDivisible, what, total, by);
}

absl::Status CheckHeadsDivide(int64_t heads, const MeshDim& by) {
  return CheckNoRemainder(ErrorKind::kHeadsNotDivisible, "heads", heads, by);
}

absl::Status CheckSequenceDivides(int64_t tokens, const MeshDim& by) {
  return CheckNoRemainder(ErrorKind::kSequenceNotDivisible, "tokens of the sequence", tokens, by);
}

absl::Status CheckCovers(const ExplicitGroups& groups, RankRun ranks) {
  std::set<GlobalRank> covered;
  for (const std::vector<GlobalRank>& members : groups.ranks) {
    covered.insert(members.begin(), members.end());
  }
  std::vector<GlobalRank> left_out;
  for (int32_t place = 0; place < ranks.count; ++place) {
    const GlobalRank rank(ranks.first + place);
    if (!covered.contains(rank)) left_out.push_back(rank);
  }
  if (left_out.empty()) return absl::OkStatus();
  const std::string message = absl::StrCat(
      "groups ", Quoted(groups.name), ": ", left_out.size() == 1 ? "rank " : "ranks ",
      FormatIdRanges(left_out), " of ", ranks.count, " in none, want every rank in one");
  return LayoutError(ErrorKind::kRankNotInAnyGroup, message, "List every rank.",
                     std::move(left_out));
}

}  // namespace muster
