#ifndef MUSTER_CLI_PLAN_ARGS_H_
#define MUSTER_CLI_PLAN_ARGS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/commands.h"
#include "cli/spec_source.h"
#include "common/support/text_table.h"
#include "muster/v1/types.pb.h"

namespace muster::cli {

// What a command line of `plan` asks for.
struct PlanOptions {
  SpecFlags spec;
  std::string preset;  // In place of a file or mesh: a mesh called main, made by this preset ...
  std::vector<v1::Param> params;  // ... with these parameters.
  std::string from;               // A job file; not empty: what changes on the way from it.
  std::string weights;            // As WeightRule::Parse() reads it.
  std::string cases;              // A file of layout cases; not empty: hold the presets to them.
  std::string format = "table";   // table, json, yaml or dot
  Headers headers = Headers::kShow;
  std::string help;  // Not empty: print this and nothing else.
};

// Reads `args`. With --preset, each --long-name that is not a flag of plan itself is a parameter of
// the preset; a parameter without a value is a switch that is on. Values are read as a job file
// reads them: a whole number, another number, true or false, else text.
//
// Errors: those of Config::Parse(); kInvalidArgument if a preset is there beside a file or a mesh,
// or without a world size.
absl::StatusOr<PlanOptions> ParsePlanArgs(const Args& args);

// The job that the layout to be planned is of. Errors: those of LoadSpec().
absl::StatusOr<v1::JobSpec> LoadPlannedSpec(const PlanOptions& options);

}  // namespace muster::cli

#endif  // MUSTER_CLI_PLAN_ARGS_H_
