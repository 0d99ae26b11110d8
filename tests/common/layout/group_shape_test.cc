#include "common/layout/group_shape.h"

#include <optional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/common/layout/layout_examples.h"

namespace muster {
namespace {

// 24 ranks from rank 100 on, as 2 x 3 x 4; groups over the outermost and the innermost axis.
GroupShape Outermost() {
  return StridedGroups{
      .first_rank = GlobalRank(100), .outer = {{3, 4}, {4, 1}}, .inner = {{2, 12}}};
}
GroupShape OuterAndInner() {
  return StridedGroups{
      .first_rank = GlobalRank(100), .outer = {{3, 4}}, .inner = {{2, 12}, {4, 1}}};
}

GroupShape Listed(std::vector<std::vector<GlobalRank>> groups) {
  return ListedGroups(std::move(groups));
}

TEST(StridedGroupsTest, CountsGroupsAlongOuterAndMembersAlongInnerAxes) {
  EXPECT_EQ(GroupCount(Outermost()), 12);
  EXPECT_EQ(GroupSize(Outermost(), 11), 2);
  EXPECT_THAT(GroupMembers(Outermost(), 0), Ranks({100, 112}));
  EXPECT_THAT(GroupMembers(Outermost(), 5), Ranks({105, 117}));
  EXPECT_EQ(GroupCount(OuterAndInner()), 3);
  EXPECT_THAT(GroupMembers(OuterAndInner(), 1), Ranks({104, 105, 106, 107, 116, 117, 118, 119}));
}

TEST(StridedGroupsTest, LocatesEveryMember) {
  EXPECT_EQ(Locate(Outermost(), GlobalRank(117)), (GroupPlace{.index = 5, .rank = GroupRank(1)}));
  EXPECT_EQ(Locate(OuterAndInner(), GlobalRank(118)),
            (GroupPlace{.index = 1, .rank = GroupRank(6)}));
}

TEST(StridedGroupsTest, LocatesNothingOutside) {
  EXPECT_EQ(Locate(Outermost(), GlobalRank(99)), std::nullopt);
  EXPECT_EQ(Locate(Outermost(), GlobalRank(124)), std::nullopt);
  EXPECT_EQ(Locate(Outermost(), GlobalRank(-2147483648)), std::nullopt);
}

// Some systems count the inner groups of one dimension before they go on to the next dimension.
TEST(StridedGroupsTest, CountsAlongAxesInAnyOrderOfStrides) {
  const GroupShape shape =
      StridedGroups{.first_rank = GlobalRank(0), .outer = {{3, 1}, {2, 3}}, .inner = {{2, 6}}};
  EXPECT_THAT(GroupMembers(shape, 0), Ranks({0, 6}));
  EXPECT_THAT(GroupMembers(shape, 1), Ranks({3, 9}));
  EXPECT_THAT(GroupMembers(shape, 2), Ranks({1, 7}));
  EXPECT_EQ(Locate(shape, GlobalRank(9)), (GroupPlace{.index = 1, .rank = GroupRank(1)}));
  EXPECT_EQ(Locate(shape, GlobalRank(7)), (GroupPlace{.index = 2, .rank = GroupRank(1)}));
}

// The first and the last of four stages of three ranks each, twice.
TEST(StridedGroupsTest, RanksThatNoStepReachesAreInNoGroup) {
  const GroupShape shape =
      StridedGroups{.first_rank = GlobalRank(10), .outer = {{2, 12}, {3, 1}}, .inner = {{2, 9}}};
  EXPECT_EQ(GroupCount(shape), 6);
  EXPECT_THAT(GroupMembers(shape, 4), Ranks({23, 32}));
  EXPECT_EQ(Locate(shape, GlobalRank(32)), (GroupPlace{.index = 4, .rank = GroupRank(1)}));
  EXPECT_EQ(Locate(shape, GlobalRank(24)), (GroupPlace{.index = 5, .rank = GroupRank(0)}));
  for (const int32_t rank : {13, 18, 25, 30, 34, 35, 100}) {
    EXPECT_EQ(Locate(shape, GlobalRank(rank)), std::nullopt) << rank;
  }
}

TEST(MergeAxesTest, NeighboursThatCountOnBecomeOne) {
  const std::vector<Axis> long_form = {{2, 12}, {1, 99}, {3, 4}, {4, 1}};
  const std::vector<Axis> short_form = {{24, 1}};
  EXPECT_EQ(MergeAxes(long_form), short_form);
  const std::vector<Axis> apart = {{3, 4}, {2, 12}, {4, 1}};
  EXPECT_EQ(MergeAxes(apart), apart);
  EXPECT_EQ(MergeAxes({{1, 7}}), std::vector<Axis>());
}

TEST(ListedGroupsTest, KeepsOrderAndLocates) {
  const GroupShape shape = Listed({Ranks({9, 2}), Ranks({4}), Ranks({0, 7, 5})});
  EXPECT_EQ(GroupCount(shape), 3);
  EXPECT_EQ(GroupSize(shape, 2), 3);
  EXPECT_THAT(GroupMembers(shape, 0), Ranks({9, 2}));
  EXPECT_EQ(Locate(shape, GlobalRank(2)), (GroupPlace{.index = 0, .rank = GroupRank(1)}));
  EXPECT_EQ(Locate(shape, GlobalRank(5)), (GroupPlace{.index = 2, .rank = GroupRank(2)}));
  EXPECT_EQ(Locate(shape, GlobalRank(3)), std::nullopt);
  EXPECT_EQ(Locate(shape, GlobalRank(10)), std::nullopt);
}

// A run of eight ranks as one axis, as two, with an axis of one between, and as a list.
TEST(SameMembersTest, HoldsWhateverTheAxesAre) {
  const std::vector<GroupShape> shapes = {
      StridedGroups{.first_rank = GlobalRank(8), .outer = {}, .inner = {{8, 1}}},
      StridedGroups{.first_rank = GlobalRank(8), .outer = {}, .inner = {{2, 4}, {4, 1}}},
      StridedGroups{.first_rank = GlobalRank(8), .outer = {}, .inner = {{4, 2}, {1, 9}, {2, 1}}},
      Listed({Ranks({8, 9, 10, 11, 12, 13, 14, 15})}),
  };
  for (const GroupShape& a : shapes) {
    for (const GroupShape& b : shapes) EXPECT_TRUE(SameMembers(a, 0, b, 0));
  }
}

// Every third rank, so that no axis has stride 1.
TEST(SameMembersTest, HoldsForRanksThatAreNoNeighbours) {
  const GroupShape one = StridedGroups{.first_rank = GlobalRank(1), .outer = {}, .inner = {{8, 3}}};
  const GroupShape three =
      StridedGroups{.first_rank = GlobalRank(1), .outer = {}, .inner = {{2, 12}, {2, 6}, {2, 3}}};
  const GroupShape gap =
      StridedGroups{.first_rank = GlobalRank(1), .outer = {}, .inner = {{4, 2}, {2, 15}}};
  EXPECT_TRUE(SameMembers(one, 0, three, 0));
  EXPECT_TRUE(SameMembers(three, 0, Listed({Ranks({1, 4, 7, 10, 13, 16, 19, 22})}), 0));
  EXPECT_FALSE(SameMembers(one, 0, gap, 0));
}

TEST(SameMembersTest, TellsOtherOrderOtherMembersAndOtherSize) {
  const GroupShape run =
      StridedGroups{.first_rank = GlobalRank(0), .outer = {{2, 4}}, .inner = {{4, 1}}};
  const GroupShape transposed =
      StridedGroups{.first_rank = GlobalRank(0), .outer = {}, .inner = {{2, 1}, {2, 2}}};
  const GroupShape spread =
      StridedGroups{.first_rank = GlobalRank(0), .outer = {{2, 1}}, .inner = {{4, 2}}};
  EXPECT_THAT(GroupMembers(transposed, 0), Ranks({0, 2, 1, 3}));
  EXPECT_FALSE(SameMembers(run, 0, transposed, 0));
  EXPECT_FALSE(SameMembers(run, 0, spread, 0));
  EXPECT_FALSE(SameMembers(run, 0, run, 1));
  EXPECT_TRUE(SameMembers(run, 1, run, 1));
  EXPECT_FALSE(SameMembers(run, 0, Listed({Ranks({0, 1, 2})}), 0));
  EXPECT_FALSE(SameMembers(run, 0, Listed({Ranks({0, 1, 3, 2})}), 0));
}

}  // namespace
}  // namespace muster
