#ifndef MUSTER_COMMON_LAYOUT_QUERIES_H_
#define MUSTER_COMMON_LAYOUT_QUERIES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/ids.h"
#include "common/layout/group_shape.h"
#include "common/layout/layout.h"

// What is asked about groups beyond the tables of Layout. None of it makes a table of the world,
// unless it says so. Ranks and group ids handed in must be those of the layout; the process ends
// otherwise.
namespace muster {

// The member at a place of group `index` of `shape`. Both must be there. Costs O(axes).
GlobalRank MemberAt(const GroupShape& shape, int32_t index, GroupRank rank);

// The member at a place of a group; `rank` must be below its size. Costs O(axes).
GlobalRank MemberAt(const Layout& layout, GroupId id, GroupRank rank);

// The place of `rank` in a group; nothing if it is no member. Costs O(axes) or O(log ranks listed).
std::optional<GroupRank> PlaceIn(const Layout& layout, GroupId id, GlobalRank rank);

GlobalRank FirstRank(const Layout& layout, GroupId id);
GlobalRank LastRank(const Layout& layout, GroupId id);

// Neighbours of `place` in the order of its group. The last member is followed by the first; in a
// group of one, everyone is its own neighbour.
GroupRank NextRank(const GroupMembership& place);
GroupRank PreviousRank(const GroupMembership& place);

// The place as far from the end as `place` is from the start. The middle of an odd group is its own
// mirror.
GroupRank MirrorRank(const GroupMembership& place);

// The same, as ranks of the world.
GlobalRank NextGlobalRank(const Layout& layout, const GroupMembership& place);
GlobalRank PreviousGlobalRank(const Layout& layout, const GroupMembership& place);
GlobalRank MirrorGlobalRank(const Layout& layout, const GroupMembership& place);

// The place of `rank` among the groups of `kind`, such as "dit.pp": its stage, if this is a
// pipeline.
//
// Errors: kInvalidArgument: unknown_name (of the kind); rank_not_in_any_group.
absl::StatusOr<GroupMembership> StageOf(const Layout& layout, std::string_view kind,
                                        GlobalRank rank);

// Whether a place is the first or the last of its group. Both in a group of one.
bool IsFirstStage(const GroupMembership& place);
bool IsLastStage(const GroupMembership& place);

// The groups that hold all of `ranks`, which is not empty, ordered by id: the world is always among
// them. Costs O(kinds x ranks).
std::vector<GroupId> GroupsContaining(const Layout& layout, std::span<const GlobalRank> ranks);

// Members by a rule: `offset` plus the steps along `axes`, slowest first, none of size 1.
struct StridedMembers {
  GlobalRank offset;
  std::vector<Axis> axes;

  friend bool operator==(const StridedMembers&, const StridedMembers&) = default;
};

// One of a rank's groups, in a few numbers.
struct GroupDescriptor {
  GroupMembership place;
  // A list where the members follow no rule, in group-rank order.
  std::variant<StridedMembers, std::vector<GlobalRank>> members;

  friend bool operator==(const GroupDescriptor&, const GroupDescriptor&) = default;
};

// The groups of `rank`, ordered by id. Costs O(kinds), and O(members) for groups that are listed.
std::vector<GroupDescriptor> DescribeGroups(const Layout& layout, GlobalRank rank);

// The members of `group` in group-rank order. Costs O(members).
std::vector<GlobalRank> Materialize(const GroupDescriptor& group);

// Where every rank is: one row for each kind of Layout::kinds(), one entry for each rank; nothing
// where the rank is in no group of that kind. A table of the whole world, for people and tools.
// Costs O(kinds x world).
std::vector<std::vector<std::optional<GroupPlace>>> RankTable(const Layout& layout);

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_QUERIES_H_
