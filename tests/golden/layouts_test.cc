#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/jobfile/layout_cases.h"
#include "common/jobfile/run_cases.h"
#include "common/layout/group_shape.h"
#include "common/layout/preset/preset_kind.h"

namespace muster {
namespace {

using ::testing::IsEmpty;

// What reference systems answered, from the file that MUSTER_GOLDEN_LAYOUTS names, else from the
// one beside this test.
const std::vector<LayoutCase>& Cases() {
  static const auto* const cases = [] {
    const char* const path = std::getenv("MUSTER_GOLDEN_LAYOUTS");
    std::ifstream file(path != nullptr ? path : MUSTER_GOLDEN "/layouts.json");
    std::stringstream text;
    text << file.rdbuf();
    absl::StatusOr<std::vector<LayoutCase>> parsed = ParseLayoutCases(text.str());
    if (!parsed.ok()) {
      ADD_FAILURE() << parsed.status();
      parsed.emplace();
    }
    return new std::vector<LayoutCase>(*std::move(parsed));
  }();
  return *cases;
}

TEST(GoldenLayoutsTest, EveryCaseIsAnsweredAsTheReferenceAnsweredIt) {
  ASSERT_FALSE(Cases().empty());
  const CasesReport report = RunCases(Cases());
  std::cout << report.Summary();
  EXPECT_GT(report.passed, 0);
  EXPECT_THAT(report.failures, IsEmpty());
}

// Each member of each group is found where it is, and a rank is found in as many groups as have it.
TEST(GoldenLayoutsTest, EveryMemberOfEveryGroupIsLocated) {
  for (const LayoutCase& layout_case : Cases()) {
    if (IsStateCase(layout_case) || !layout_case.error.empty()) continue;
    const absl::StatusOr<std::vector<PresetKind>> kinds = AnswerCase(layout_case);
    ASSERT_TRUE(kinds.ok()) << layout_case.id << ": " << kinds.status();
    for (const PresetKind& kind : *kinds) {
      SCOPED_TRACE(layout_case.id + " " + kind.name);
      const int32_t count = GroupCount(kind.shape);
      int64_t members = 0;
      int32_t last = 0;
      for (int32_t index = 0; index < count; ++index) {
        const std::vector<GlobalRank> ranks = GroupMembers(kind.shape, index);
        members += std::ssize(ranks);
        for (int32_t place = 0; place < std::ssize(ranks); ++place) {
          const GlobalRank rank = ranks[static_cast<size_t>(place)];
          last = std::max(last, rank.value);
          ASSERT_EQ(Locate(kind.shape, rank),
                    (GroupPlace{.index = index, .rank = GroupRank(place)}));
        }
      }
      int64_t located = 0;
      for (GlobalRank rank(-1); rank.value <= last + 1; ++rank.value) {
        located += Locate(kind.shape, rank).has_value() ? 1 : 0;
      }
      ASSERT_EQ(located, members);
    }
  }
}

}  // namespace
}  // namespace muster
