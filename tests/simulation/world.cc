#include "tests/simulation/world.h"

#include <algorithm>

#include "common/base/check.h"

namespace muster::sim {

World::World(uint64_t seed, std::ostream* trace_out)
    : plan(DrawPlan(seed)),
      trace(trace_out),
      checks(*this),
      network(*this),
      journal(*this),
      coordinator(*this),
      hall(*this),
      board(*this),
      processes(*this),
      admin(*this),
      faults(*this) {
  for (const JobPlan& job : plan.jobs) {
    absl::StatusOr<Layout> layout = Layout::Create(job.spec.layout);
    MUSTER_CHECK(layout.ok(), std::string(layout.status().message()));
    layouts.emplace(job.spec.name, *std::move(layout));
  }
}

size_t World::BuiltGroupsOf(const std::string& job, GlobalRank rank) const {
  const Layout& layout = LayoutOf(job);
  const std::vector<GroupMembership> groups = layout.GroupsOf(rank);
  return static_cast<size_t>(
      std::count_if(groups.begin(), groups.end(),
                    [&](const GroupMembership& group) { return layout.IsBuilt(group.id); }));
}

}  // namespace muster::sim
