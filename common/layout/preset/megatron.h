#ifndef MUSTER_COMMON_LAYOUT_PRESET_MEGATRON_H_
#define MUSTER_COMMON_LAYOUT_PRESET_MEGATRON_H_

#include <vector>

#include "absl/status/statusor.h"
#include "common/layout/layout_spec.h"
#include "common/layout/preset/preset_kind.h"
#include "common/layout/preset/preset_params.h"

namespace muster {

// The groups that Megatron's initialize_model_parallel() makes.
//
// Parameters, absent ones being 1 unless said otherwise:
//   tensor_model_parallel_size, pipeline_model_parallel_size    also without "model_"
//   context_parallel_size, expert_model_parallel_size
//   expert_tensor_parallel_size                                 absent: the tensor parallel size
//   order                                                       absent: "tp-cp-ep-dp-pp"
//   gtp_remat_size, expert_gtp_remat_size                       ranks that share the weights of one
//                                                               layer and gather them for its use
//   num_distributed_optimizer_instances
//   hierarchical_context_parallel_sizes                         a list of levels, fastest first
//   hybrid_context_parallel, create_all_gather_group            switches, absent: off
//   virtual_pipeline_model_parallel_size                        only checked
//   local_world_size, rank_offset                               the part of the ranks that is laid
//                                                               out; absent: all of them from 0 on
//
// Two grids lie over the ranks: a dense one with the dimensions tp, gtp_remat, cp, dp and pp, and
// one for experts with tp, ep, gtp_remat, dp and pp; each has data parallel groups of the size that
// the others leave. Kinds, in order: dp_cp, dp_cp_ag, intra_dp_cp, hybrid_dp_cp_<size>, dp, cp,
// hcp_l<level>, mp, tp, pp, embedding, position_embedding, tp_dp_cp, tp_dp, tp_cp, gtp_remat,
// dp_gtp_remat, dp_cp_gtp_remat, ep, expert_tp, expert_tp_ep, expert_tp_ep_pp, expert_gtp_remat,
// expert_dp, expert_dp_ag, intra_expert_dp, inter_expert_dp, intra_dist_opt. Those that the
// parameters do not ask for are left out. Ranks of inner pipeline stages are in no embedding group.
//
// Errors: kInvalidArgument, of the first kind that holds:
//   those of PresetParams::Finish(); invalid_request (both names of one size)
//   index_out_of_layout        the part is not among the ranks
//   zero_size, not_divisible   tp x pp x cp x gtp_remat over the ranks
//   virtual_pp_without_pp
//   those of RankGenerator::Create() for the dense grid
//   zero_size, expert_not_divisible    expert tp x ep x pp x gtp_remat over the ranks
//   those of RankGenerator::Create() for the grid of the experts
//   pp_not_last_dp_differs     the two grids disagree about the pipelines
//   gtp_with_optimizer_instances
//   zero_size, negative_size, optimizer_instances_not_divisor
//   hybrid_cp_odd, hierarchical_cp_product, zero_size, negative_size
//   optimizer_instances_not_divisor_expert
absl::StatusOr<std::vector<PresetKind>> ExpandMegatron(PresetParams& params, RankRun ranks);

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_PRESET_MEGATRON_H_
