#ifndef MUSTER_TESTS_COMMON_LAYOUT_PRESET_RANDOM_PRESET_H_
#define MUSTER_TESTS_COMMON_LAYOUT_PRESET_RANDOM_PRESET_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/random.h"
#include "common/layout/layout_spec.h"
#include "common/layout/preset/preset_kind.h"
#include "common/layout/preset/preset_params.h"
#include "common/layout/preset/preset_spec.h"
#include "tests/testing/slow_layouts.h"

namespace muster {

using Expander = absl::StatusOr<std::vector<PresetKind>> (*)(PresetParams& params, RankRun ranks);

// A request that is right, and what it must give.
struct DrawnPreset {
  Expander expand = nullptr;
  PresetSpec spec;
  RankRun ranks;
  SlowLayout wanted;  // counted from the first of `ranks`
  SlowGroups sp;      // those that Ulysses and ring groups are cut from; empty: there are none
};

// Each over a world of at most `world_max` ranks.
DrawnPreset DrawFastVideo(Random& random, int32_t world_max);
DrawnPreset DrawVllmOmni(Random& random, int32_t world_max);
DrawnPreset DrawVllmOmniSequence(Random& random, int32_t world_max);
DrawnPreset DrawYunchang(Random& random, int32_t world_max);
DrawnPreset DrawXdit(Random& random, int32_t world_max);
DrawnPreset DrawVllm(Random& random, int32_t world_max);

// One of the above.
DrawnPreset DrawPreset(Random& random, int32_t world_max);

}  // namespace muster

#endif  // MUSTER_TESTS_COMMON_LAYOUT_PRESET_RANDOM_PRESET_H_
