#ifndef MUSTER_COMMON_LAYOUT_PRESET_REGROUP_H_
#define MUSTER_COMMON_LAYOUT_PRESET_REGROUP_H_

#include <cstdint>

#include "common/layout/group_shape.h"

namespace muster {

// Other groups of the same ranks.

// Cuts every group, in member order, into runs of `run` members, which is at least 1; the runs of
// the first group come first. The last run of a group is shorter if its size is no multiple. Gives
// a rule where there is one, else lists.
GroupShape CutIntoRuns(const StridedGroups& groups, int32_t run);

// Joins every `count` groups that follow one another: the members of the first of them, then those
// of the second, and so on. The first ranks of the groups are evenly spaced, and the number of
// groups is a multiple of `count`.
StridedGroups JoinGroups(const StridedGroups& groups, int32_t count);

// Cuts every group, in member order, into runs of `before` * `size` members, and takes from each
// run the `before` groups of `size` members that lie `before` apart. The members of a group are
// evenly spaced, and their number is a multiple of `before` * `size`.
StridedGroups TakeLevel(const StridedGroups& groups, int32_t before, int32_t size);

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_PRESET_REGROUP_H_
