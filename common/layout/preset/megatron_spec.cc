#include "common/layout/preset/megatron_spec.h"

#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/error_kind.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "common/layout/layout_error.h"
#include "common/layout/preset/preset_sizes.h"

namespace muster {
namespace {

// A size that has two names.
struct TwoNames {
  std::string_view full;
  std::string_view plain;
};

constexpr TwoNames kTensor = {"tensor_model_parallel_size", "tensor_parallel_size"};
constexpr TwoNames kPipeline = {"pipeline_model_parallel_size", "pipeline_parallel_size"};

int64_t SizeOf(PresetParams& params, const TwoNames& names) {
  const std::optional<int64_t> full = params.Int(names.full);
  return params.Int(names.plain, full.value_or(1));
}

absl::Status CheckOneName(PresetParams& params, const std::string& label, const TwoNames& names) {
  if (!params.Int(names.full).has_value() || !params.Int(names.plain).has_value()) {
    return absl::OkStatus();
  }
  return LayoutError(ErrorKind::kInvalidRequest,
                     absl::StrCat(label, ": both ", ToAbsl(names.full), " and ",
                                  ToAbsl(names.plain), " are given, want one of them"),
                     "Remove one of the two.");
}

// The ranks that `local_world_size` and `rank_offset` choose among `ranks`.
absl::StatusOr<RankRun> PartOf(const std::string& label, RankRun ranks,
                               std::optional<int64_t> local_world_size, int64_t rank_offset) {
  const int64_t count = local_world_size.value_or(ranks.count);
  MUSTER_RETURN_IF_ERROR(CheckSizes(label, {{"local_world_size", count}}));
  if (rank_offset < 0 || rank_offset > ranks.count || count > ranks.count - rank_offset) {
    return LayoutError(ErrorKind::kIndexOutOfLayout,
                       absl::StrCat(label, ": ", count, " ranks from place ", rank_offset,
                                    " on, want them among ", ranks.count),
                       "Choose a part of the ranks.");
  }
  return RankRun{.first = ranks.first + static_cast<int32_t>(rank_offset),
                 .count = static_cast<int32_t>(count)};
}

}  // namespace

absl::StatusOr<MegatronSpec> ReadMegatronSpec(PresetParams& params, RankRun ranks) {
  MegatronSpec spec;
  spec.label = PresetLabel(params);
  spec.tp = SizeOf(params, kTensor);
  spec.pp = SizeOf(params, kPipeline);
  spec.cp = params.Int("context_parallel_size", 1);
  spec.ep = params.Int("expert_model_parallel_size", 1);
  spec.expert_tp = params.Int("expert_tensor_parallel_size", spec.tp);
  spec.gtp_remat = params.Int("gtp_remat_size", 1);
  spec.expert_gtp_remat = params.Int("expert_gtp_remat_size", 1);
  spec.optimizer_instances = params.Int("num_distributed_optimizer_instances", 1);
  spec.virtual_pp = params.Int("virtual_pipeline_model_parallel_size");
  spec.hierarchical_cp =
      params.Ints("hierarchical_context_parallel_sizes").value_or(std::vector<int64_t>());
  spec.hybrid_cp = params.Flag("hybrid_context_parallel", false);
  spec.all_gather_twins = params.Flag("create_all_gather_group", false);
  spec.order = params.Text("order").value_or("tp-cp-ep-dp-pp");
  const std::optional<int64_t> local_world_size = params.Int("local_world_size");
  const int64_t rank_offset = params.Int("rank_offset", 0);
  MUSTER_RETURN_IF_ERROR(params.Finish());
  MUSTER_RETURN_IF_ERROR(CheckOneName(params, spec.label, kTensor));
  MUSTER_RETURN_IF_ERROR(CheckOneName(params, spec.label, kPipeline));
  MUSTER_ASSIGN_OR_RETURN(spec.ranks, PartOf(spec.label, ranks, local_world_size, rank_offset));
  return spec;
}

}  // namespace muster
