#include "common/layout/preset/yunchang.h"

#include <optional>

#include "common/base/status_macros.h"
#include "common/layout/preset/preset_sizes.h"
#include "common/layout/preset/sequence_cut.h"

namespace muster {

absl::StatusOr<std::vector<PresetKind>> ExpandYunchang(PresetParams& params, RankRun ranks) {
  const SequenceCut cut = {.ulysses = params.Int("ulysses_degree", 1),
                           .ring = params.Int("ring_degree", 1),
                           .ulysses_low = params.Flag("use_ulysses_low", true)};
  const std::optional<RankLists> groups = params.RankLists("sp_group_ranks");
  MUSTER_RETURN_IF_ERROR(params.Finish());
  return CutRanks(PresetLabel(params), groups, cut, ranks);
}

}  // namespace muster
