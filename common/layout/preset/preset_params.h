#ifndef MUSTER_COMMON_LAYOUT_PRESET_PRESET_PARAMS_H_
#define MUSTER_COMMON_LAYOUT_PRESET_PRESET_PARAMS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/base/ids.h"
#include "common/layout/preset/preset_spec.h"

namespace muster {

// Takes typed parameters out of a spec. It remembers which names were asked for, so that Finish()
// can refuse the others, and which values are of a wrong type; the caller reads all it knows, then
// asks Finish(), and only then looks at what the values mean.
//
// Names are asked for with underscores. A parameter that is absent, or of a wrong type, gives
// nothing or the fallback. Asking twice for one name is fine.
class PresetParams {
 public:
  // `spec` must outlive this object, unchanged.
  explicit PresetParams(const PresetSpec& spec) : spec_(spec) {}

  PresetParams(const PresetParams&) = delete;
  PresetParams& operator=(const PresetParams&) = delete;

  // The name of the preset.
  const std::string& preset() const { return spec_.name; }

  std::optional<int64_t> Int(std::string_view name);
  int64_t Int(std::string_view name, int64_t fallback);
  bool Flag(std::string_view name, bool fallback);
  std::optional<std::string> Text(std::string_view name);

  // A list of whole numbers as text: "[2, 4]". Spaces are skipped.
  std::optional<std::vector<int64_t>> Ints(std::string_view name);

  // Lists of ranks as text: "[[0, 1], [2, 3]]". Spaces are skipped. Whether such ranks exist is not
  // checked.
  std::optional<std::vector<std::vector<GlobalRank>>> RankLists(std::string_view name);

  // Errors: kInvalidArgument, the first that holds, each time for the first such parameter:
  //   limit_exceeded   more than kPresetParamsMax parameters
  //   duplicate_name   a name twice, hyphens and underscores being the same
  //   unknown_name     a name that was not asked for; those that were are listed
  //   invalid_request  a value of a wrong type
  absl::Status Finish() const;

 private:
  // The parameter `name`, which is remembered as known; null if it is absent.
  const PresetParam* Ask(std::string_view name);
  void WrongType(const PresetParam& param, std::string_view wanted);

  const PresetSpec& spec_;
  std::vector<std::string> known_;  // in the order in which they were asked for
  absl::Status wrong_type_;
};

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_PRESET_PRESET_PARAMS_H_
