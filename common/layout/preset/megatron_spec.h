#ifndef MUSTER_COMMON_LAYOUT_PRESET_MEGATRON_SPEC_H_
#define MUSTER_COMMON_LAYOUT_PRESET_MEGATRON_SPEC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/layout/layout_spec.h"
#include "common/layout/preset/preset_params.h"

namespace muster {

// The parameters of ExpandMegatron(), with what is absent filled in. Only the types and the part of
// the ranks are checked.
struct MegatronSpec {
  std::string label;  // of the preset, for messages
  RankRun ranks;      // that are laid out
  int64_t tp = 1;
  int64_t pp = 1;
  int64_t cp = 1;
  int64_t ep = 1;
  int64_t expert_tp = 1;
  int64_t gtp_remat = 1;
  int64_t expert_gtp_remat = 1;
  int64_t optimizer_instances = 1;
  std::optional<int64_t> virtual_pp;
  std::vector<int64_t> hierarchical_cp = {};  // empty: none
  bool hybrid_cp = false;
  bool all_gather_twins = false;
  std::string order;
};

// Errors: those of ExpandMegatron() up to index_out_of_layout.
absl::StatusOr<MegatronSpec> ReadMegatronSpec(PresetParams& params, RankRun ranks);

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_PRESET_MEGATRON_SPEC_H_
