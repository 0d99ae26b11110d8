#ifndef MUSTER_WORKER_CORE_BUILD_TABLE_H_
#define MUSTER_WORKER_CORE_BUILD_TABLE_H_

#include <optional>
#include <vector>

#include "common/base/ids.h"
#include "common/layout/layout.h"
#include "common/session/session.h"

namespace muster::worker {

// What is known of the other members of one group that is to be built.
struct BuildTable {
  std::vector<Peer> peers;  // All other members, by group rank, if `missing` is empty.
  std::vector<GlobalRank>
      missing;  // Those whose endpoint is not known yet, ascending by group rank.
  // Somebody is listed at a place that the layout gives to another rank; nothing may be built.
  std::optional<BuildFailure> wrong;
};

// Picks the other members of `group` out of `peers` and holds them to `layout`.
BuildTable MakeBuildTable(const Layout& layout, const GroupMembership& group,
                          const std::vector<Peer>& peers);

}  // namespace muster::worker

#endif  // MUSTER_WORKER_CORE_BUILD_TABLE_H_
