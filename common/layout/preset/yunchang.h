#ifndef MUSTER_COMMON_LAYOUT_PRESET_YUNCHANG_H_
#define MUSTER_COMMON_LAYOUT_PRESET_YUNCHANG_H_

#include <vector>

#include "absl/status/statusor.h"
#include "common/layout/layout_spec.h"
#include "common/layout/preset/preset_kind.h"
#include "common/layout/preset/preset_params.h"

namespace muster {

// The groups of yunchang over `ranks`, which has one rank or more: the kinds ulysses and ring. Its
// entry point, the value of `api` in files of cases, is set_seq_parallel_pg. Parameters:
//   ulysses_degree, ring_degree   1 if absent
//   use_ulysses_low   whether Ulysses groups take neighbours and ring groups are spread, or the
//                     other way round; true if absent
//   sp_group_ranks    the sequence parallel groups, as lists of ranks counted from the first of
//                     `ranks`; runs of ulysses x ring neighbours if absent, the only ones that
//                     yunchang itself has
//
// Errors: kInvalidArgument with an ErrorDetail, in this order: those of PresetParams::Finish();
// zero_size; product_overflow; not_divisible (ulysses x ring over the ranks); sp_group_count,
// sp_group_entry_size, rank_not_in_any_group (of the lists); negative_size.
absl::StatusOr<std::vector<PresetKind>> ExpandYunchang(PresetParams& params, RankRun ranks);

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_PRESET_YUNCHANG_H_
