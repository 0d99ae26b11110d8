#include "common/support/config_value.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/str_cat.h"

namespace muster {
namespace {

// The part of a description that speaks of the limits; empty if there are none.
std::string DescribeLimits(const std::string& least, const std::string& most) {
  if (least.empty() && most.empty()) return "";
  if (most.empty()) return absl::StrCat(" of ", least, " or more");
  if (least.empty()) return absl::StrCat(" of ", most, " or less");
  return absl::StrCat(" from ", least, " to ", most);
}

}  // namespace

std::string ReadInt(std::string_view text, IntRange range, int64_t* value) {
  int64_t read = 0;
  const char* const end = text.data() + text.size();
  const std::from_chars_result result = std::from_chars(text.data(), end, read);
  if (result.ec == std::errc::result_out_of_range) return "is a number too large to hold";
  if (result.ec != std::errc() || result.ptr != end) return "is not a whole number";
  if (read < range.least) return "is too small";
  if (read > range.most) return "is too large";
  *value = read;
  return "";
}

std::string ReadDuration(std::string_view text, DurationRange range, absl::Duration* value) {
  absl::Duration read;
  if (!absl::ParseDuration(std::string(text), &read)) {
    const bool bare = !text.empty() && text.find_first_not_of("0123456789.") == text.npos;
    return bare ? "has no unit" : "is not a duration";
  }
  if (read < range.least) return "is too short";
  if (read > range.most) return "is too long";
  *value = read;
  return "";
}

std::string ReadBool(std::string_view text, bool* value) {
  if (text != "true" && text != "false") return "is neither true nor false";
  *value = text == "true";
  return "";
}

std::string ReadChoice(std::string_view text, const std::vector<std::string>& choices,
                       std::string* value) {
  const auto found = std::find(choices.begin(), choices.end(), text);
  if (found == choices.end()) return "is none of the choices";
  *value = *found;
  return "";
}

std::string Describe(IntRange range) {
  const IntRange any;
  return absl::StrCat("a whole number",
                      DescribeLimits(range.least == any.least ? "" : absl::StrCat(range.least),
                                     range.most == any.most ? "" : absl::StrCat(range.most)));
}

std::string Describe(DurationRange range) {
  const DurationRange any;
  return absl::StrCat(
      "a duration",
      DescribeLimits(range.least == any.least ? "" : absl::FormatDuration(range.least),
                     range.most == any.most ? "" : absl::FormatDuration(range.most)),
      ", such as 30s, 1m30s or 250ms");
}

}  // namespace muster
