#include "common/layout/group_shape.h"

#include <algorithm>
#include <cstddef>

#include "common/base/check.h"

namespace muster {
namespace {

int32_t ProductOf(const std::vector<Axis>& axes) {
  int32_t product = 1;
  for (const Axis& axis : axes) product *= axis.size;
  return product;
}

// How far number `index`, counted along `axes`, lies from the start.
int32_t OffsetOf(const std::vector<Axis>& axes, int32_t index) {
  int32_t offset = 0;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    offset += (index % axis->size) * axis->stride;
    index /= axis->size;
  }
  return offset;
}

// One axis of a kind of groups, and how far a step along it gets in the number of the group or in
// that of the member.
struct Step {
  Axis axis;
  int32_t weight = 1;
  bool inner = false;
};

void AppendSteps(const std::vector<Axis>& axes, bool inner, std::vector<Step>& steps) {
  int32_t weight = 1;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    if (axis->size > 1) steps.push_back({.axis = *axis, .weight = weight, .inner = inner});
    weight *= axis->size;
  }
}

// All steps, the longest first.
std::vector<Step> StepsOf(const StridedGroups& groups) {
  std::vector<Step> steps;
  steps.reserve(groups.outer.size() + groups.inner.size());
  AppendSteps(groups.outer, false, steps);
  AppendSteps(groups.inner, true, steps);
  std::sort(steps.begin(), steps.end(),
            [](const Step& a, const Step& b) { return a.axis.stride > b.axis.stride; });
  return steps;
}

std::optional<GroupPlace> Locate(const StridedGroups& groups, GlobalRank rank) {
  int64_t rest = int64_t{rank.value} - groups.first_rank.value;
  if (rest < 0) return std::nullopt;
  GroupPlace place;
  for (const Step& step : StepsOf(groups)) {
    const int64_t count = rest / step.axis.stride;
    if (count >= step.axis.size) return std::nullopt;
    rest -= count * step.axis.stride;
    int32_t& number = step.inner ? place.rank.value : place.index;
    number += static_cast<int32_t>(count) * step.weight;
  }
  if (rest != 0) return std::nullopt;
  return place;
}

GlobalRank FirstOf(const StridedGroups& groups, int32_t index) {
  return GlobalRank(groups.first_rank.value + OffsetOf(groups.outer, index));
}

}  // namespace

ListedGroups::ListedGroups(std::vector<std::vector<GlobalRank>> groups)
    : groups_(std::move(groups)) {
  for (size_t g = 0; g < groups_.size(); ++g) {
    for (size_t m = 0; m < groups_[g].size(); ++m) {
      places_.emplace_back(groups_[g][m], GroupPlace{.index = static_cast<int32_t>(g),
                                                     .rank = GroupRank(static_cast<int32_t>(m))});
    }
  }
  std::sort(places_.begin(), places_.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
}

std::optional<GroupPlace> ListedGroups::Find(GlobalRank rank) const {
  const auto at = std::lower_bound(
      places_.begin(), places_.end(), rank,
      [](const std::pair<GlobalRank, GroupPlace>& place, GlobalRank r) { return place.first < r; });
  if (at == places_.end() || at->first != rank) return std::nullopt;
  return at->second;
}

int32_t GroupCount(const GroupShape& shape) {
  if (const auto* strided = std::get_if<StridedGroups>(&shape)) return ProductOf(strided->outer);
  return static_cast<int32_t>(std::get<ListedGroups>(shape).groups().size());
}

int32_t GroupSize(const GroupShape& shape, int32_t index) {
  MUSTER_CHECK(index >= 0 && index < GroupCount(shape), "group index outside its kind");
  if (const auto* strided = std::get_if<StridedGroups>(&shape)) return ProductOf(strided->inner);
  const auto& groups = std::get<ListedGroups>(shape).groups();
  return static_cast<int32_t>(groups[static_cast<size_t>(index)].size());
}

std::vector<GlobalRank> GroupMembers(const GroupShape& shape, int32_t index) {
  const int32_t size = GroupSize(shape, index);
  const auto* strided = std::get_if<StridedGroups>(&shape);
  if (strided == nullptr) {
    return std::get<ListedGroups>(shape).groups()[static_cast<size_t>(index)];
  }
  const GlobalRank first = FirstOf(*strided, index);
  std::vector<GlobalRank> members;
  members.reserve(static_cast<size_t>(size));
  for (int32_t m = 0; m < size; ++m) {
    members.emplace_back(first.value + OffsetOf(strided->inner, m));
  }
  return members;
}

std::optional<GroupPlace> Locate(const GroupShape& shape, GlobalRank rank) {
  if (const auto* strided = std::get_if<StridedGroups>(&shape)) return Locate(*strided, rank);
  return std::get<ListedGroups>(shape).Find(rank);
}

std::vector<Axis> MergeAxes(const std::vector<Axis>& axes) {
  std::vector<Axis> merged;
  for (const Axis& axis : axes) {
    if (axis.size == 1) continue;
    if (!merged.empty() && merged.back().stride == axis.size * axis.stride) {
      merged.back().size *= axis.size;
      merged.back().stride = axis.stride;
    } else {
      merged.push_back(axis);
    }
  }
  return merged;
}

bool SameMembers(const GroupShape& a, int32_t a_index, const GroupShape& b, int32_t b_index) {
  if (GroupSize(a, a_index) != GroupSize(b, b_index)) return false;
  const auto* a_strided = std::get_if<StridedGroups>(&a);
  const auto* b_strided = std::get_if<StridedGroups>(&b);
  if (a_strided == nullptr || b_strided == nullptr) {
    return GroupMembers(a, a_index) == GroupMembers(b, b_index);
  }
  return FirstOf(*a_strided, a_index) == FirstOf(*b_strided, b_index) &&
         MergeAxes(a_strided->inner) == MergeAxes(b_strided->inner);
}

}  // namespace muster
