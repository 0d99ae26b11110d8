#ifndef MUSTER_COMMON_LAYOUT_PRESET_VLLM_H_
#define MUSTER_COMMON_LAYOUT_PRESET_VLLM_H_

#include <vector>

#include "absl/status/statusor.h"
#include "common/layout/layout_spec.h"
#include "common/layout/preset/preset_kind.h"
#include "common/layout/preset/preset_params.h"

namespace muster {

// The groups of vLLM over `ranks`, which has one rank or more. The ranks lie on a grid of replicas,
// dp, pp, pcp and tp, slowest first, where replicas are what the other sizes leave. Kinds, in this
// order: tp, dcp, pcp, pp, dp, [ep]. Groups of pcp, pp and dp are counted along the grid with their
// own dimension exchanged for tp, so not always by their first ranks; a group of ep has the dp, pcp
// and tp of one pipeline stage. dcp groups are cut from all ranks of a stage that share their
// replica and dp, counted pcp first, then tp. Its entry point is initialize_model_parallel.
// Parameters:
//   tensor_parallel_size, pipeline_parallel_size, data_parallel_size,
//   prefill_context_parallel_size, decode_context_parallel_size   1 if absent
//   is_moe           whether the model is a mixture of experts: ep is there; true if absent
//   dcp_spans_pcp    false for the older rule: dcp groups are runs of neighbours; true if absent.
//                    The two differ only where pcp is above 1
//
// Errors: kInvalidArgument with an ErrorDetail, in this order: those of PresetParams::Finish();
// zero_size, negative_size; product_overflow; not_divisible (of the ranks by the other sizes, of
// pcp x tp by dcp).
absl::StatusOr<std::vector<PresetKind>> ExpandVllm(PresetParams& params, RankRun ranks);

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_PRESET_VLLM_H_
