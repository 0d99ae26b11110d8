#ifndef MUSTER_COMMON_LAYOUT_DIFF_H_
#define MUSTER_COMMON_LAYOUT_DIFF_H_

#include <optional>
#include <set>
#include <vector>

#include "common/base/ids.h"
#include "common/layout/layout.h"

namespace muster {

// What happens to the communicator of a group when one layout follows another.
enum class GroupAction {
  kKeep,    // lives on
  kBuild,   // is made
  kRetire,  // is destroyed
};

// One group, as each of the two layouts that have it calls it.
struct GroupChange {
  GroupAction action = GroupAction::kKeep;
  std::optional<GroupId> from = std::nullopt;  // unless it is built
  std::optional<GroupId> to = std::nullopt;    // unless it is retired

  friend bool operator==(const GroupChange&, const GroupChange&) = default;
};

// What changes between two layouts. Only groups for which Layout::IsBuilt() holds are looked at.
//
// A communicator is kept if both layouts have a group of the same members in the same order and the
// same process still holds each of their ranks. The name may change. Each communicator is kept for
// one group at most: first for that of the same name; then those left over, old and new, are paired
// in the order of their ids. All other groups of the new layout are built, all others of the old
// one retired. Every member of a group comes to the same answer by itself.
//
// A value that never changes; methods may be called from any thread and do not block.
class LayoutDiff {
 public:
  // The changes that `rank` takes part in: kept and built groups ordered by `to`, then retired ones
  // ordered by `from`. `rank` must be in one of the two worlds. If another process holds it now,
  // there is nothing for it to keep or retire. The cost grows with the kinds of groups and with the
  // ranks in `changed`, not with the world, except that members of explicit groups are compared one
  // by one.
  std::vector<GroupChange> ActionsOf(GlobalRank rank) const;

  // The changes of all groups, in the same order.
  std::vector<GroupChange> Actions() const;

  // The old group whose communicator the group `to` of the new layout can be split from: it has
  // one, all members of `to` are in it, and each of its own members is in the new world and the
  // same process as before, since all of them take part in a split. Of several the smallest, then
  // the first by id; nothing if there is none.
  //
  // A hint about a group that is built: building it from nothing is right as well. Every member of
  // `to` comes to the same answer by itself. Costs O(kinds x members).
  std::optional<GroupId> ParentOf(GroupId to) const;

 private:
  friend LayoutDiff Diff(const Layout& from, const Layout& to, std::set<GlobalRank> changed);

  LayoutDiff(Layout from, Layout to, std::set<GlobalRank> changed);

  // Compares all groups of one rank with each other, or all of which it is the first member.
  std::vector<GroupChange> Compare(const std::vector<GroupMembership>& old_groups,
                                   const std::vector<GroupMembership>& new_groups) const;
  bool MayKeep(const GroupMembership& old_group, const GroupMembership& new_group) const;
  bool MaySplit(const GroupMembership& old_group, const std::vector<GlobalRank>& members) const;
  bool HasChangedMember(const Layout& layout, const GroupMembership& group) const;
  bool SameName(GroupId from, GroupId to) const;

  Layout from_;
  Layout to_;
  std::set<GlobalRank> changed_;
};

// Compares `from` with `to`. `changed` holds the ranks that another process (another incarnation)
// holds now than when `from` was built.
LayoutDiff Diff(const Layout& from, const Layout& to, std::set<GlobalRank> changed);

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_DIFF_H_
