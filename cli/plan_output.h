#ifndef MUSTER_CLI_PLAN_OUTPUT_H_
#define MUSTER_CLI_PLAN_OUTPUT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "cli/plan_args.h"

namespace muster::cli {

// Places of ranks in groups that a plan may list: ranks of the world x kinds of groups.
inline constexpr int64_t kPlanPlacesMax = 4 << 20;

// What `muster plan` prints for `options`: the layout in full, or what changes from the job file
// PlanOptions::from to it.
//
// Errors: those of LoadPlannedSpec(), of FromProto() and of ValidateJobSpec(), for either job;
// those of WeightRule::Parse().
absl::StatusOr<std::string> PlanOutput(const PlanOptions& options);

}  // namespace muster::cli

#endif  // MUSTER_CLI_PLAN_OUTPUT_H_
