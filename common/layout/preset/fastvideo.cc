#include "common/layout/preset/fastvideo.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/error_kind.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "common/layout/layout_error.h"
#include "common/layout/parse_mesh.h"
#include "common/layout/preset/preset_sizes.h"
#include "common/layout/preset/regular_groups.h"

namespace muster {
namespace {

// Groups of neighbours, `size` of them in each.
absl::StatusOr<PresetKind> RunsOf(std::string_view label, const std::string& name, int64_t size,
                                  RankRun ranks) {
  const std::vector<PresetSize> sizes = {{.name = name, .value = size}};
  MUSTER_RETURN_IF_ERROR(CheckSizes(label, sizes));
  MUSTER_RETURN_IF_ERROR(CheckDivideRanks(ErrorKind::kNotDivisible, label, sizes, ranks));
  return PresetKind{.name = name, .shape = Runs(ranks, static_cast<int32_t>(size))};
}

absl::StatusOr<PresetKind> NodesOf(std::string_view label, int64_t node_size, RankRun ranks) {
  const std::vector<PresetSize> sizes = {{.name = "node", .value = node_size}};
  MUSTER_RETURN_IF_ERROR(CheckSizes(label, sizes));
  MUSTER_RETURN_IF_ERROR(CheckDivideRanks(ErrorKind::kHeterogeneousNodes, label, sizes, ranks));
  return PresetKind{.name = "node", .shape = Runs(ranks, static_cast<int32_t>(node_size))};
}

absl::Status CheckTpFits(std::string_view label, int64_t tp, RankRun ranks) {
  if (tp <= ranks.count) return absl::OkStatus();
  return LayoutError(ErrorKind::kTpExceedsWorld,
                     absl::StrCat(ToAbsl(label), ": tp ", tp, " over ", ranks.count,
                                  " ranks, want tp <= ", ranks.count),
                     absl::StrCat("Choose a tp that divides ", ranks.count, "."));
}

// The kind `prefix`, or `prefix`_`suffix`.
absl::StatusOr<std::string> SuffixedName(std::string_view label, std::string_view prefix,
                                         const std::optional<std::string>& suffix) {
  if (!suffix.has_value() || suffix->empty()) return std::string(prefix);
  const std::string name = absl::StrCat(ToAbsl(prefix), "_", *suffix);
  MUSTER_RETURN_IF_ERROR(CheckName(absl::StrCat(ToAbsl(label), ": groups ", Quoted(name)), name));
  return name;
}

// Adds the groups of single models that `text` lists.
absl::Status AddExtras(std::string_view label, std::string_view prefix,
                       const std::optional<std::string>& text, RankRun ranks,
                       std::vector<PresetKind>& kinds) {
  if (!text.has_value()) return absl::OkStatus();
  MUSTER_ASSIGN_OR_RETURN(const MeshSpec listed, ParseMesh(*text));
  for (const MeshDim& model : listed.dims) {
    MUSTER_ASSIGN_OR_RETURN(const std::string name, SuffixedName(label, prefix, model.name));
    if (std::any_of(kinds.begin(), kinds.end(),
                    [&name](const PresetKind& kind) { return kind.name == name; })) {
      return LayoutError(ErrorKind::kDuplicateName,
                         absl::StrCat(ToAbsl(label), ": groups ", Quoted(name),
                                      " are given twice, want every name once"),
                         "Choose another suffix.");
    }
    MUSTER_ASSIGN_OR_RETURN(PresetKind kind, RunsOf(label, name, model.size, ranks));
    kinds.push_back(std::move(kind));
  }
  return absl::OkStatus();
}

// The one kind `prefix`, of the size that the parameter `size_name` gives.
absl::StatusOr<std::vector<PresetKind>> SingleKind(std::string_view prefix,
                                                   std::string_view size_name, PresetParams& params,
                                                   RankRun ranks) {
  const int64_t size = params.Int(size_name, 1);
  const std::optional<std::string> suffix = params.Text("group_name_suffix");
  MUSTER_RETURN_IF_ERROR(params.Finish());
  const std::string label = PresetLabel(params);
  MUSTER_ASSIGN_OR_RETURN(const std::string name, SuffixedName(label, prefix, suffix));
  MUSTER_ASSIGN_OR_RETURN(PresetKind kind, RunsOf(label, name, size, ranks));
  std::vector<PresetKind> kinds;
  kinds.push_back(std::move(kind));
  return kinds;
}

}  // namespace

absl::StatusOr<std::vector<PresetKind>> ExpandFastVideo(PresetParams& params, RankRun ranks) {
  const int64_t tp = params.Int("tensor_parallel_size", 1);
  const int64_t sp = params.Int("sequence_parallel_size", 1);
  params.Int("data_parallel_size");
  const std::optional<int64_t> node_size = params.Int("node_size");
  const auto extra_tp = params.Text("extra_tensor_parallel_groups");
  const auto extra_sp = params.Text("extra_sequence_parallel_groups");
  MUSTER_RETURN_IF_ERROR(params.Finish());

  const std::string label = PresetLabel(params);
  std::vector<PresetKind> kinds;
  kinds.push_back({.name = std::string(kWorldName), .shape = Whole(ranks)});
  if (node_size.has_value()) {
    MUSTER_ASSIGN_OR_RETURN(PresetKind nodes, NodesOf(label, *node_size, ranks));
    kinds.push_back(std::move(nodes));
  }
  MUSTER_RETURN_IF_ERROR(CheckTpFits(label, tp, ranks));
  MUSTER_ASSIGN_OR_RETURN(PresetKind tp_kind, RunsOf(label, "tp", tp, ranks));
  kinds.push_back(std::move(tp_kind));
  MUSTER_ASSIGN_OR_RETURN(PresetKind sp_kind, RunsOf(label, "sp", sp, ranks));
  kinds.push_back(std::move(sp_kind));
  kinds.push_back({.name = "dp", .shape = Columns(ranks, static_cast<int32_t>(sp))});
  MUSTER_RETURN_IF_ERROR(AddExtras(label, "tp", extra_tp, ranks, kinds));
  MUSTER_RETURN_IF_ERROR(AddExtras(label, "sp", extra_sp, ranks, kinds));
  return kinds;
}

absl::StatusOr<std::vector<PresetKind>> ExpandFastVideoTensorGroup(PresetParams& params,
                                                                   RankRun ranks) {
  return SingleKind("tp", "tensor_parallel_size", params, ranks);
}

absl::StatusOr<std::vector<PresetKind>> ExpandFastVideoSequenceGroup(PresetParams& params,
                                                                     RankRun ranks) {
  return SingleKind("sp", "sequence_parallel_size", params, ranks);
}

}  // namespace muster
