#ifndef MUSTER_COMMON_LAYOUT_PRESET_VLLM_OMNI_H_
#define MUSTER_COMMON_LAYOUT_PRESET_VLLM_OMNI_H_

#include <vector>

#include "absl/status/statusor.h"
#include "common/layout/layout_spec.h"
#include "common/layout/preset/preset_kind.h"
#include "common/layout/preset/preset_params.h"

namespace muster {

// The groups of vLLM-Omni's diffusion engine. Its entry points, by the values of `api` in files of
// cases:
//   initialize_model_parallel                ExpandVllmOmni()
//   set_seq_parallel_pg                      ExpandVllmOmniSequence()
//   RankGenerator                            RankGenerator with the order as given
//   generate_masked_orthogonal_rank_groups   MaskedOrthogonalGroups()
//
// The first two read `params`, whose errors PresetParams::Finish() gives, and give groups over
// `ranks`, which has one rank or more. Errors: kInvalidArgument with an ErrorDetail.

// Kinds, in this order: dp, cfg, pp, ulysses, ring, allgather, sp, [pcp], tp, [vllm_dp], [fs],
// [hsdp_replicate], expert_layout, [ep]. dp to tp are those of a generator of order
// tp-sp-pp-cfg-dp, fastest first. pcp (as sp), vllm_dp (over cfg and dp) and ep (as expert_layout:
// over tp, sp, cfg and dp) are there with expert parallel, fs with HSDP, and hsdp_replicate with
// HSDP if fs does not cover the world. With HSDP and nothing else parallel, every kind but those
// two has a group for each rank. Parameters, sizes 1 and flags false if absent:
//   tensor_parallel_size, pipeline_parallel_size, cfg_parallel_size, ulysses_degree, ring_degree
//   allgather_degree         above 1: allgather groups are the sp groups, and neither Ulysses nor
//                            ring is used; else each rank has an allgather group of its own
//   sequence_parallel_size   if given, what follows from the degrees
//   data_parallel_size       if given, what the other sizes leave
//   use_hsdp; fully_shard_degree (ignored without it)
//   enable_expert_parallel; is_moe (true if absent)
//
// Errors, in this order: sp_mode_conflict; sp_size_mismatch; zero_size; not_divisible (names the
// ranks that would be in no group); with HSDP hsdp_dp_not_one, hsdp_non_dp_size,
// hsdp_shard_nonpositive, hsdp_shard_not_divisor; without it dp_mismatch; ep_requires_moe;
// negative_size; and product_overflow instead of sp_size_mismatch or not_divisible where a product
// needs more than 63 bits.
absl::StatusOr<std::vector<PresetKind>> ExpandVllmOmni(PresetParams& params, RankRun ranks);

// The kinds ulysses, ring and allgather. Parameters: ulysses_degree, ring_degree, allgather_degree
// (1 if absent), use_ulysses_low and sp_group_ranks, as of ExpandYunchang(). With an
// allgather_degree above 1 the allgather groups are the sequence parallel groups, and each rank has
// a Ulysses group and a ring group of its own.
//
// Errors: with an allgather_degree above 1 sp_mode_conflict, sp_group_count (also for a group of
// another size), rank_not_in_any_group; else those of ExpandYunchang().
absl::StatusOr<std::vector<PresetKind>> ExpandVllmOmniSequence(PresetParams& params, RankRun ranks);

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_PRESET_VLLM_OMNI_H_
