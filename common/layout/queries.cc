#include "common/layout/queries.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/base/string_view.h"
#include "common/layout/layout_error.h"

namespace muster {
namespace {

const GroupShape& ShapeOf(const Layout& layout, GroupId id) {
  MUSTER_CHECK(layout.HasGroup(id), "group outside the layout");
  return layout.kinds()[static_cast<size_t>(id.kind)].shape;
}

// How far number `index`, counted along `axes`, lies from the start.
int32_t StepsAlong(const std::vector<Axis>& axes, int32_t index) {
  int32_t steps = 0;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    steps += index % axis->size * axis->stride;
    index /= axis->size;
  }
  return steps;
}

// Writes the ranks that `axes` from `axis` on count through, starting at `first`.
void AppendSteps(std::span<const Axis> axes, GlobalRank first, std::vector<GlobalRank>& out) {
  if (axes.empty()) {
    out.push_back(first);
    return;
  }
  const Axis& axis = axes.front();
  for (int32_t step = 0; step < axis.size; ++step) {
    AppendSteps(axes.subspan(1), GlobalRank(first.value + step * axis.stride), out);
  }
}

int32_t SizeOf(const std::vector<Axis>& axes) {
  int32_t size = 1;
  for (const Axis& axis : axes) size *= axis.size;
  return size;
}

std::vector<GlobalRank> MembersOf(const StridedMembers& members) {
  std::vector<GlobalRank> ranks;
  ranks.reserve(static_cast<size_t>(SizeOf(members.axes)));
  AppendSteps(members.axes, members.offset, ranks);
  return ranks;
}

GlobalRank OffsetOf(const StridedGroups& groups, int32_t index) {
  return GlobalRank(groups.first_rank.value + StepsAlong(groups.outer, index));
}

using TableRow = std::vector<std::optional<GroupPlace>>;

void FillRow(const StridedGroups& groups, int32_t group_count, TableRow& row) {
  const std::vector<GlobalRank> members =
      MembersOf({.offset = GlobalRank(0), .axes = MergeAxes(groups.inner)});
  for (int32_t index = 0; index < group_count; ++index) {
    const GlobalRank offset = OffsetOf(groups, index);
    for (size_t place = 0; place < members.size(); ++place) {
      row[static_cast<size_t>(offset.value + members[place].value)] = {
          .index = index, .rank = GroupRank(static_cast<int32_t>(place))};
    }
  }
}

void FillRow(const ListedGroups& listed, TableRow& row) {
  for (size_t index = 0; index < listed.groups().size(); ++index) {
    const std::vector<GlobalRank>& members = listed.groups()[index];
    for (size_t place = 0; place < members.size(); ++place) {
      row[static_cast<size_t>(members[place].value)] = {
          .index = static_cast<int32_t>(index), .rank = GroupRank(static_cast<int32_t>(place))};
    }
  }
}

}  // namespace

GlobalRank MemberAt(const GroupShape& shape, int32_t index, GroupRank rank) {
  MUSTER_CHECK(rank.value >= 0 && rank.value < GroupSize(shape, index), "rank outside the group");
  if (const auto* strided = std::get_if<StridedGroups>(&shape)) {
    return GlobalRank(OffsetOf(*strided, index).value + StepsAlong(strided->inner, rank.value));
  }
  const auto& groups = std::get<ListedGroups>(shape).groups();
  return groups[static_cast<size_t>(index)][static_cast<size_t>(rank.value)];
}

GlobalRank MemberAt(const Layout& layout, GroupId id, GroupRank rank) {
  return MemberAt(ShapeOf(layout, id), id.index, rank);
}

std::optional<GroupRank> PlaceIn(const Layout& layout, GroupId id, GlobalRank rank) {
  const std::optional<GroupPlace> place = Locate(ShapeOf(layout, id), rank);
  if (!place.has_value() || place->index != id.index) return std::nullopt;
  return place->rank;
}

GlobalRank FirstRank(const Layout& layout, GroupId id) {
  return MemberAt(layout, id, GroupRank(0));
}

GlobalRank LastRank(const Layout& layout, GroupId id) {
  return MemberAt(layout, id, GroupRank(layout.GroupSize(id) - 1));
}

GroupRank NextRank(const GroupMembership& place) {
  return GroupRank(place.rank.value + 1 == place.size ? 0 : place.rank.value + 1);
}

GroupRank PreviousRank(const GroupMembership& place) {
  return GroupRank((place.rank.value == 0 ? place.size : place.rank.value) - 1);
}

GroupRank MirrorRank(const GroupMembership& place) {
  return GroupRank(place.size - 1 - place.rank.value);
}

GlobalRank NextGlobalRank(const Layout& layout, const GroupMembership& place) {
  return MemberAt(layout, place.id, NextRank(place));
}

GlobalRank PreviousGlobalRank(const Layout& layout, const GroupMembership& place) {
  return MemberAt(layout, place.id, PreviousRank(place));
}

GlobalRank MirrorGlobalRank(const Layout& layout, const GroupMembership& place) {
  return MemberAt(layout, place.id, MirrorRank(place));
}

absl::StatusOr<GroupMembership> StageOf(const Layout& layout, std::string_view kind,
                                        GlobalRank rank) {
  const auto& kinds = layout.kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [kind](const GroupKind& other) { return other.name == kind; });
  if (found == kinds.end()) {
    const auto append = [](std::string* out, const GroupKind& known) { out->append(known.name); };
    return LayoutError(ErrorKind::kUnknownName,
                       absl::StrCat("no groups are named ", Quoted(kind),
                                    ", want one of: ", absl::StrJoin(kinds, ", ", append)),
                       "Use a name that the layout has.");
  }
  const std::optional<GroupPlace> place = Locate(found->shape, rank);
  if (!place.has_value()) {
    return LayoutError(ErrorKind::kRankNotInAnyGroup,
                       absl::StrCat("rank ", rank.value, " is in no group of ", Quoted(kind)),
                       "Ask for a rank that one of the groups holds.", {rank});
  }
  return GroupMembership{
      .id = {.kind = static_cast<int32_t>(found - kinds.begin()), .index = place->index},
      .rank = place->rank,
      .size = GroupSize(found->shape, place->index)};
}

bool IsFirstStage(const GroupMembership& place) { return place.rank.value == 0; }

bool IsLastStage(const GroupMembership& place) { return place.rank.value == place.size - 1; }

std::vector<GroupId> GroupsContaining(const Layout& layout, std::span<const GlobalRank> ranks) {
  MUSTER_CHECK(!ranks.empty(), "groups of no rank at all");
  std::vector<GroupId> ids;
  for (const GroupMembership& group : layout.GroupsOf(ranks.front())) {
    const bool holds_all = std::all_of(
        ranks.begin() + 1, ranks.end(),
        [&layout, &group](GlobalRank rank) { return PlaceIn(layout, group.id, rank).has_value(); });
    if (holds_all) ids.push_back(group.id);
  }
  return ids;
}

std::vector<GroupDescriptor> DescribeGroups(const Layout& layout, GlobalRank rank) {
  std::vector<GroupDescriptor> groups;
  for (const GroupMembership& place : layout.GroupsOf(rank)) {
    const GroupShape& shape = ShapeOf(layout, place.id);
    GroupDescriptor& group = groups.emplace_back();
    group.place = place;
    if (const auto* strided = std::get_if<StridedGroups>(&shape)) {
      group.members = StridedMembers{.offset = OffsetOf(*strided, place.id.index),
                                     .axes = MergeAxes(strided->inner)};
    } else {
      group.members = std::get<ListedGroups>(shape).groups()[static_cast<size_t>(place.id.index)];
    }
  }
  return groups;
}

std::vector<GlobalRank> Materialize(const GroupDescriptor& group) {
  const auto* strided = std::get_if<StridedMembers>(&group.members);
  return strided == nullptr ? std::get<std::vector<GlobalRank>>(group.members)
                            : MembersOf(*strided);
}

std::vector<std::vector<std::optional<GroupPlace>>> RankTable(const Layout& layout) {
  std::vector<TableRow> rows;
  rows.reserve(layout.kinds().size());
  for (const GroupKind& kind : layout.kinds()) {
    TableRow& row = rows.emplace_back(static_cast<size_t>(layout.world_size()));
    if (const auto* strided = std::get_if<StridedGroups>(&kind.shape)) {
      FillRow(*strided, kind.group_count, row);
    } else {
      FillRow(std::get<ListedGroups>(kind.shape), row);
    }
  }
  return rows;
}

}  // namespace muster
