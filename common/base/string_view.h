#ifndef MUSTER_COMMON_BASE_STRING_VIEW_H_
#define MUSTER_COMMON_BASE_STRING_VIEW_H_

#include <string_view>

#include "absl/strings/string_view.h"

namespace muster {

// The packaged Abseil has a string_view of its own that does not convert from or to the standard
// one. Our interfaces use the standard one; these two functions join both. The bytes are shared.
inline absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view ToStd(absl::string_view text) { return {text.data(), text.size()}; }

}  // namespace muster

#endif  // MUSTER_COMMON_BASE_STRING_VIEW_H_
