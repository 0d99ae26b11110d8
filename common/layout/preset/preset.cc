#include "common/layout/preset/preset.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/error_kind.h"
#include "common/base/string_view.h"
#include "common/layout/layout_error.h"
#include "common/layout/preset/fastvideo.h"
#include "common/layout/preset/megatron.h"
#include "common/layout/preset/preset_params.h"
#include "common/layout/preset/vllm.h"
#include "common/layout/preset/vllm_omni.h"
#include "common/layout/preset/xdit.h"
#include "common/layout/preset/yunchang.h"

namespace muster {
namespace {

struct Known {
  std::string_view name;
  absl::StatusOr<std::vector<PresetKind>> (*expand)(PresetParams& params, RankRun ranks);
};

constexpr std::array kKnown = {
    Known{"fastvideo", ExpandFastVideo}, Known{"megatron", ExpandMegatron},
    Known{"vllm", ExpandVllm},           Known{"vllm-omni", ExpandVllmOmni},
    Known{"xdit", ExpandXdit},           Known{"yunchang", ExpandYunchang},
};

}  // namespace

absl::StatusOr<std::vector<PresetKind>> ExpandPreset(const PresetSpec& spec, RankRun ranks) {
  const auto known = std::find_if(kKnown.begin(), kKnown.end(), [&spec](const Known& candidate) {
    return candidate.name == spec.name;
  });
  if (known == kKnown.end()) {
    const auto append = [](std::string* out, std::string_view name) { out->append(name); };
    return LayoutError(ErrorKind::kUnknownName,
                       absl::StrCat("no preset is named ", Quoted(spec.name),
                                    ", want one of: ", absl::StrJoin(PresetNames(), ", ", append)),
                       "Use a preset that there is.");
  }
  PresetParams params(spec);
  return known->expand(params, ranks);
}

std::vector<std::string_view> PresetNames() {
  std::vector<std::string_view> names;
  for (const Known& known : kKnown) names.push_back(known.name);
  return names;
}

}  // namespace muster
