#include "cli/plan_output.h"

#include <cstdint>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "cli/output.h"
#include "cli/plan_text.h"
#include "cli/plan_view.h"
#include "common/base/status_macros.h"
#include "common/layout/layout_error.h"
#include "common/wire/job_spec.h"

namespace muster::cli {
namespace {

absl::StatusOr<Layout> LayoutOf(const v1::JobSpec& wire) {
  MUSTER_ASSIGN_OR_RETURN(const JobSpec spec, FromProto(wire));
  MUSTER_ASSIGN_OR_RETURN(Layout layout, ValidateJobSpec(spec));
  const int64_t places = std::ssize(layout.kinds()) * layout.world_size();
  if (places > kPlanPlacesMax) {
    return LayoutError(ErrorKind::kLimitExceeded,
                       absl::StrCat(layout.world_size(), " ranks x ", layout.kinds().size(),
                                    " kinds of groups = ", places, " places to list, want at most ",
                                    kPlanPlacesMax),
                       "Plan a smaller world of the same shape.");
  }
  return layout;
}

template <typename View>
std::string Print(const View& view, const PlanOptions& options) {
  if (options.format == "table") return PlanTables(view, options.headers);
  if (options.format == "dot") return PlanDot(view);
  return FormatMessage(view, options.format);
}

}  // namespace

absl::StatusOr<std::string> PlanOutput(const PlanOptions& options) {
  MUSTER_ASSIGN_OR_RETURN(const v1::JobSpec spec, LoadPlannedSpec(options));
  MUSTER_ASSIGN_OR_RETURN(const Layout layout, LayoutOf(spec));
  if (options.from.empty()) return Print(MakePlanView(layout, spec.name()), options);

  MUSTER_ASSIGN_OR_RETURN(const WeightRule weights, WeightRule::Parse(options.weights));
  MUSTER_ASSIGN_OR_RETURN(const v1::JobSpec old_spec, LoadSpec({.file = options.from}));
  MUSTER_ASSIGN_OR_RETURN(const Layout old_layout, LayoutOf(old_spec));
  return Print(MakePlanChangeView(old_layout, layout, spec.name(), weights), options);
}

}  // namespace muster::cli
