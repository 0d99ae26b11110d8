#include "cli/plan_view.h"

#include <optional>
#include <set>
#include <vector>

#include "common/layout/diff.h"
#include "common/layout/queries.h"

namespace muster::cli {
namespace {

void AddGroups(const Layout& layout, const std::string& job, v1::PlanView& view) {
  for (GroupId id; id.kind < std::ssize(layout.kinds()); ++id.kind) {
    const GroupKind& kind = layout.kinds()[static_cast<size_t>(id.kind)];
    for (id.index = 0; id.index < kind.group_count; ++id.index) {
      v1::PlanGroup& group = *view.add_groups();
      group.set_name(layout.Name(id, job));
      group.set_kind(kind.name);
      group.set_built(layout.IsBuilt(id));
      for (const GlobalRank rank : layout.Members(id)) group.add_ranks(rank.value);
    }
  }
}

void AddRanks(const Layout& layout, const std::string& job, v1::PlanView& view) {
  const auto table = RankTable(layout);
  for (GlobalRank rank(0); layout.HasRank(rank); ++rank.value) {
    v1::PlanRank& row = *view.add_ranks();
    row.set_rank(rank.value);
    for (size_t kind = 0; kind < table.size(); ++kind) {
      const std::optional<GroupPlace>& place = table[kind][static_cast<size_t>(rank.value)];
      if (!place.has_value()) continue;
      const GroupId id = {.kind = static_cast<int32_t>(kind), .index = place->index};
      v1::PlanPlace& added = *row.add_places();
      added.set_group(layout.Name(id, job));
      added.set_group_rank(place->rank.value);
      added.set_size(layout.GroupSize(id));
    }
  }
}

v1::PlanAction ActionOf(const GroupChange& change, bool has_parent) {
  switch (change.action) {
    case GroupAction::kKeep:
      return v1::PLAN_ACTION_KEEP;
    case GroupAction::kBuild:
      return has_parent ? v1::PLAN_ACTION_SPLIT : v1::PLAN_ACTION_BUILD;
    case GroupAction::kRetire:
      break;
  }
  return v1::PLAN_ACTION_RETIRE;
}

const std::string& KindName(const Layout& layout, GroupId id) {
  return layout.kinds()[static_cast<size_t>(id.kind)].name;
}

// What `change` means for weights, which move for the kinds `moved`.
v1::PlanWeights WeightsOf(const GroupChange& change, const Layout& from, const Layout& to,
                          const std::set<std::string>& moved) {
  if (change.action == GroupAction::kKeep) {
    const std::string& before = KindName(from, *change.from);
    const std::string& after = KindName(to, *change.to);
    const bool moves = before != after && (moved.contains(before) || moved.contains(after));
    return moves ? v1::PLAN_WEIGHTS_MOVES : v1::PLAN_WEIGHTS_UNSPECIFIED;
  }
  const std::string& kind =
      change.to.has_value() ? KindName(to, *change.to) : KindName(from, *change.from);
  return moved.contains(kind) ? v1::PLAN_WEIGHTS_MOVES : v1::PLAN_WEIGHTS_STATELESS;
}

}  // namespace

v1::PlanView MakePlanView(const Layout& layout, const std::string& job) {
  v1::PlanView view;
  view.set_job(job);
  view.set_world_size(layout.world_size());
  AddGroups(layout, job, view);
  AddRanks(layout, job, view);
  return view;
}

v1::PlanChangeView MakePlanChangeView(const Layout& from, const Layout& to, const std::string& job,
                                      const WeightRule& weights) {
  v1::PlanChangeView view;
  view.set_job(job);
  view.set_from_world_size(from.world_size());
  view.set_to_world_size(to.world_size());
  const std::set<std::string> moved = weights.MovedKinds(from, to);
  std::set<GlobalRank> touched;
  const LayoutDiff diff = Diff(from, to, {});
  for (const GroupChange& change : diff.Actions()) {
    const bool retired = change.action == GroupAction::kRetire;
    const Layout& layout = retired ? from : to;
    const GroupId id = retired ? *change.from : *change.to;
    std::optional<GroupId> old = change.from;
    if (change.action == GroupAction::kBuild) old = diff.ParentOf(id);

    v1::PlanChange& row = *view.add_changes();
    row.set_action(ActionOf(change, old.has_value()));
    row.set_group(layout.Name(id, job));
    if (old.has_value() && !retired) row.set_from(from.Name(*old, job));
    row.set_weights(WeightsOf(change, from, to, moved));
    const std::vector<GlobalRank> members = layout.Members(id);
    for (const GlobalRank rank : members) row.add_ranks(rank.value);
    if (row.weights() == v1::PLAN_WEIGHTS_UNSPECIFIED) continue;
    touched.insert(members.begin(), members.end());
  }
  for (const GlobalRank rank : touched) view.add_touched_ranks(rank.value);
  for (const std::string& kind : moved) view.add_moved_kinds(kind);
  return view;
}

}  // namespace muster::cli
