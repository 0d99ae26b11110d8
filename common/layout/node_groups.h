#ifndef MUSTER_COMMON_LAYOUT_NODE_GROUPS_H_
#define MUSTER_COMMON_LAYOUT_NODE_GROUPS_H_

#include <span>
#include <string>
#include <string_view>

#include "common/layout/layout_spec.h"

namespace muster {

// The name of the groups that NodeGroups() gives.
inline constexpr std::string_view kNodeGroupsName = "node";

// The ranks of each host as explicit groups: `host_ids` names the host of each rank, from rank 0
// on, and two ranks are on one host exactly when these are equal. Hosts may hold any number of
// ranks, and those of one host need not be neighbours.
//
// Groups are counted by their lowest ranks and members ascend, so that a rank's place in its group
// is its local rank.
ExplicitGroups NodeGroups(std::span<const std::string> host_ids);

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_NODE_GROUPS_H_
