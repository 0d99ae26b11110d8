#include "common/wire/text.h"

#include <cstdint>

namespace muster {
namespace {

constexpr std::string_view kCutMark = "...";

bool IsContinuation(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }

// The length that the first byte of a letter announces; 0 if no letter begins with it.
size_t AnnouncedLength(uint8_t first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

// Length of the letter at the start of `text`, which is not empty; 0 if there is none.
size_t LetterLength(std::string_view text) {
  const auto first = static_cast<uint8_t>(text[0]);
  const size_t length = AnnouncedLength(first);
  if (length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!IsContinuation(text[i])) return 0;
  }
  if (length < 3) return length;
  const auto second = static_cast<uint8_t>(text[1]);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second > 0x9F;
  const bool too_high = first == 0xF4 && second > 0x8F;
  return overlong || surrogate || too_high ? 0 : length;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = LetterLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string FitText(std::string_view text, size_t max_bytes) {
  const bool cut = text.size() > max_bytes;
  const size_t room = cut ? max_bytes - kCutMark.size() : max_bytes;
  std::string fit;
  while (!text.empty()) {
    const size_t length = LetterLength(text);
    if (fit.size() + (length == 0 ? 1 : length) > room) break;
    if (length == 0) {
      fit.push_back('?');
      text.remove_prefix(1);
    } else {
      fit.append(text.substr(0, length));
      text.remove_prefix(length);
    }
  }
  if (cut) fit.append(kCutMark);
  return fit;
}

}  // namespace muster
