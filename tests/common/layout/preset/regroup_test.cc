#include "common/layout/preset/regroup.h"

#include <variant>
#include <vector>

#include "gtest/gtest.h"
#include "tests/common/layout/preset/preset_expectations.h"

namespace muster {
namespace {

// {0, 1, 2, 6, 7, 8} and {3, 4, 5, 9, 10, 11}.
StridedGroups TwoOfSix() {
  return {.first_rank = GlobalRank(0), .outer = {{2, 3}}, .inner = {{2, 6}, {3, 1}}};
}

// {0, 1, ..., 5} and {6, ..., 11}, as two axes.
StridedGroups TwoRuns() {
  return {.first_rank = GlobalRank(0), .outer = {{2, 6}}, .inner = {{2, 3}, {3, 1}}};
}

bool IsRule(const GroupShape& shape) { return std::holds_alternative<StridedGroups>(shape); }

TEST(CutIntoRunsTest, CutsEveryGroupInMemberOrder) {
  const GroupShape cut = CutIntoRuns(TwoOfSix(), 3);
  EXPECT_EQ(GroupsOf(cut), Ranks({{0, 1, 2}, {6, 7, 8}, {3, 4, 5}, {9, 10, 11}}));
  EXPECT_TRUE(IsRule(cut));
  EXPECT_EQ(GroupsOf(CutIntoRuns(TwoOfSix(), 6)), GroupsOf(TwoOfSix()));
  EXPECT_TRUE(IsRule(CutIntoRuns(TwoOfSix(), 6)));
  EXPECT_EQ(GroupsOf(CutIntoRuns(TwoOfSix(), 1)),
            Ranks({{0}, {1}, {2}, {6}, {7}, {8}, {3}, {4}, {5}, {9}, {10}, {11}}));
}

TEST(CutIntoRunsTest, AxesThatCountOnCountAsOne) {
  const GroupShape cut = CutIntoRuns(TwoRuns(), 2);
  EXPECT_EQ(GroupsOf(cut), Ranks({{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}}));
  EXPECT_TRUE(IsRule(cut));
}

TEST(CutIntoRunsTest, RunsThatFollowNoRuleAreListed) {
  const GroupShape cut = CutIntoRuns(TwoOfSix(), 2);
  EXPECT_EQ(GroupsOf(cut), Ranks({{0, 1}, {2, 6}, {7, 8}, {3, 4}, {5, 9}, {10, 11}}));
  EXPECT_FALSE(IsRule(cut));
}

TEST(CutIntoRunsTest, LastRunMayBeShorter) {
  EXPECT_EQ(GroupsOf(CutIntoRuns(TwoOfSix(), 4)),
            Ranks({{0, 1, 2, 6}, {7, 8}, {3, 4, 5, 9}, {10, 11}}));
  EXPECT_EQ(GroupsOf(CutIntoRuns(TwoOfSix(), 7)), GroupsOf(TwoOfSix()));
  EXPECT_EQ(GroupsOf(CutIntoRuns(TwoOfSix(), 12)), GroupsOf(TwoOfSix()));
}

TEST(JoinGroupsTest, PutsGroupsOneBehindTheOther) {
  const StridedGroups columns = {.first_rank = GlobalRank(4), .outer = {{4, 1}}, .inner = {{2, 4}}};
  EXPECT_EQ(GroupsOf(JoinGroups(columns, 2)), Ranks({{4, 8, 5, 9}, {6, 10, 7, 11}}));
  EXPECT_EQ(GroupsOf(JoinGroups(columns, 1)), GroupsOf(columns));
  EXPECT_EQ(GroupsOf(JoinGroups(columns, 4)), Ranks({{4, 8, 5, 9, 6, 10, 7, 11}}));
}

TEST(TakeLevelTest, TakesWhatLiesApartByWhatIsBelow) {
  const StridedGroups groups = {.first_rank = GlobalRank(0), .outer = {{2, 1}}, .inner = {{8, 2}}};
  EXPECT_EQ(GroupsOf(TakeLevel(groups, 1, 2)),
            Ranks({{0, 2}, {4, 6}, {8, 10}, {12, 14}, {1, 3}, {5, 7}, {9, 11}, {13, 15}}));
  EXPECT_EQ(GroupsOf(TakeLevel(groups, 2, 2)),
            Ranks({{0, 4}, {2, 6}, {8, 12}, {10, 14}, {1, 5}, {3, 7}, {9, 13}, {11, 15}}));
  EXPECT_EQ(GroupsOf(TakeLevel(groups, 4, 2)),
            Ranks({{0, 8}, {2, 10}, {4, 12}, {6, 14}, {1, 9}, {3, 11}, {5, 13}, {7, 15}}));
  EXPECT_EQ(GroupsOf(TakeLevel(groups, 1, 8)), GroupsOf(groups));
}

}  // namespace
}  // namespace muster
