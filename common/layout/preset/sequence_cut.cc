#include "common/layout/preset/sequence_cut.h"

#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "common/layout/checks.h"
#include "common/layout/layout_error.h"
#include "common/layout/preset/preset_sizes.h"
#include "common/layout/preset/regroup.h"
#include "common/layout/preset/regular_groups.h"

namespace muster {
namespace {

// The kinds by which of the two takes neighbours.
std::vector<PresetKind> Named(const SequenceCut& cut, GroupShape neighbours, GroupShape spread) {
  if (!cut.ulysses_low) std::swap(neighbours, spread);
  std::vector<PresetKind> kinds;
  kinds.push_back({.name = "ulysses", .shape = std::move(neighbours)});
  kinds.push_back({.name = "ring", .shape = std::move(spread)});
  return kinds;
}

int32_t NeighboursOf(const SequenceCut& cut) {
  return static_cast<int32_t>(cut.ulysses_low ? cut.ulysses : cut.ring);
}

// Those of `members` that there are, counted like those of the world.
std::vector<GlobalRank> KnownRanks(const std::vector<GlobalRank>& members, RankRun ranks) {
  std::vector<GlobalRank> known;
  for (const GlobalRank rank : members) {
    if (rank.value < 0 || rank.value >= ranks.count) continue;
    known.emplace_back(rank.value + ranks.first);
  }
  return known;
}

}  // namespace

std::vector<PresetKind> CutSequence(const StridedGroups& groups, const SequenceCut& cut) {
  const int32_t size = NeighboursOf(cut);
  const auto whole = static_cast<int32_t>(cut.ulysses * cut.ring);
  return Named(cut, CutIntoRuns(groups, size), TakeLevel(groups, size, whole / size));
}

std::vector<PresetKind> CutSequence(const RankLists& groups, const SequenceCut& cut) {
  const auto size = static_cast<size_t>(NeighboursOf(cut));
  RankLists neighbours;
  RankLists spread;
  for (const std::vector<GlobalRank>& members : groups) {
    const size_t first_of_spread = spread.size();
    spread.resize(first_of_spread + size);
    for (size_t place = 0; place < members.size(); ++place) {
      if (place % size == 0) neighbours.emplace_back();
      neighbours.back().push_back(members[place]);
      spread[first_of_spread + place % size].push_back(members[place]);
    }
  }
  return Named(cut, ListedGroups(std::move(neighbours)), ListedGroups(std::move(spread)));
}

absl::StatusOr<std::vector<PresetKind>> CutRanks(std::string_view label,
                                                 const std::optional<RankLists>& groups,
                                                 const SequenceCut& cut, RankRun ranks) {
  const std::vector<PresetSize> sizes = {{.name = "ulysses", .value = cut.ulysses},
                                         {.name = "ring", .value = cut.ring}};
  MUSTER_RETURN_IF_ERROR(CheckNoZero(label, sizes));
  MUSTER_RETURN_IF_ERROR(CheckDivideRanks(ErrorKind::kNotDivisible, label, sizes, ranks));
  const int64_t size = cut.ulysses * cut.ring;
  if (groups.has_value()) {
    MUSTER_RETURN_IF_ERROR(
        CheckSequenceGroups(label, *groups, size, ErrorKind::kSpGroupEntrySize, ranks));
  }
  MUSTER_RETURN_IF_ERROR(CheckSizes(label, sizes));
  if (groups.has_value()) return CutSequence(Shifted(*groups, ranks.first), cut);
  return CutSequence(Runs(ranks, static_cast<int32_t>(size)), cut);
}

absl::Status CheckSequenceGroups(std::string_view label, const RankLists& groups, int64_t size,
                                 ErrorKind entry_kind, RankRun ranks) {
  const std::vector<PresetSize> sizes = {{.name = "groups", .value = std::ssize(groups)},
                                         {.name = "size", .value = size}};
  MUSTER_ASSIGN_OR_RETURN(const int64_t listed, SizesProduct(label, sizes));
  if (listed != ranks.count) {
    return LayoutError(ErrorKind::kSpGroupCount,
                       absl::StrCat(ToAbsl(label), ": sequence parallel ", SizesText(sizes), " = ",
                                    listed, " ranks, want ", ranks.count),
                       "List as many groups as tile the ranks.");
  }
  for (size_t index = 0; index < groups.size(); ++index) {
    if (std::ssize(groups[index]) == size) continue;
    return LayoutError(entry_kind,
                       absl::StrCat(ToAbsl(label), ": sequence parallel group ", index, " has ",
                                    groups[index].size(), " ranks, want ", size),
                       "List groups of equal size.", KnownRanks(groups[index], ranks));
  }
  ExplicitGroups known = {.name = "sp_group_ranks"};
  for (const auto& members : groups) known.ranks.push_back(KnownRanks(members, ranks));
  return CheckCovers(known, ranks);
}

}  // namespace muster
