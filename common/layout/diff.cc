#include "common/layout/diff.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/base/check.h"
#include "common/layout/group_shape.h"
#include "common/layout/queries.h"

namespace muster {
namespace {

// The groups of `rank` in `layout` that have a communicator; none if it is outside.
std::vector<GroupMembership> BuiltGroupsOf(const Layout& layout, GlobalRank rank) {
  if (!layout.HasRank(rank)) return {};
  std::vector<GroupMembership> groups = layout.GroupsOf(rank);
  std::erase_if(groups,
                [&layout](const GroupMembership& group) { return !layout.IsBuilt(group.id); });
  return groups;
}

// A group and its first member. Groups of the same members in the same order have the same one.
struct FirstOfGroup {
  GlobalRank first;
  GroupMembership place;
};

// All groups of `layout` that have a communicator, ordered by first member, then by id.
std::vector<FirstOfGroup> BuiltGroups(const Layout& layout) {
  std::vector<FirstOfGroup> groups;
  for (GroupId id; id.kind < std::ssize(layout.kinds()); ++id.kind) {
    const int32_t count = layout.kinds()[static_cast<size_t>(id.kind)].group_count;
    for (id.index = 0; id.index < count; ++id.index) {
      if (!layout.IsBuilt(id)) continue;
      groups.push_back({.first = FirstRank(layout, id),
                        .place = {.id = id, .rank = GroupRank(0), .size = layout.GroupSize(id)}});
    }
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const FirstOfGroup& a, const FirstOfGroup& b) { return a.first < b.first; });
  return groups;
}

// Moves `at` past the groups that begin with `rank` and gives them.
std::vector<GroupMembership> TakeGroupsFrom(GlobalRank rank,
                                            std::vector<FirstOfGroup>::const_iterator& at,
                                            std::vector<FirstOfGroup>::const_iterator end) {
  std::vector<GroupMembership> groups;
  for (; at != end && at->first == rank; ++at) groups.push_back(at->place);
  return groups;
}

const GroupKind& KindOf(const Layout& layout, GroupId id) {
  return layout.kinds()[static_cast<size_t>(id.kind)];
}

bool Before(const GroupChange& a, const GroupChange& b) {
  if (a.to.has_value() != b.to.has_value()) return a.to.has_value();
  return a.to.has_value() ? *a.to < *b.to : *a.from < *b.from;
}

}  // namespace

LayoutDiff::LayoutDiff(Layout from, Layout to, std::set<GlobalRank> changed)
    : from_(std::move(from)), to_(std::move(to)), changed_(std::move(changed)) {}

std::vector<GroupChange> LayoutDiff::ActionsOf(GlobalRank rank) const {
  MUSTER_CHECK(from_.HasRank(rank) || to_.HasRank(rank), "rank outside both layouts");
  std::vector<GroupMembership> held;
  if (!changed_.contains(rank)) held = BuiltGroupsOf(from_, rank);
  return Compare(held, BuiltGroupsOf(to_, rank));
}

std::vector<GroupChange> LayoutDiff::Actions() const {
  const std::vector<FirstOfGroup> old_groups = BuiltGroups(from_);
  const std::vector<FirstOfGroup> new_groups = BuiltGroups(to_);
  std::vector<GroupChange> all;
  auto old_at = old_groups.begin();
  auto new_at = new_groups.begin();
  while (old_at != old_groups.end() || new_at != new_groups.end()) {
    const bool from_old =
        new_at == new_groups.end() || (old_at != old_groups.end() && old_at->first < new_at->first);
    const GlobalRank rank = from_old ? old_at->first : new_at->first;
    const std::vector<GroupMembership> held = TakeGroupsFrom(rank, old_at, old_groups.end());
    const std::vector<GroupChange> changes =
        Compare(held, TakeGroupsFrom(rank, new_at, new_groups.end()));
    all.insert(all.end(), changes.begin(), changes.end());
  }
  std::sort(all.begin(), all.end(), Before);
  return all;
}

std::vector<GroupChange> LayoutDiff::Compare(const std::vector<GroupMembership>& old_groups,
                                             const std::vector<GroupMembership>& new_groups) const {
  std::vector<GroupChange> changes;
  changes.reserve(new_groups.size() + old_groups.size());
  for (const GroupMembership& group : new_groups) {
    changes.push_back({.action = GroupAction::kBuild, .to = group.id});
  }
  std::vector<bool> kept(old_groups.size(), false);
  for (const bool renamed : {false, true}) {
    for (size_t n = 0; n < new_groups.size(); ++n) {
      for (size_t o = 0; o < old_groups.size(); ++o) {
        if (kept[o] || changes[n].action == GroupAction::kKeep) continue;
        if (!renamed && !SameName(old_groups[o].id, new_groups[n].id)) continue;
        if (!MayKeep(old_groups[o], new_groups[n])) continue;
        changes[n].action = GroupAction::kKeep;
        changes[n].from = old_groups[o].id;
        kept[o] = true;
      }
    }
  }
  for (size_t o = 0; o < old_groups.size(); ++o) {
    if (kept[o]) continue;
    changes.push_back({.action = GroupAction::kRetire, .from = old_groups[o].id});
  }
  return changes;
}

bool LayoutDiff::MayKeep(const GroupMembership& old_group, const GroupMembership& new_group) const {
  // One rank is in both, so groups that differ here differ in their members or their order.
  if (old_group.rank != new_group.rank || old_group.size != new_group.size) return false;
  return SameMembers(KindOf(from_, old_group.id).shape, old_group.id.index,
                     KindOf(to_, new_group.id).shape, new_group.id.index) &&
         !HasChangedMember(to_, new_group);
}

std::optional<GroupId> LayoutDiff::ParentOf(GroupId to) const {
  const std::vector<GlobalRank> members = to_.Members(to);
  std::vector<GroupMembership> parents = BuiltGroupsOf(from_, members.front());
  std::stable_sort(
      parents.begin(), parents.end(),
      [](const GroupMembership& a, const GroupMembership& b) { return a.size < b.size; });
  const auto parent = std::find_if(
      parents.begin(), parents.end(),
      [this, &members](const GroupMembership& group) { return MaySplit(group, members); });
  return parent == parents.end() ? std::nullopt : std::optional(parent->id);
}

bool LayoutDiff::MaySplit(const GroupMembership& old_group,
                          const std::vector<GlobalRank>& members) const {
  if (old_group.size < std::ssize(members)) return false;
  const GroupShape& shape = KindOf(from_, old_group.id).shape;
  const bool is_world = old_group.id.kind == 0;
  const bool holds_all = std::all_of(members.begin(), members.end(), [&](GlobalRank rank) {
    if (is_world) return from_.HasRank(rank);
    const std::optional<GroupPlace> place = Locate(shape, rank);
    return place.has_value() && place->index == old_group.id.index;
  });
  if (!holds_all || HasChangedMember(from_, old_group)) return false;
  if (to_.world_size() >= from_.world_size()) return true;
  const std::vector<GlobalRank> old_members = GroupMembers(shape, old_group.id.index);
  return std::all_of(old_members.begin(), old_members.end(),
                     [this](GlobalRank rank) { return to_.HasRank(rank); });
}

bool LayoutDiff::HasChangedMember(const Layout& layout, const GroupMembership& group) const {
  const GroupShape& shape = KindOf(layout, group.id).shape;
  const int32_t index = group.id.index;
  if (std::ssize(changed_) < group.size) {
    return std::any_of(changed_.begin(), changed_.end(), [&shape, index](GlobalRank rank) {
      const std::optional<GroupPlace> place = Locate(shape, rank);
      return place.has_value() && place->index == index;
    });
  }
  const std::vector<GlobalRank> members = GroupMembers(shape, index);
  return std::any_of(members.begin(), members.end(),
                     [this](GlobalRank rank) { return changed_.contains(rank); });
}

bool LayoutDiff::SameName(GroupId from, GroupId to) const {
  return from.index == to.index && KindOf(from_, from).name == KindOf(to_, to).name;
}

LayoutDiff Diff(const Layout& from, const Layout& to, std::set<GlobalRank> changed) {
  return LayoutDiff(from, to, std::move(changed));
}

}  // namespace muster
