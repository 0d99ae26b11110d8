#ifndef MUSTER_COMMON_BASE_RANK_RANGES_H_
#define MUSTER_COMMON_BASE_RANK_RANGES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace muster {

// Gives `values` as ranges in ascending order: {9, 7, 8, 0, 1, 5} is "0-1, 5, 7-9". Order and
// repeats in the input do not matter. Nothing at all is "none".
//
// At most `max_ranges` ranges are written; the values left out are counted: "0-1, 5 and 3 more".
std::string FormatRanges(std::vector<int64_t> values,
                         size_t max_ranges = std::numeric_limits<size_t>::max());

// The same for any container of tagged ids, such as std::set<GlobalRank>.
template <typename Container>
std::string FormatIdRanges(const Container& ids,
                           size_t max_ranges = std::numeric_limits<size_t>::max()) {
  std::vector<int64_t> values;
  for (const auto& id : ids) values.push_back(static_cast<int64_t>(id.value));
  return FormatRanges(std::move(values), max_ranges);
}

}  // namespace muster

#endif  // MUSTER_COMMON_BASE_RANK_RANGES_H_
