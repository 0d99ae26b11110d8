#ifndef MUSTER_COMMON_LAYOUT_PRESET_REGULAR_GROUPS_H_
#define MUSTER_COMMON_LAYOUT_PRESET_REGULAR_GROUPS_H_

#include <cstdint>
#include <vector>

#include "common/base/ids.h"
#include "common/layout/group_shape.h"
#include "common/layout/layout_spec.h"

namespace muster {

// Groups that follow from a few numbers. Sizes are 1 or more, and divide what they cut.

// Runs of `size` neighbours: {0, 1}, {2, 3}, ...
StridedGroups Runs(RankRun ranks, int32_t size);

// Groups of the ranks that are `stride` apart: {0, 4}, {1, 5}, ... Ranks are members of group
// `rank % stride`, so there are `stride` groups.
StridedGroups Columns(RankRun ranks, int32_t stride);

// A group for each rank.
StridedGroups Singletons(RankRun ranks);

// One group of all `ranks`.
StridedGroups Whole(RankRun ranks);

// The same groups that begin `shift` ranks further.
std::vector<std::vector<GlobalRank>> Shifted(std::vector<std::vector<GlobalRank>> groups,
                                             int32_t shift);

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_PRESET_REGULAR_GROUPS_H_
