#ifndef MUSTER_TESTS_COMMON_LAYOUT_PRESET_PRESET_EXPECTATIONS_H_
#define MUSTER_TESTS_COMMON_LAYOUT_PRESET_PRESET_EXPECTATIONS_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/error_detail.h"
#include "common/layout/group_shape.h"
#include "common/layout/preset/preset_params.h"
#include "gtest/gtest.h"
#include "tests/common/layout/preset/random_preset.h"
#include "tests/testing/slow_layouts.h"

namespace muster {

// What `expand` makes of `params`.
inline absl::StatusOr<std::vector<PresetKind>> Expanded(Expander expand, RankRun ranks,
                                                        std::vector<PresetParam> given) {
  const PresetSpec spec = {.name = "system", .params = std::move(given)};
  PresetParams params(spec);
  return expand(params, ranks);
}

// {{0, 1}, {2, 3}} as ranks.
inline SlowGroups Ranks(std::initializer_list<std::initializer_list<int32_t>> groups) {
  SlowGroups ranks;
  for (const auto& members : groups) {
    ranks.emplace_back();
    for (const int32_t rank : members) ranks.back().emplace_back(rank);
  }
  return ranks;
}

inline SlowGroups GroupsOf(const GroupShape& shape) {
  SlowGroups groups;
  for (int32_t index = 0; index < GroupCount(shape); ++index) {
    groups.push_back(GroupMembers(shape, index));
  }
  return groups;
}

// The groups of every kind.
inline SlowLayout LayoutOf(const std::vector<PresetKind>& kinds) {
  SlowLayout layout;
  for (const PresetKind& kind : kinds) layout[kind.name] = GroupsOf(kind.shape);
  return layout;
}

inline std::vector<std::string> NamesOf(const std::vector<PresetKind>& kinds) {
  std::vector<std::string> names;
  for (const PresetKind& kind : kinds) names.push_back(kind.name);
  return names;
}

// The groups of the kind `name`; none if the request was refused or has no such kind, which fails
// the test.
inline SlowGroups KindOf(const absl::StatusOr<std::vector<PresetKind>>& kinds,
                         const std::string& name) {
  EXPECT_TRUE(kinds.ok()) << kinds.status();
  if (!kinds.ok()) return {};
  for (const PresetKind& kind : *kinds) {
    if (kind.name == name) return GroupsOf(kind.shape);
  }
  ADD_FAILURE() << "no kind is named " << name;
  return {};
}

// The ranks that a refusal names.
inline std::vector<GlobalRank> RanksNamed(const absl::Status& status) {
  const auto detail = DetailOf(status);
  return detail.has_value() ? detail->ranks : std::vector<GlobalRank>();
}

// Expects that `drawn` gives the kinds that it must, and their groups.
inline void ExpectAsWanted(const DrawnPreset& drawn) {
  PresetParams params(drawn.spec);
  const auto kinds = drawn.expand(params, drawn.ranks);
  ASSERT_TRUE(kinds.ok()) << kinds.status();
  ASSERT_EQ(kinds->size(), drawn.wanted.size());
  for (const PresetKind& kind : *kinds) {
    SCOPED_TRACE(kind.name);
    const auto wanted = drawn.wanted.find(kind.name);
    ASSERT_NE(wanted, drawn.wanted.end());
    SlowGroups groups = GroupsOf(kind.shape);
    for (auto& members : groups) {
      for (GlobalRank& rank : members) rank.value -= drawn.ranks.first;
    }
    ASSERT_EQ(groups, wanted->second);
  }
}

}  // namespace muster

#endif  // MUSTER_TESTS_COMMON_LAYOUT_PRESET_PRESET_EXPECTATIONS_H_
