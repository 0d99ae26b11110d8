#include "common/layout/preset/yunchang.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/common/layout/preset/preset_expectations.h"
#include "tests/common/layout/preset/random_preset.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using testing::ElementsAre;

constexpr RankRun kEight = {.first = 0, .count = 8};

TEST(YunchangTest, UlyssesLowTakesNeighbours) {
  const auto kinds = Expanded(ExpandYunchang, kEight, {{"ulysses_degree", 2}, {"ring_degree", 2}});
  ASSERT_THAT(kinds, IsOk());
  EXPECT_THAT(NamesOf(*kinds), ElementsAre("ulysses", "ring"));
  EXPECT_EQ(KindOf(kinds, "ulysses"), Ranks({{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(KindOf(kinds, "ring"), Ranks({{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
}

TEST(YunchangTest, UlyssesHighIsSpread) {
  const auto kinds =
      Expanded(ExpandYunchang, {.first = 3, .count = 6},
               {{"ulysses_degree", 3}, {"ring_degree", 2}, {"use_ulysses_low", false}});
  EXPECT_EQ(KindOf(kinds, "ulysses"), Ranks({{3, 5, 7}, {4, 6, 8}}));
  EXPECT_EQ(KindOf(kinds, "ring"), Ranks({{3, 4}, {5, 6}, {7, 8}}));
}

TEST(YunchangTest, ListedGroupsAreCutByPlaceWhateverTheirOrder) {
  std::vector<PresetParam> params = {{"ulysses_degree", 2},
                                     {"ring_degree", 2},
                                     {"sp_group_ranks", "[[7, 5, 3, 1], [6, 4, 2, 0]]"}};
  const auto low = Expanded(ExpandYunchang, kEight, params);
  EXPECT_EQ(KindOf(low, "ulysses"), Ranks({{7, 5}, {3, 1}, {6, 4}, {2, 0}}));
  EXPECT_EQ(KindOf(low, "ring"), Ranks({{7, 3}, {5, 1}, {6, 2}, {4, 0}}));
  params.push_back({"use_ulysses_low", false});
  const auto high = Expanded(ExpandYunchang, kEight, params);
  EXPECT_EQ(KindOf(high, "ulysses"), Ranks({{7, 3}, {5, 1}, {6, 2}, {4, 0}}));
  EXPECT_EQ(KindOf(high, "ring"), Ranks({{7, 5}, {3, 1}, {6, 4}, {2, 0}}));
}

TEST(YunchangTest, ListsCountFromTheFirstRank) {
  const auto kinds = Expanded(ExpandYunchang, {.first = 4, .count = 4},
                              {{"ulysses_degree", 2}, {"sp_group_ranks", "[[0, 2], [1, 3]]"}});
  EXPECT_EQ(KindOf(kinds, "ulysses"), Ranks({{4, 6}, {5, 7}}));
}

TEST(YunchangTest, DegreesThatDoNotDivideAreRefusedBeforeTheLists) {
  const auto kinds =
      Expanded(ExpandYunchang, kEight, {{"ulysses_degree", 3}, {"sp_group_ranks", "[[0, 1, 2]]"}});
  EXPECT_THAT(kinds, HasKind(ErrorKind::kNotDivisible));
  EXPECT_THAT(RanksNamed(kinds.status()), ElementsAre(GlobalRank(6), GlobalRank(7)));
}

TEST(YunchangTest, BadDegreesAreRefused) {
  EXPECT_THAT(Expanded(ExpandYunchang, kEight, {{"ring_degree", 0}}),
              HasKind(ErrorKind::kZeroSize));
  EXPECT_THAT(Expanded(ExpandYunchang, kEight, {{"ring_degree", -2}}),
              HasKind(ErrorKind::kNegativeSize));
  EXPECT_THAT(Expanded(ExpandYunchang, kEight, {{"ring_degree", -3}}),
              HasKind(ErrorKind::kNotDivisible));
}

TEST(YunchangTest, ListsThatDoNotTileAreRefused) {
  const auto refused = [](const char* lists) {
    return Expanded(ExpandYunchang, kEight, {{"ulysses_degree", 4}, {"sp_group_ranks", lists}});
  };
  EXPECT_THAT(refused("[[0, 1, 2, 3]]"), HasKind(ErrorKind::kSpGroupCount));
  const auto short_one = refused("[[0, 1, 2, 3], [4, 5, 6]]");
  EXPECT_THAT(short_one, HasKind(ErrorKind::kSpGroupEntrySize));
  EXPECT_THAT(RanksNamed(short_one.status()),
              ElementsAre(GlobalRank(4), GlobalRank(5), GlobalRank(6)));
  const auto doubled = refused("[[0, 1, 2, 3], [4, 5, 2, 7]]");
  EXPECT_THAT(doubled, HasKind(ErrorKind::kRankNotInAnyGroup));
  EXPECT_THAT(RanksNamed(doubled.status()), ElementsAre(GlobalRank(6)));
  EXPECT_THAT(refused("[[0, 1, 2, 3], [4, 5, 6, 8]]"), HasKind(ErrorKind::kRankNotInAnyGroup));
  EXPECT_THAT(refused("[[0, 1, 2, 3], [4, 5, 2147483647, -2147483648]]"),
              HasKind(ErrorKind::kRankNotInAnyGroup));
}

}  // namespace
}  // namespace muster
