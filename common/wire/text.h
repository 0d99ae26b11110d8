#ifndef MUSTER_COMMON_WIRE_TEXT_H_
#define MUSTER_COMMON_WIRE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace muster {

// Tells whether `text` is UTF-8: no overlong form, no surrogate, nothing above U+10FFFF.
bool IsUtf8(std::string_view text);

// Makes text for people fit for the wire: every byte that is not part of a UTF-8 letter becomes
// '?', and text above `max_bytes`, at least 3, is cut at the end of a letter and ends with "...".
std::string FitText(std::string_view text, size_t max_bytes);

}  // namespace muster

#endif  // MUSTER_COMMON_WIRE_TEXT_H_
