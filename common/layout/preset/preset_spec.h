#ifndef MUSTER_COMMON_LAYOUT_PRESET_PRESET_SPEC_H_
#define MUSTER_COMMON_LAYOUT_PRESET_PRESET_SPEC_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace muster {

inline constexpr int32_t kPresetParamsMax = 64;                // parameters of a preset
inline constexpr int32_t kPresetParamTextBytesMax = 64 << 10;  // bytes of a text among them

// One parameter of a preset, by the name that the reference system gives it. Hyphens in a name mean
// the same as underscores.
struct PresetParam {
  std::string name;
  std::variant<int64_t, double, bool, std::string> value;

  friend bool operator==(const PresetParam&, const PresetParam&) = default;
};

// The groups of a reference system, asked for by its own parameters. Plain values: nothing here is
// checked. The rules are those of ExpandPreset().
struct PresetSpec {
  std::string name;
  std::vector<PresetParam> params = {};

  friend bool operator==(const PresetSpec&, const PresetSpec&) = default;
};

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_PRESET_PRESET_SPEC_H_
