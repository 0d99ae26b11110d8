// plan: the layout that a spec leads to, without a coordinator.

#include <cstdio>
#include <fstream>
#include <sstream>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/plan_args.h"
#include "cli/plan_output.h"
#include "common/jobfile/layout_cases.h"
#include "common/jobfile/run_cases.h"

namespace muster::cli {

namespace {

int PlanCases(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  if (!file) return Fail(absl::NotFoundError("--cases: cannot read '" + path + "'"));
  const absl::StatusOr<std::vector<LayoutCase>> cases = ParseLayoutCases(content.str());
  if (!cases.ok()) return Fail(cases.status());
  const CasesReport report = RunCases(*cases);
  for (const std::string& failure : report.failures) std::printf("%s\n", failure.c_str());
  std::fputs(report.Summary().c_str(), stdout);
  return report.failures.empty() ? kOk : kFailed;
}

}  // namespace

int Plan(const Args& args) {
  const absl::StatusOr<PlanOptions> options = ParsePlanArgs(args);
  if (!options.ok()) return FailUsage(options.status());
  if (!options->help.empty()) return std::fputs(options->help.c_str(), stdout), kOk;
  if (!options->cases.empty()) return PlanCases(options->cases);
  const absl::StatusOr<std::string> text = PlanOutput(*options);
  if (!text.ok()) return Fail(text.status());
  std::fputs(text->c_str(), stdout);
  return kOk;
}

}  // namespace muster::cli
