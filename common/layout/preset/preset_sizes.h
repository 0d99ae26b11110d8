#ifndef MUSTER_COMMON_LAYOUT_PRESET_PRESET_SIZES_H_
#define MUSTER_COMMON_LAYOUT_PRESET_PRESET_SIZES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/error_kind.h"
#include "common/layout/layout_spec.h"
#include "common/layout/preset/preset_params.h"

namespace muster {

// Checks of sizes that several presets share. `label` names the preset and begins each message. All
// give kInvalidArgument with an ErrorDetail.

// One size of a preset, by a short name: "tp".
struct PresetSize {
  std::string_view name;
  int64_t value = 1;
};

// "preset 'vllm-omni'".
std::string PresetLabel(const PresetParams& params);

// "tp 2 x sp 4".
std::string SizesText(const std::vector<PresetSize>& sizes);

// The product of `sizes`, whatever their signs. Kind: product_overflow (more than 63 bits).
absl::StatusOr<int64_t> SizesProduct(std::string_view label, const std::vector<PresetSize>& sizes);

// Refuses the first size below 1. Kinds: zero_size, negative_size.
absl::Status CheckSizes(std::string_view label, const std::vector<PresetSize>& sizes);

// Refuses sizes of which one is 0. Kind: zero_size.
absl::Status CheckNoZero(std::string_view label, const std::vector<PresetSize>& sizes);

// Refuses `sizes`, none of them 0, whose product does not divide the number of `ranks`: "tp 3 over
// 8 ranks: 8 = 3 x 2 + 2, want no remainder; ranks 6-7 would be in no group". Those ranks are in
// the detail. Kinds: `kind`; product_overflow.
absl::Status CheckDivideRanks(ErrorKind kind, std::string_view label,
                              const std::vector<PresetSize>& sizes, RankRun ranks);

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_PRESET_PRESET_SIZES_H_
