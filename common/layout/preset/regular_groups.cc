#include "common/layout/preset/regular_groups.h"

namespace muster {

StridedGroups Runs(RankRun ranks, int32_t size) {
  return {.first_rank = GlobalRank(ranks.first),
          .outer = {{.size = ranks.count / size, .stride = size}},
          .inner = {{.size = size, .stride = 1}}};
}

StridedGroups Columns(RankRun ranks, int32_t stride) {
  return {.first_rank = GlobalRank(ranks.first),
          .outer = {{.size = stride, .stride = 1}},
          .inner = {{.size = ranks.count / stride, .stride = stride}}};
}

StridedGroups Singletons(RankRun ranks) { return Runs(ranks, 1); }

StridedGroups Whole(RankRun ranks) { return Runs(ranks, ranks.count); }

std::vector<std::vector<GlobalRank>> Shifted(std::vector<std::vector<GlobalRank>> groups,
                                             int32_t shift) {
  for (std::vector<GlobalRank>& members : groups) {
    for (GlobalRank& rank : members) rank.value += shift;
  }
  return groups;
}

}  // namespace muster
