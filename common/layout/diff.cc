#include "common/layout/diff.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/base/check.h"
#include "common/layout/group_shape.h"

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

// Those of them of which `rank` is the first member. Each group of a layout is in this list for
// exactly one rank, together with all that have the same members in the same order.
std::vector<GroupMembership> BuiltGroupsFrom(const Layout& layout, GlobalRank rank) {
  std::vector<GroupMembership> groups = BuiltGroupsOf(layout, rank);
  std::erase_if(groups, [](const GroupMembership& group) { return group.rank != GroupRank(0); });
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
  std::vector<GroupChange> all;
  const int32_t end = std::max(from_.world_size(), to_.world_size());
  for (GlobalRank rank(0); rank.value < end; ++rank.value) {
    const std::vector<GroupChange> changes =
        Compare(BuiltGroupsFrom(from_, rank), BuiltGroupsFrom(to_, rank));
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
         !HasChangedMember(new_group);
}

bool LayoutDiff::HasChangedMember(const GroupMembership& new_group) const {
  const GroupShape& shape = KindOf(to_, new_group.id).shape;
  const int32_t index = new_group.id.index;
  if (std::ssize(changed_) < new_group.size) {
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
