#include "tests/testing/slow_layouts.h"

#include <algorithm>
#include <cstddef>

namespace muster {
namespace {

// Deals the members of `cards` out in lists of `size`, one list after another.
SlowGroups InPieces(const std::vector<GlobalRank>& cards, int32_t size) {
  SlowGroups pieces;
  for (const GlobalRank card : cards) {
    if (pieces.empty() || std::ssize(pieces.back()) == size) pieces.emplace_back();
    pieces.back().push_back(card);
  }
  return pieces;
}

// Deals the members of `cards` out one by one, to `players` in turn.
SlowGroups Dealt(const std::vector<GlobalRank>& cards, int32_t players) {
  SlowGroups hands(static_cast<size_t>(players));
  size_t player = 0;
  for (const GlobalRank card : cards) {
    hands[player].push_back(card);
    player = player + 1 == hands.size() ? 0 : player + 1;
  }
  return hands;
}

std::vector<GlobalRank> RanksFrom(int32_t first, int32_t count) {
  std::vector<GlobalRank> ranks;
  for (int32_t rank = first; rank < first + count; ++rank) ranks.emplace_back(rank);
  return ranks;
}

void Append(const SlowGroups& more, SlowGroups& groups) {
  groups.insert(groups.end(), more.begin(), more.end());
}

}  // namespace

SlowGrid::SlowGrid(std::vector<std::pair<std::string, int32_t>> dims) : dims_(std::move(dims)) {
  places_ = {{}};
  for (const auto& dim : dims_) {
    std::vector<Place> longer;
    for (const Place& place : places_) {
      for (int32_t coordinate = 0; coordinate < dim.second; ++coordinate) {
        longer.push_back(place);
        longer.back().push_back(coordinate);
      }
    }
    places_ = std::move(longer);
  }
}

SlowGrid::Place SlowGrid::Pick(const Place& place, const std::vector<std::string>& dims) const {
  Place picked;
  for (const std::string& name : dims) {
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (dims_[d].first == name) picked.push_back(place[d]);
    }
  }
  return picked;
}

SlowGroups SlowGrid::Groups(const std::vector<std::string>& outside,
                            const std::vector<std::string>& inside) const {
  std::map<Place, std::map<Place, GlobalRank>> sorted;
  for (size_t rank = 0; rank < places_.size(); ++rank) {
    sorted[Pick(places_[rank], outside)][Pick(places_[rank], inside)] =
        GlobalRank(static_cast<int32_t>(rank));
  }
  SlowGroups groups;
  for (const auto& entry : sorted) {
    groups.emplace_back();
    for (const auto& member : entry.second) groups.back().push_back(member.second);
  }
  return groups;
}

SlowGroups SlowGrid::GroupsOver(const std::vector<std::string>& inside) const {
  std::vector<std::string> out;
  std::vector<std::string> in;
  for (const auto& dim : dims_) {
    const bool is_inside = std::find(inside.begin(), inside.end(), dim.first) != inside.end();
    (is_inside ? in : out).push_back(dim.first);
  }
  return Groups(out, in);
}

SlowGroups SlowRuns(int32_t first, int32_t count, int32_t size) {
  return InPieces(RanksFrom(first, count), size);
}

SlowGroups SlowDeal(int32_t count, int32_t players) { return Dealt(RanksFrom(0, count), players); }

SlowLayout SlowSequence(const SlowGroups& sp, int32_t ulysses, int32_t ring, bool ulysses_low) {
  SlowLayout layout = {{"ulysses", {}}, {"ring", {}}};
  for (const std::vector<GlobalRank>& members : sp) {
    if (ulysses_low) {
      Append(InPieces(members, ulysses), layout["ulysses"]);
      Append(Dealt(members, ulysses), layout["ring"]);
    } else {
      Append(Dealt(members, ring), layout["ulysses"]);
      Append(InPieces(members, ring), layout["ring"]);
    }
  }
  return layout;
}

SlowLayout SlowLayoutOf(const SlowFastVideo& sizes) {
  return {{"world", {RanksFrom(0, sizes.world)}},
          {"node", SlowRuns(0, sizes.world, sizes.node)},
          {"tp", SlowRuns(0, sizes.world, sizes.tp)},
          {"sp", SlowRuns(0, sizes.world, sizes.sp)},
          {"dp", SlowDeal(sizes.world, sizes.sp)}};
}

SlowLayout SlowLayoutOf(const SlowOmni& sizes) {
  const int32_t sp = sizes.allgather > 1 ? sizes.allgather : sizes.ulysses * sizes.ring;
  const int32_t world = sizes.tp * sp * sizes.pp * sizes.cfg * sizes.dp;
  const SlowGrid grid(
      {{"dp", sizes.dp}, {"cfg", sizes.cfg}, {"pp", sizes.pp}, {"sp", sp}, {"tp", sizes.tp}});
  const SlowGroups alone = SlowRuns(0, world, 1);
  // HSDP over a world in which nothing else is parallel: nobody has company elsewhere.
  const bool all_alone = sizes.shard > 0 && sizes.dp == world;
  const auto over = [&](const std::vector<std::string>& inside) {
    return all_alone ? alone : grid.GroupsOver(inside);
  };
  SlowLayout layout;
  for (const std::string name : {"dp", "cfg", "pp", "sp", "tp"}) layout[name] = over({name});
  layout["expert_layout"] = over({"tp", "sp", "cfg", "dp"});
  layout["ulysses"] = layout["ring"] = layout["allgather"] = alone;
  if (sizes.allgather > 1) {
    layout["allgather"] = layout["sp"];
  } else {
    SlowLayout cut = SlowSequence(layout["sp"], sizes.ulysses, sizes.ring, true);
    layout["ulysses"] = cut["ulysses"];
    layout["ring"] = cut["ring"];
  }
  if (sizes.shard > 0) layout["fs"] = SlowRuns(0, world, sizes.shard);
  if (sizes.shard > 0 && sizes.shard < world) {
    layout["hsdp_replicate"] = SlowDeal(world, sizes.shard);
  }
  if (sizes.experts) {
    layout["ep"] = layout["expert_layout"];
    layout["pcp"] = layout["sp"];
    layout["vllm_dp"] = over({"cfg", "dp"});
  }
  return layout;
}

SlowLayout SlowLayoutOf(const SlowXdit& sizes) {
  const int32_t sp = sizes.ulysses * sizes.ring;
  const int32_t dit = sizes.tp * sp * sizes.pp * sizes.cfg * sizes.dp;
  const SlowGrid grid(
      {{"dp", sizes.dp}, {"cfg", sizes.cfg}, {"pp", sizes.pp}, {"sp", sp}, {"tp", sizes.tp}});
  SlowLayout layout = SlowSequence(SlowRuns(0, dit, sp), sizes.ulysses, sizes.ring, true);
  for (const std::string name : {"dp", "cfg", "pp", "sp", "tp"}) {
    layout[name] = grid.GroupsOver({name});
  }
  layout["fs"] = SlowRuns(0, dit, sizes.shard);
  if (sizes.vae > 0) layout["vae"] = {RanksFrom(dit, sizes.vae)};
  layout["dit"] = {RanksFrom(0, dit)};
  return layout;
}

SlowLayout SlowLayoutOf(const SlowVllm& sizes) {
  const SlowGrid grid({{"replica", sizes.replicas},
                       {"dp", sizes.dp},
                       {"pp", sizes.pp},
                       {"pcp", sizes.pcp},
                       {"tp", sizes.tp}});
  // Each kind turns the grid so that its own dimension is the fastest, by exchanging it for tp.
  SlowLayout layout = {
      {"tp", grid.Groups({"replica", "dp", "pp", "pcp"}, {"tp"})},
      {"pcp", grid.Groups({"replica", "dp", "pp", "tp"}, {"pcp"})},
      {"pp", grid.Groups({"replica", "dp", "tp", "pcp"}, {"pp"})},
      {"dp", grid.Groups({"replica", "tp", "pp", "pcp"}, {"dp"})},
  };
  const std::vector<std::string> stage = sizes.dcp_spans_pcp
                                             ? std::vector<std::string>{"tp", "pcp"}
                                             : std::vector<std::string>{"pcp", "tp"};
  for (const auto& members : grid.Groups({"replica", "dp", "pp"}, stage)) {
    Append(InPieces(members, sizes.dcp), layout["dcp"]);
  }
  if (sizes.experts) layout["ep"] = grid.Groups({"replica", "pp"}, {"dp", "pcp", "tp"});
  return layout;
}

}  // namespace muster
