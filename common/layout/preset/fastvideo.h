#ifndef MUSTER_COMMON_LAYOUT_PRESET_FASTVIDEO_H_
#define MUSTER_COMMON_LAYOUT_PRESET_FASTVIDEO_H_

#include <vector>

#include "absl/status/statusor.h"
#include "common/layout/layout_spec.h"
#include "common/layout/preset/preset_kind.h"
#include "common/layout/preset/preset_params.h"

namespace muster {

// The groups of FastVideo. Its entry points, by the values of `api` in files of cases:
//   initialize_model_parallel            ExpandFastVideo()
//   initialize_tensor_parallel_group     ExpandFastVideoTensorGroup()
//   initialize_sequence_parallel_group   ExpandFastVideoSequenceGroup()
//
// All read `params`, whose errors PresetParams::Finish() gives, and give groups over `ranks`, which
// has one rank or more. Errors: kInvalidArgument with an ErrorDetail.

// Kinds, in this order: world; node, if node_size is given; tp and sp, both in runs of neighbours,
// so not orthogonal; dp over sp; then the extra groups. Parameters:
//   tensor_parallel_size, sequence_parallel_size   1 if absent
//   data_parallel_size        accepted and ignored, as there: dp follows from sp
//   node_size                 ranks of each host, as probed from the first rank
//   extra_tensor_parallel_groups, extra_sequence_parallel_groups   groups of single models, as
//                             "t5=4,clip=2": the kinds tp_t5 and tp_clip, or sp_t5 and sp_clip
//
// Errors, in this order: zero_size, negative_size (of node_size); heterogeneous_nodes (it does not
// divide the world); tp_exceeds_world; then for tp, sp and each extra group: zero_size,
// negative_size, not_divisible (names the ranks that would be in no group); for an extra group
// before that invalid_request, limit_exceeded (its text), invalid_name, duplicate_name.
absl::StatusOr<std::vector<PresetKind>> ExpandFastVideo(PresetParams& params, RankRun ranks);

// The one kind tp, or tp_SUFFIX. Parameters: tensor_parallel_size (1 if absent); group_name_suffix.
//
// Errors: invalid_name, zero_size, negative_size, not_divisible.
absl::StatusOr<std::vector<PresetKind>> ExpandFastVideoTensorGroup(PresetParams& params,
                                                                   RankRun ranks);

// The one kind sp, or sp_SUFFIX. Parameters: sequence_parallel_size (1 if absent);
// group_name_suffix. Errors: those of ExpandFastVideoTensorGroup().
absl::StatusOr<std::vector<PresetKind>> ExpandFastVideoSequenceGroup(PresetParams& params,
                                                                     RankRun ranks);

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_PRESET_FASTVIDEO_H_
