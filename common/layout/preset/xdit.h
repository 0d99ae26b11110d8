#ifndef MUSTER_COMMON_LAYOUT_PRESET_XDIT_H_
#define MUSTER_COMMON_LAYOUT_PRESET_XDIT_H_

#include <vector>

#include "absl/status/statusor.h"
#include "common/layout/layout_spec.h"
#include "common/layout/preset/preset_kind.h"
#include "common/layout/preset/preset_params.h"

namespace muster {

// The groups of xDiT over `ranks`, which has one rank or more. The transformer has the first
// tp x sp x pp x cfg x dp ranks, the VAE those that follow; there may be others, which are in no
// group. Kinds, in this order: dp, cfg, pp, ulysses, ring, sp, tp, fs, [vae], dit. dp to tp are
// those of a generator of order tp-sp-pp-cfg-dp, fastest first. Ulysses and ring groups are cut
// from runs of neighbours, as xDiT does; with tp above 1 these are not its sp groups. fs are runs
// of neighbours too. vae and dit are one group each. Its entry point is initialize_model_parallel.
// Parameters, 1 if absent:
//   tensor_parallel_degree, pipeline_parallel_degree, classifier_free_guidance_degree,
//   data_parallel_degree, ulysses_degree, ring_degree, fully_shard_degree
//   sequence_parallel_degree   if given, what follows from ulysses and ring
//   vae_parallel_size          0 if absent: no VAE of its own
//
// Errors: kInvalidArgument with an ErrorDetail, in this order: those of PresetParams::Finish();
// sp_size_mismatch; product_mismatch (more ranks than there are); zero_size, negative_size;
// not_divisible (fs over the ranks of the transformer); index_out_of_layout (no room for the VAE);
// and product_overflow instead of the first two where a product needs more than 63 bits.
absl::StatusOr<std::vector<PresetKind>> ExpandXdit(PresetParams& params, RankRun ranks);

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_PRESET_XDIT_H_
