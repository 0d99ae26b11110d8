#include "tests/common/layout/preset/slow_megatron.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace muster {
namespace {

// The grid of `order`, whose dimensions have the sizes `sizes`.
SlowGrid GridOf(const std::vector<std::string>& order, std::map<std::string, int32_t> sizes) {
  std::vector<std::pair<std::string, int32_t>> dims;
  for (const std::string& name : order) dims.insert(dims.begin(), {name, sizes[name]});
  return SlowGrid(std::move(dims));
}

std::vector<std::string> Behind(std::vector<std::string> order, const std::string& anchor) {
  const auto at = std::find(order.begin(), order.end(), anchor);
  order.insert(at + 1, "gtp_remat");
  return order;
}

SlowGroups Parts(const SlowGroups& groups, size_t size) {
  SlowGroups parts;
  for (const auto& group : groups) {
    for (size_t i = 0; i < group.size(); ++i) {
      if (i % size == 0) parts.emplace_back();
      parts.back().push_back(group[i]);
    }
  }
  return parts;
}

// Members whose place, written in digits of the sizes of the levels, differs in one digit only.
SlowGroups Level(const SlowGroups& groups, int32_t below, int32_t size) {
  SlowGroups taken;
  for (const auto& group : groups) {
    std::map<std::pair<int32_t, int32_t>, std::vector<GlobalRank>> by_others;
    int32_t place = 0;
    for (const GlobalRank rank : group) {
      by_others[{place / (below * size), place % below}].push_back(rank);
      ++place;
    }
    for (const auto& [others, members] : by_others) taken.push_back(members);
  }
  return taken;
}

SlowGroups Ends(const SlowGroups& pipelines, bool last) {
  SlowGroups ends;
  for (const auto& stages : pipelines) {
    ends.push_back({stages.front()});
    if (last && stages.size() > 1) ends.back().push_back(stages.back());
  }
  return ends;
}

SlowGroups Joined(const SlowGroups& groups, size_t count) {
  SlowGroups joined;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (i % count == 0) joined.emplace_back();
    joined.back().insert(joined.back().end(), groups[i].begin(), groups[i].end());
  }
  return joined;
}

void AddDense(const SlowMegatron& sizes, SlowLayout& layout) {
  const int32_t dp = sizes.world / (sizes.tp * sizes.pp * sizes.cp * sizes.gtp_remat);
  const SlowGrid grid = GridOf(Behind(sizes.order, "tp"), {{"tp", sizes.tp},
                                                           {"pp", sizes.pp},
                                                           {"dp", dp},
                                                           {"ep", 1},
                                                           {"cp", sizes.cp},
                                                           {"gtp_remat", sizes.gtp_remat}});
  layout["tp"] = grid.GroupsOver({"tp"});
  layout["cp"] = grid.GroupsOver({"cp"});
  layout["dp"] = grid.GroupsOver({"dp"});
  layout["pp"] = grid.GroupsOver({"pp"});
  layout["dp_cp"] = grid.GroupsOver({"dp", "cp"});
  layout["tp_cp"] = grid.GroupsOver({"tp", "cp"});
  layout["tp_dp"] = grid.GroupsOver({"tp", "dp"});
  layout["tp_dp_cp"] = grid.GroupsOver({"tp", "dp", "cp"});
  layout["mp"] = grid.GroupsOver({"tp", "pp", "gtp_remat"});
  layout["embedding"] = Ends(layout["pp"], true);
  layout["position_embedding"] = Ends(layout["pp"], false);
  if (sizes.gtp_remat > 1) {
    layout["gtp_remat"] = grid.GroupsOver({"gtp_remat"});
    layout["dp_gtp_remat"] = grid.GroupsOver({"dp", "gtp_remat"});
    layout["dp_cp_gtp_remat"] = grid.GroupsOver({"dp", "cp", "gtp_remat"});
  }
  if (sizes.twins) layout["dp_cp_ag"] = layout["dp_cp"];
  const auto dp_cp = static_cast<size_t>(dp) * static_cast<size_t>(sizes.cp);
  if (sizes.instances > 1) {
    layout["intra_dp_cp"] = Parts(layout["dp_cp"], dp_cp / static_cast<size_t>(sizes.instances));
  }
  for (size_t size = 2; sizes.hybrid && size * 2 <= dp_cp; size *= 2) {
    layout["hybrid_dp_cp_" + std::to_string(size)] = Parts(layout["dp_cp"], size);
  }
  int32_t below = 1;
  for (size_t level = 0; level < sizes.levels.size(); ++level) {
    layout["hcp_l" + std::to_string(level)] = Level(layout["cp"], below, sizes.levels[level]);
    below *= sizes.levels[level];
  }
}

void AddExperts(const SlowMegatron& sizes, SlowLayout& layout) {
  const int32_t dp = sizes.world / (sizes.expert_tp * sizes.ep * sizes.pp * sizes.expert_gtp_remat);
  const SlowGrid grid = GridOf(Behind(sizes.order, "ep"), {{"tp", sizes.expert_tp},
                                                           {"pp", sizes.pp},
                                                           {"dp", dp},
                                                           {"ep", sizes.ep},
                                                           {"cp", 1},
                                                           {"gtp_remat", sizes.expert_gtp_remat}});
  layout["ep"] = grid.GroupsOver({"ep"});
  layout["expert_tp"] = grid.GroupsOver({"tp"});
  layout["expert_dp"] = grid.GroupsOver({"dp"});
  layout["expert_tp_ep"] = grid.GroupsOver({"tp", "ep"});
  layout["expert_tp_ep_pp"] = grid.GroupsOver({"tp", "ep", "pp", "gtp_remat"});
  if (sizes.expert_gtp_remat > 1) layout["expert_gtp_remat"] = grid.GroupsOver({"gtp_remat"});
  if (sizes.twins) layout["expert_dp_ag"] = layout["expert_dp"];
  const int32_t part = dp / sizes.instances;
  if (sizes.instances > 1) {
    layout["intra_expert_dp"] = Level(layout["expert_dp"], 1, part);
    layout["inter_expert_dp"] = Level(layout["expert_dp"], part, sizes.instances);
  }
  layout["intra_dist_opt"] = Joined(layout["expert_tp_ep_pp"], static_cast<size_t>(part));
}

}  // namespace

SlowLayout SlowLayoutOf(const SlowMegatron& sizes) {
  SlowLayout layout;
  AddDense(sizes, layout);
  AddExperts(sizes, layout);
  return layout;
}

}  // namespace muster
