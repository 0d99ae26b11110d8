#include "common/base/rank_ranges.h"

#include <limits>
#include <set>

#include "common/base/ids.h"
#include "gtest/gtest.h"

namespace muster {
namespace {

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();

TEST(RankRangesTest, NeighboursBecomeARange) {
  EXPECT_EQ(FormatRanges({0, 1, 2, 3, 5, 7, 8, 9}), "0-3, 5, 7-9");
}

TEST(RankRangesTest, TwoNeighboursAreARangeToo) { EXPECT_EQ(FormatRanges({5, 6}), "5-6"); }

TEST(RankRangesTest, OneValueStandsAlone) { EXPECT_EQ(FormatRanges({17}), "17"); }

TEST(RankRangesTest, NothingIsNone) { EXPECT_EQ(FormatRanges({}), "none"); }

TEST(RankRangesTest, OrderAndRepeatsDoNotMatter) {
  EXPECT_EQ(FormatRanges({9, 1, 8, 1, 0, 9}), "0-1, 8-9");
}

TEST(RankRangesTest, TheEndsOfTheTypeDoNotWrapAround) {
  EXPECT_EQ(FormatRanges({kLowest, kHighest}), "-9223372036854775808, 9223372036854775807");
}

TEST(RankRangesTest, ValuesBeyondTheCapAreCounted) {
  EXPECT_EQ(FormatRanges({0, 1, 5, 7, 8, 9, 20}, 2), "0-1, 5 and 4 more");
  EXPECT_EQ(FormatRanges({0, 1, 5, 7, 8, 9, 20}, 4), "0-1, 5, 7-9, 20");
  EXPECT_EQ(FormatRanges({4, 5, 6}, 0), "3 more");
}

TEST(RankRangesTest, ContainersOfIdsWork) {
  const std::set<GlobalRank> ranks = {GlobalRank(6), GlobalRank(2), GlobalRank(3)};

  EXPECT_EQ(FormatIdRanges(ranks), "2-3, 6");
  EXPECT_EQ(FormatIdRanges(ranks, 1), "2-3 and 1 more");
}

}  // namespace
}  // namespace muster
