#ifndef MUSTER_COMMON_JOBFILE_LAYOUT_CASES_H_
#define MUSTER_COMMON_JOBFILE_LAYOUT_CASES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/ids.h"
#include "common/layout/preset/preset_spec.h"

namespace muster {

// Files of cases: what reference systems answered when they were asked for groups.
//
// Such a file is a list in JSON. Each item has the texts `id` and `source` (the system), the map
// `params` with the text `api` (the entry point that was called) and the arguments of that call,
// and either the map `groups`, from the name of a kind to lists of ranks, or the text `error`, the
// name of a kind of error. Other keys of an item are not looked at.

inline constexpr size_t kLayoutCasesBytesMax = 64 << 20;  // bytes of a file

using GroupLists = std::vector<std::vector<GlobalRank>>;

struct LayoutCase {
  std::string id;
  std::string source;
  std::string api;
  // By the names that the file has; those without a value are left out. Lists are texts, as
  // "[[0,1],[2,3]]".
  std::vector<PresetParam> params;
  std::map<std::string, GroupLists> groups;
  std::string error;  // empty if there are groups

  // The value of `name`; null if it is absent.
  const PresetParam* Find(std::string_view name) const;

  // The whole number `name`; `fallback` if it is absent or none.
  int64_t Int(std::string_view name, int64_t fallback) const;

  // The items of the list of texts `name`, which Find() gives as "[a,b]"; none if it is absent.
  std::vector<std::string> Items(std::string_view name) const;
};

// Errors: kInvalidArgument: limit_exceeded (more than kLayoutCasesBytesMax bytes); invalid_request
// (no such file; names the item).
absl::StatusOr<std::vector<LayoutCase>> ParseLayoutCases(std::string_view json);

}  // namespace muster

#endif  // MUSTER_COMMON_JOBFILE_LAYOUT_CASES_H_
