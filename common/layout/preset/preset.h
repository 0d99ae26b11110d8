#ifndef MUSTER_COMMON_LAYOUT_PRESET_PRESET_H_
#define MUSTER_COMMON_LAYOUT_PRESET_PRESET_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/layout/group_shape.h"
#include "common/layout/layout_spec.h"
#include "common/layout/preset/preset_kind.h"
#include "common/layout/preset/preset_spec.h"

namespace muster {

// The groups that the reference system named by `spec` makes over `ranks`, which has one rank or
// more: the same kinds, the same groups in the same order, and the same order of members. The
// system's world is `ranks`, its rank 0 the first of them.
//
// Errors: kInvalidArgument with an ErrorDetail; messages hold the equation with its numbers. Kinds:
// unknown_name for a preset that is not known, naming those that are; those of
// PresetParams::Finish(); then those of the preset, in the order in which the system itself checks.
absl::StatusOr<std::vector<PresetKind>> ExpandPreset(const PresetSpec& spec, RankRun ranks);

// Those that ExpandPreset() knows, in alphabetical order.
std::vector<std::string_view> PresetNames();

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_PRESET_PRESET_H_
