#include "tests/fuzz/plan_job.h"

#include <optional>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/base/error_detail.h"
#include "common/base/status_macros.h"
#include "common/jobfile/jobfile.h"
#include "common/layout/diff.h"
#include "common/layout/queries.h"
#include "common/session/job_spec.h"
#include "common/wire/job_spec.h"

namespace muster {
namespace {

// Larger worlds are planned but not gone through rank by rank and group by group.
constexpr int32_t kCheckedWorldMax = 512;

absl::StatusOr<Layout> Plan(std::string_view text) {
  MUSTER_ASSIGN_OR_RETURN(const v1::JobSpec wire, ParseJobFile(text, "fuzz.yaml"));
  MUSTER_ASSIGN_OR_RETURN(const JobSpec spec, FromProto(wire));
  MUSTER_ASSIGN_OR_RETURN(Layout layout, ValidateJobSpec(spec));
  const absl::StatusOr<JobSpec> again = FromProto(ToProto(spec));
  MUSTER_CHECK(again.ok(), again.status().ToString());
  MUSTER_CHECK(ToProto(*again).SerializeAsString() == ToProto(spec).SerializeAsString(),
               "the wire form leads to another job");
  return layout;
}

void CheckRank(const Layout& layout, GlobalRank rank) {
  for (const GroupDescriptor& group : DescribeGroups(layout, rank)) {
    const GroupMembership& place = group.place;
    MUSTER_CHECK(layout.HasGroup(place.id), "a group that is not there");
    MUSTER_CHECK(place.rank.value >= 0 && place.rank.value < place.size, "a place outside");
    MUSTER_CHECK(MemberAt(layout, place.id, place.rank) == rank, "another rank at the place");
    const absl::StatusOr<GroupId> found = layout.Find(layout.Name(place.id, "fuzz"));
    MUSTER_CHECK(found.ok() && *found == place.id, "a name that is not found");
  }
}

void CheckGroups(const Layout& layout) {
  for (GroupId id; id.kind < std::ssize(layout.kinds()); ++id.kind) {
    for (id.index = 0; layout.HasGroup(id); ++id.index) {
      const std::vector<GlobalRank> members = layout.Members(id);
      MUSTER_CHECK(std::ssize(members) == layout.GroupSize(id), "members without a size");
      for (size_t m = 0; m < members.size(); ++m) {
        MUSTER_CHECK(layout.HasRank(members[m]), "a member outside the world");
        const std::optional<GroupRank> place = PlaceIn(layout, id, members[m]);
        MUSTER_CHECK(place == GroupRank(static_cast<int32_t>(m)), "a member at another place");
      }
    }
  }
}

void CheckLayout(const Layout& layout) {
  const GlobalRank last(layout.world_size() - 1);
  for (const GlobalRank rank : {GlobalRank(0), GlobalRank(last.value / 2), last}) {
    CheckRank(layout, rank);
  }
  if (layout.world_size() > kCheckedWorldMax) return;
  CheckGroups(layout);
  for (const GroupChange& change : Diff(layout, layout, {}).Actions()) {
    MUSTER_CHECK(change.action == GroupAction::kKeep, "a change from a layout to itself");
  }
}

}  // namespace

absl::StatusOr<Layout> PlanJob(std::string_view text) {
  absl::StatusOr<Layout> layout = Plan(text);
  if (layout.ok()) {
    CheckLayout(*layout);
  } else {
    MUSTER_CHECK(DetailOf(layout.status()).has_value(), layout.status().ToString());
    MUSTER_CHECK(!layout.status().message().empty(), "an error that says nothing");
  }
  return layout;
}

}  // namespace muster
