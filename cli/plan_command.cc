// plan: the layout that a spec leads to, without a coordinator.

#include <cstdio>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/plan_args.h"
#include "cli/plan_output.h"

namespace muster::cli {

int Plan(const Args& args) {
  const absl::StatusOr<PlanOptions> options = ParsePlanArgs(args);
  if (!options.ok()) return FailUsage(options.status());
  if (!options->help.empty()) return std::fputs(options->help.c_str(), stdout), kOk;
  const absl::StatusOr<std::string> text = PlanOutput(*options);
  if (!text.ok()) return Fail(text.status());
  std::fputs(text->c_str(), stdout);
  return kOk;
}

}  // namespace muster::cli
