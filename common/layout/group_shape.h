#ifndef MUSTER_COMMON_LAYOUT_GROUP_SHAPE_H_
#define MUSTER_COMMON_LAYOUT_GROUP_SHAPE_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/ids.h"

namespace muster {

// `size` steps of `stride` ranks.
struct Axis {
  int32_t size = 1;
  int32_t stride = 1;

  friend bool operator==(const Axis&, const Axis&) = default;
};

// Where a rank is among the groups of one kind.
struct GroupPlace {
  int32_t index = 0;  // of the group
  GroupRank rank;     // in that group

  friend bool operator==(const GroupPlace&, const GroupPlace&) = default;
};

// Groups of one kind as a rule: a few numbers whatever the world size, and no table.
//
// Both lists are slowest first, in whatever order of strides: one counts groups, the other members.
// Group g starts at `first_rank` plus the steps that g, written in the mixed radix of `outer`,
// takes along `outer`; its members follow by counting along `inner`.
//
// A step along an axis is longer than all steps together that the axes of shorter strides can take,
// so that no rank is reached twice. Ranks that are not reached are in no group: two axes of size 2
// with strides 1 and 6 leave out ranks 2 to 5.
struct StridedGroups {
  GlobalRank first_rank;
  std::vector<Axis> outer;
  std::vector<Axis> inner;

  friend bool operator==(const StridedGroups&, const StridedGroups&) = default;
};

// Groups of one kind as lists, none of them empty. No rank appears twice.
class ListedGroups {
 public:
  explicit ListedGroups(std::vector<std::vector<GlobalRank>> groups);

  const std::vector<std::vector<GlobalRank>>& groups() const { return groups_; }

  // The place of `rank`; nothing if it is in no group. Costs O(log ranks listed).
  std::optional<GroupPlace> Find(GlobalRank rank) const;

 private:
  std::vector<std::vector<GlobalRank>> groups_;
  std::vector<std::pair<GlobalRank, GroupPlace>> places_;  // ordered by rank
};

using GroupShape = std::variant<StridedGroups, ListedGroups>;

// Number of groups.
int32_t GroupCount(const GroupShape& shape);

// Number of members of group `index`, which must be one of the shape.
int32_t GroupSize(const GroupShape& shape, int32_t index);

// The members of group `index`, which must be one of the shape, in group-rank order.
std::vector<GlobalRank> GroupMembers(const GroupShape& shape, int32_t index);

// The place of `rank`; nothing if it is in no group. Costs O(axes) or O(log ranks listed).
std::optional<GroupPlace> Locate(const GroupShape& shape, GlobalRank rank);

// The same ranks in the same order with as few axes as possible: neighbours that count through
// evenly spaced ranks become one, and those of size 1 vanish. Two lists of axes count through the
// same ranks in the same order if and only if this form is equal.
std::vector<Axis> MergeAxes(const std::vector<Axis>& axes);

// Tells whether group `a_index` of `a` and group `b_index` of `b` have the same members in the same
// order. Costs O(axes) when both are strided, else O(members).
bool SameMembers(const GroupShape& a, int32_t a_index, const GroupShape& b, int32_t b_index);

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_GROUP_SHAPE_H_
