#include "cli/plan_args.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/base/error_detail.h"
#include "common/base/status_macros.h"
#include "common/layout/weights.h"

namespace muster::cli {
namespace {

constexpr char kPresetFlag[] = "preset";
constexpr char kNoWeights[] = "none";

absl::Status Error(const std::string& message, std::string remedy) {
  ErrorDetail detail;
  detail.kind = ErrorKind::kConfigInvalid;
  detail.remedy = std::move(remedy);
  return MakeError(absl::StatusCode::kInvalidArgument, message, std::move(detail));
}

void DeclareFlags(Config& config, PlanOptions& options, bool& no_headers) {
  AddSpecFlags(config, options.spec);
  config.AddInt({.name = "world-size",
                 .help = "With --mesh; 0: the product of its sizes. With --preset.",
                 .placeholder = "N"},
                &options.spec.world_size, {.least = 0});
  config.AddString({.name = kPresetFlag,
                    .help = "Instead of a file: the groups of a reference system. Its parameters "
                            "are flags: --tensor-parallel-size 2.",
                    .placeholder = "NAME"},
                   &options.preset);
  config.AddString({.name = "from",
                    .help = "A job file: show what changes on the way from it.",
                    .placeholder = "FILE"},
                   &options.from);
  config.AddString({.name = "cases",
                    .help = "A file of requests and the groups that reference systems made of "
                            "them: compare ours.",
                    .placeholder = "FILE"},
                   &options.cases);
  config.AddString({.name = "moves-weights",
                    .help = "Dimensions and kinds of groups over which weights are spread; none: "
                            "no weights are spread at all.",
                    .placeholder = "NAME,..."},
                   &options.weights);
  config.AddChoice({.name = "output", .help = "How to print.", .letter = 'o'}, &options.format,
                   {"table", "json", "yaml", "dot"});
  config.AddBool({.name = "no-headers", .help = "Leave the headers of tables out."}, &no_headers);
}

v1::Param ReadParam(const std::string& name, const std::string& text) {
  v1::Param param;
  param.set_name(name);
  int64_t integer = 0;
  double real = 0;
  if (text == "true" || text == "false") {
    param.set_flag(text == "true");
  } else if (absl::SimpleAtoi(text, &integer)) {
    param.set_integer(integer);
  } else if (text.find_first_not_of("+-.0123456789eE") == std::string::npos &&
             absl::SimpleAtod(text, &real)) {
    param.set_real(real);
  } else {
    param.set_text(text);
  }
  return param;
}

// Moves the flags that `own` does not have from `args` to `params`.
Args TakeParams(const Args& args, const std::set<std::string>& own,
                std::vector<v1::Param>& params) {
  Args rest;
  for (size_t at = 0; at < args.size(); ++at) {
    absl::string_view flag = args[at];
    const bool is_long = absl::ConsumePrefix(&flag, "--");
    const size_t equals = flag.find('=');
    const std::string name(flag.substr(0, equals));
    if (!is_long || name.empty() || own.contains(name)) {
      rest.push_back(args[at]);
    } else if (equals != absl::string_view::npos) {
      params.push_back(ReadParam(name, std::string(flag.substr(equals + 1))));
    } else if (at + 1 < args.size() && args[at + 1].rfind("--", 0) != 0) {
      params.push_back(ReadParam(name, args[++at]));
    } else {
      params.push_back(ReadParam(name, "true"));
    }
  }
  return rest;
}

bool AsksForPreset(const Args& args) {
  const std::string flag = absl::StrCat("--", kPresetFlag);
  return std::any_of(args.begin(), args.end(), [&flag](const std::string& word) {
    return word == flag || word.rfind(flag + "=", 0) == 0;
  });
}

absl::Status CheckPreset(const PlanOptions& options) {
  if (options.preset.empty()) return absl::OkStatus();
  if (!options.spec.file.empty() || !options.spec.mesh.empty()) {
    return Error(absl::StrCat("--preset '", options.preset, "' beside ",
                              options.spec.file.empty() ? "--mesh" : "--filename"),
                 "give one of --preset, -f FILE and --mesh");
  }
  if (options.spec.world_size < 1 || options.spec.world_size > INT32_MAX) {
    return Error(
        absl::StrCat("--preset '", options.preset, "' with --world-size ", options.spec.world_size),
        "give the number of ranks with --world-size");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PlanOptions> ParsePlanArgs(const Args& args) {
  PlanOptions options;
  options.weights = std::string(kWeightNames);
  bool no_headers = false;
  Config config("muster plan",
                "Shows every group and rank of a layout, or what changes from one to another; "
                "starts nothing.");
  DeclareFlags(config, options, no_headers);
  Args own_args = args;
  if (AsksForPreset(args)) {
    std::set<std::string> own = {"help"};
    for (const EffectiveValue& option : config.Effective()) own.insert(option.name);
    own_args = TakeParams(args, own, options.params);
  }
  MUSTER_RETURN_IF_ERROR(config.Parse(own_args));
  if (config.help_wanted()) {
    options.help = config.HelpText();
    return options;
  }
  if (no_headers) options.headers = Headers::kHide;
  if (options.weights == kNoWeights) options.weights.clear();
  MUSTER_RETURN_IF_ERROR(CheckPreset(options));
  return options;
}

absl::StatusOr<v1::JobSpec> LoadPlannedSpec(const PlanOptions& options) {
  if (options.preset.empty()) return LoadSpec(options.spec);
  v1::JobSpec spec;
  spec.set_name(options.spec.job.empty() ? "main" : options.spec.job);
  spec.set_world_size(static_cast<int32_t>(options.spec.world_size));
  v1::Mesh& mesh = *spec.add_meshes();
  mesh.set_name("main");
  mesh.mutable_preset()->set_name(options.preset);
  for (const v1::Param& param : options.params) *mesh.mutable_preset()->add_params() = param;
  return spec;
}

}  // namespace muster::cli
