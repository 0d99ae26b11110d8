#include "common/layout/preset/regroup.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/check.h"

namespace muster {
namespace {

// A list of axes in two parts; counting along both counts along the whole.
struct SplitAxes {
  std::vector<Axis> slow;
  std::vector<Axis> fast;
};

// Splits `axes` so that the fast part counts to `run`. Nothing if no place splits them so.
std::optional<SplitAxes> Split(const std::vector<Axis>& axes, int32_t run) {
  const std::vector<Axis> merged = MergeAxes(axes);
  SplitAxes split;
  for (auto axis = merged.rbegin(); axis != merged.rend(); ++axis) {
    if (run % axis->size == 0) {
      split.fast.push_back(*axis);
      run /= axis->size;
    } else if (axis->size % run == 0) {
      if (run > 1) split.fast.push_back({.size = run, .stride = axis->stride});
      split.slow.push_back({.size = axis->size / run, .stride = axis->stride * run});
      run = 1;
    } else {
      return std::nullopt;
    }
  }
  if (run != 1) return std::nullopt;
  std::reverse(split.slow.begin(), split.slow.end());
  std::reverse(split.fast.begin(), split.fast.end());
  return split;
}

void Append(const std::vector<Axis>& more, std::vector<Axis>& axes) {
  axes.insert(axes.end(), more.begin(), more.end());
}

}  // namespace

GroupShape CutIntoRuns(const StridedGroups& groups, int32_t run) {
  MUSTER_CHECK(run >= 1, "a run without members");
  if (const std::optional<SplitAxes> split = Split(groups.inner, run)) {
    StridedGroups cut = groups;
    Append(split->slow, cut.outer);
    cut.inner = split->fast;
    return cut;
  }
  std::vector<std::vector<GlobalRank>> runs;
  const int32_t count = GroupCount(groups);
  for (int32_t index = 0; index < count; ++index) {
    const std::vector<GlobalRank> members = GroupMembers(groups, index);
    for (auto at = members.begin(); at != members.end();) {
      const auto end = at + std::min<std::ptrdiff_t>(run, members.end() - at);
      runs.emplace_back(at, end);
      at = end;
    }
  }
  return ListedGroups(std::move(runs));
}

StridedGroups JoinGroups(const StridedGroups& groups, int32_t count) {
  std::optional<SplitAxes> split = Split(groups.outer, count);
  MUSTER_CHECK(split.has_value(), "groups that do not join");
  Append(groups.inner, split->fast);
  return {.first_rank = groups.first_rank,
          .outer = std::move(split->slow),
          .inner = std::move(split->fast)};
}

StridedGroups TakeLevel(const StridedGroups& groups, int32_t before, int32_t size) {
  const std::optional<SplitAxes> runs = Split(groups.inner, before * size);
  MUSTER_CHECK(runs.has_value(), "members that do not fall into levels");
  const std::optional<SplitAxes> level = Split(runs->fast, before);
  MUSTER_CHECK(level.has_value(), "members that do not fall into levels");
  StridedGroups taken = groups;
  Append(runs->slow, taken.outer);
  Append(level->fast, taken.outer);
  taken.inner = level->slow;
  return taken;
}

}  // namespace muster
