#ifndef MUSTER_COMMON_SUPPORT_CONFIG_VALUE_H_
#define MUSTER_COMMON_SUPPORT_CONFIG_VALUE_H_

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"

namespace muster {

// The numbers from `least` to `most`, both included.
struct IntRange {
  int64_t least = std::numeric_limits<int64_t>::min();
  int64_t most = std::numeric_limits<int64_t>::max();
};
struct DurationRange {
  absl::Duration least = absl::ZeroDuration();
  absl::Duration most = absl::InfiniteDuration();
};

// Each reader takes the whole of `text`, strictly: no spaces around it, nothing left over. It gives
// an empty string and writes `value`, or says what is wrong with the text, such as "is not a whole
// number", and leaves `value` alone.
std::string ReadInt(std::string_view text, IntRange range, int64_t* value);
std::string ReadDuration(std::string_view text, DurationRange range, absl::Duration* value);
std::string ReadBool(std::string_view text, bool* value);
std::string ReadChoice(std::string_view text, const std::vector<std::string>& choices,
                       std::string* value);

// What is wanted, in words: "a whole number from 1 to 16", "a duration of 1s or more, such as 30s
// or 1m30s".
std::string Describe(IntRange range);
std::string Describe(DurationRange range);

}  // namespace muster

#endif  // MUSTER_COMMON_SUPPORT_CONFIG_VALUE_H_
