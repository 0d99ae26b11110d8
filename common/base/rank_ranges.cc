#include "common/base/rank_ranges.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace muster {

std::string FormatRanges(std::vector<int64_t> values, size_t max_ranges) {
  if (values.empty()) return "none";
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());

  std::string text;
  size_t ranges = 0;
  size_t first = 0;
  while (first < values.size() && ranges < max_ranges) {
    size_t last = first;
    while (last + 1 < values.size() && values[last + 1] - 1 == values[last]) ++last;
    absl::StrAppend(&text, ranges == 0 ? "" : ", ", values[first]);
    if (last > first) absl::StrAppend(&text, "-", values[last]);
    ++ranges;
    first = last + 1;
  }
  const size_t left = values.size() - first;
  if (left > 0) absl::StrAppend(&text, ranges == 0 ? "" : " and ", left, " more");
  return text;
}

}  // namespace muster
