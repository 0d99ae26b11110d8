#include "common/jobfile/run_cases.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/error_kind.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "common/layout/layout.h"
#include "common/layout/layout_error.h"
#include "common/layout/preset/fastvideo.h"
#include "common/layout/preset/preset_params.h"
#include "common/layout/preset/rank_generator.h"
#include "common/layout/preset/vllm_omni.h"

namespace muster {
namespace {

constexpr std::string_view kMegatron = "megatron";
constexpr std::string_view kMeshName = "m";
constexpr int64_t kAllKindsWorldMax = 128;  // ranks of Megatron cases that list every kind

// Names of parameters in files of cases, and those of the presets.
constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kLongNames = {{
    {"tp", "tensor_parallel_size"},
    {"sp", "sequence_parallel_size"},
    {"pp", "pipeline_parallel_size"},
    {"cfg", "cfg_parallel_size"},
    {"dp", "data_parallel_size"},
    {"cp", "context_parallel_size"},
    {"ep", "expert_model_parallel_size"},
    {"expert_tp", "expert_tensor_parallel_size"},
    {"ulysses", "ulysses_degree"},
    {"ring", "ring_degree"},
    {"allgather", "allgather_degree"},
    {"gtp", "gtp_remat_size"},
    {"expert_gtp", "expert_gtp_remat_size"},
    {"virtual_pp", "virtual_pipeline_model_parallel_size"},
    {"hierarchical_cp", "hierarchical_context_parallel_sizes"},
    {"hybrid_cp", "hybrid_context_parallel"},
    {"optimizer_instances", "num_distributed_optimizer_instances"},
}};

std::string LongName(const std::string& name) {
  for (const auto& [known, full] : kLongNames) {
    if (known == name) return std::string(full);
  }
  return name;
}

PresetSpec PresetOf(const LayoutCase& layout_case) {
  PresetSpec preset = {.name = layout_case.source};
  for (const PresetParam& param : layout_case.params) {
    if (param.name == "world_size") continue;
    preset.params.push_back({.name = LongName(param.name), .value = param.value});
  }
  return preset;
}

absl::StatusOr<int32_t> WorldSizeOf(const LayoutCase& layout_case) {
  const int64_t world = layout_case.Int("world_size", 0);
  MUSTER_RETURN_IF_ERROR(CheckPositive("world_size is", world));
  MUSTER_RETURN_IF_ERROR(CheckLimit("world_size is", world, kWorldSizeMax));
  return static_cast<int32_t>(world);
}

using Kinds = std::vector<PresetKind>;
using Expand = absl::StatusOr<Kinds>(PresetParams& params, RankRun ranks);

// Groups of an entry point that is no preset of its own.
absl::StatusOr<Kinds> AnswerBy(Expand& expand, const LayoutCase& layout_case) {
  MUSTER_ASSIGN_OR_RETURN(const int32_t world, WorldSizeOf(layout_case));
  const PresetSpec spec = PresetOf(layout_case);
  PresetParams params(spec);
  return expand(params, {.first = 0, .count = world});
}

absl::StatusOr<Kinds> AnswerByLayout(const LayoutCase& layout_case) {
  MUSTER_ASSIGN_OR_RETURN(const int32_t world, WorldSizeOf(layout_case));
  MeshSpec mesh = {.name = std::string(kMeshName)};
  mesh.preset = PresetOf(layout_case);
  MUSTER_ASSIGN_OR_RETURN(const Layout layout,
                          Layout::Create({.world_size = world, .meshes = {std::move(mesh)}}));
  Kinds kinds;
  for (const GroupKind& kind : layout.kinds()) {
    if (kind.mesh != kMeshName) continue;
    kinds.push_back({.name = kind.name.substr(kMeshName.size() + 1), .shape = kind.shape});
  }
  return kinds;
}

absl::StatusOr<Kinds> AnswerByGenerator(const LayoutCase& layout_case) {
  const bool megatron = layout_case.source == kMegatron;
  const std::vector<std::string> names =
      megatron ? std::vector<std::string>{"tp", "pp", "dp", "ep", "cp", "gtp_remat"}
               : std::vector<std::string>{"tp", "sp", "pp", "cfg", "dp"};
  std::vector<RankGenerator::Dim> dims;
  for (const std::string& name : names) dims.push_back({name, layout_case.Int(name, 1)});
  RankGeneratorRules rules;
  if (megatron) rules.exclusive = {"ep", "cp"};
  // Megatron does not look at an offset below 0.
  const int64_t offset = std::clamp<int64_t>(layout_case.Int("rank_offset", 0),
                                             megatron ? 0 : std::numeric_limits<int32_t>::min(),
                                             std::numeric_limits<int32_t>::max());
  const PresetParam* const order = layout_case.Find("order");
  const auto* text = order == nullptr ? nullptr : std::get_if<std::string>(&order->value);
  const std::string_view fallback = megatron ? "tp-cp-ep-dp-pp" : "tp-sp-pp-cfg-dp";
  MUSTER_ASSIGN_OR_RETURN(const RankGenerator generator,
                          RankGenerator::Create(std::move(dims), text == nullptr ? fallback : *text,
                                                static_cast<int32_t>(offset), rules));
  Kinds kinds;
  for (const std::string& token : layout_case.Items("tokens")) {
    MUSTER_ASSIGN_OR_RETURN(StridedGroups groups, generator.Groups(token));
    kinds.push_back({.name = token, .shape = std::move(groups)});
  }
  return kinds;
}

absl::StatusOr<Kinds> AnswerByMask(const LayoutCase& layout_case) {
  PresetSpec spec = {.name = layout_case.source};
  if (const PresetParam* const sizes = layout_case.Find("sizes")) spec.params = {*sizes};
  PresetParams params(spec);
  const std::vector<int64_t> sizes = params.Ints("sizes").value_or(std::vector<int64_t>());
  MUSTER_RETURN_IF_ERROR(params.Finish());
  std::vector<bool> mask;
  for (const std::string& item : layout_case.Items("mask")) mask.push_back(item == "true");
  MUSTER_ASSIGN_OR_RETURN(StridedGroups groups,
                          MaskedOrthogonalGroups(layout_case.Int("world_size", 0), sizes, mask));
  return Kinds{{.name = "groups", .shape = std::move(groups)}};
}

absl::Status Differs(std::string_view what) { return absl::FailedPreconditionError(ToAbsl(what)); }

absl::Status CompareError(const LayoutCase& layout_case, const absl::Status& found) {
  const std::string_view kind = KindName(DetailOf(found).value_or(ErrorDetail{}).kind);
  if (kind == layout_case.error) return absl::OkStatus();
  if (layout_case.source == "fastvideo" && layout_case.error == "rank_not_in_any_group" &&
      kind == "not_divisible") {
    return absl::OkStatus();
  }
  return Differs(absl::StrCat("refused as ", ToAbsl(kind), ", want ",
                              layout_case.error.empty() ? "groups" : layout_case.error, ": ",
                              found.message()));
}

std::string Shown(const std::vector<GlobalRank>& ranks) {
  std::string text;
  for (const GlobalRank rank : ranks) {
    if (text.size() > 80) return text + ", ...";
    absl::StrAppend(&text, text.empty() ? "" : ", ", rank.value);
  }
  return text;
}

absl::Status CompareGroups(const PresetKind& found, const GroupLists& wanted) {
  const int32_t count = GroupCount(found.shape);
  if (count != std::ssize(wanted)) {
    return Differs(absl::StrCat(found.name, " has ", count, " groups, want ", wanted.size()));
  }
  for (int32_t index = 0; index < count; ++index) {
    const std::vector<GlobalRank> members = GroupMembers(found.shape, index);
    const std::vector<GlobalRank>& ranks = wanted[static_cast<size_t>(index)];
    if (members == ranks) continue;
    return Differs(
        absl::StrCat(found.name, "#", index, " is ", Shown(members), ", want ", Shown(ranks)));
  }
  return absl::OkStatus();
}

absl::Status CompareKinds(const LayoutCase& layout_case, const Kinds& found) {
  for (const auto& [name, groups] : layout_case.groups) {
    const std::string& wanted = name;
    const auto kind = std::find_if(found.begin(), found.end(), [&wanted](const PresetKind& other) {
      return other.name == wanted;
    });
    if (kind == found.end()) return Differs(absl::StrCat("there are no groups ", name));
    MUSTER_RETURN_IF_ERROR(CompareGroups(*kind, groups));
  }
  if (layout_case.source == kMegatron && layout_case.Int("world_size", 0) > kAllKindsWorldMax) {
    return absl::OkStatus();
  }
  for (const PresetKind& kind : found) {
    if (!layout_case.groups.contains(kind.name)) {
      return Differs(absl::StrCat("there are groups ", kind.name, ", want none"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

bool IsStateCase(const LayoutCase& layout_case) {
  constexpr std::array<std::string_view, 5> kEndings = {"_before_init", "_twice", "_other_world",
                                                        "_without_environment", "_unknown_mode"};
  constexpr std::array<std::string_view, 3> kParts = {"foreign", "patch", "maybe_init"};
  const absl::string_view api = layout_case.api;
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [api](auto ending) { return absl::EndsWith(api, ToAbsl(ending)); }) ||
         std::any_of(kParts.begin(), kParts.end(),
                     [api](auto part) { return absl::StrContains(api, ToAbsl(part)); });
}

absl::StatusOr<std::vector<PresetKind>> AnswerCase(const LayoutCase& layout_case) {
  const std::string_view api = layout_case.api;
  const std::string_view source = layout_case.source;
  const bool megatron = source == kMegatron;
  const bool omni = source == "vllm-omni";
  if (api == "initialize_model_parallel") return AnswerByLayout(layout_case);
  if (api == "set_seq_parallel_pg" && source == "yunchang") return AnswerByLayout(layout_case);
  if (api == "set_seq_parallel_pg" && omni) return AnswerBy(ExpandVllmOmniSequence, layout_case);
  if (api == "initialize_tensor_parallel_group" && source == "fastvideo") {
    return AnswerBy(ExpandFastVideoTensorGroup, layout_case);
  }
  if (api == "initialize_sequence_parallel_group" && source == "fastvideo") {
    return AnswerBy(ExpandFastVideoSequenceGroup, layout_case);
  }
  if (api == "RankGenerator" && (megatron || omni)) return AnswerByGenerator(layout_case);
  if (api == "generate_masked_orthogonal_rank_groups") return AnswerByMask(layout_case);
  return LayoutError(
      ErrorKind::kUnknownName,
      absl::StrCat("the entry point ", Quoted(api), " of ", Quoted(source), " is not known"),
      "Leave out the case.");
}

absl::Status CheckCase(const LayoutCase& layout_case) {
  const absl::StatusOr<Kinds> found = AnswerCase(layout_case);
  if (!found.ok()) return CompareError(layout_case, found.status());
  if (layout_case.error.empty()) return CompareKinds(layout_case, *found);
  return Differs(absl::StrCat("was answered by groups, want ", layout_case.error));
}

std::string CasesReport::Summary() const {
  return absl::StrCat("golden: ", passed, " passed, ", failures.size(),
                      " failed\nstate: ", deferred, " deferred\n");
}

CasesReport RunCases(const std::vector<LayoutCase>& cases) {
  CasesReport report;
  for (const LayoutCase& layout_case : cases) {
    if (IsStateCase(layout_case)) {
      ++report.deferred;
      continue;
    }
    const absl::Status status = CheckCase(layout_case);
    if (status.ok()) {
      ++report.passed;
    } else {
      report.failures.push_back(absl::StrCat(layout_case.id, ": ", status.message()));
    }
  }
  return report;
}

}  // namespace muster
