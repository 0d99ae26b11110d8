#include "common/layout/preset/xdit.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/common/layout/preset/preset_expectations.h"
#include "tests/common/layout/preset/random_preset.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(XditTest, RandomShapesEqualTheSlowReference) {
  for (uint64_t seed = 0; seed < 500 && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    ExpectAsWanted(DrawXdit(random, 256));
  }
}

TEST(XditTest, DefaultsGiveSingletonsOnTheFirstRank) {
  const auto kinds = Expanded(ExpandXdit, {.first = 0, .count = 3}, {});
  ASSERT_THAT(kinds, IsOk());
  EXPECT_THAT(NamesOf(*kinds),
              ElementsAre("dp", "cfg", "pp", "ulysses", "ring", "sp", "tp", "fs", "dit"));
  for (const auto& [name, groups] : LayoutOf(*kinds)) EXPECT_EQ(groups, Ranks({{0}})) << name;
}

TEST(XditTest, VaeTakesTheRanksAfterTheTransformer) {
  const auto kinds =
      Expanded(ExpandXdit, {.first = 10, .count = 8},
               {{"tensor_parallel_degree", 2}, {"ulysses_degree", 2}, {"vae_parallel_size", 3}});
  EXPECT_EQ(KindOf(kinds, "dit"), Ranks({{10, 11, 12, 13}}));
  EXPECT_EQ(KindOf(kinds, "vae"), Ranks({{14, 15, 16}}));
  EXPECT_EQ(KindOf(kinds, "tp"), Ranks({{10, 11}, {12, 13}}));
}

TEST(XditTest, UlyssesIsCutFromRunsAlsoWhereSpIsStrided) {
  const auto kinds =
      Expanded(ExpandXdit, {.first = 0, .count = 8},
               {{"tensor_parallel_degree", 2}, {"ulysses_degree", 2}, {"ring_degree", 2}});
  EXPECT_EQ(KindOf(kinds, "sp"), Ranks({{0, 2, 4, 6}, {1, 3, 5, 7}}));
  EXPECT_EQ(KindOf(kinds, "ulysses"), Ranks({{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(KindOf(kinds, "ring"), Ranks({{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
}

TEST(XditTest, ShardsAreRunsOverTheTransformer) {
  const auto kinds = Expanded(ExpandXdit, {.first = 0, .count = 9},
                              {{"data_parallel_degree", 8}, {"fully_shard_degree", 4}});
  EXPECT_EQ(KindOf(kinds, "fs"), Ranks({{0, 1, 2, 3}, {4, 5, 6, 7}}));
}

TEST(XditTest, SequenceDegreeUnlikeItsPartsIsRefusedFirst) {
  const auto kinds = Expanded(
      ExpandXdit, {.first = 0, .count = 2},
      {{"sequence_parallel_degree", 4}, {"ulysses_degree", 2}, {"tensor_parallel_degree", 0}});
  EXPECT_THAT(kinds, HasKind(ErrorKind::kSpSizeMismatch));
  EXPECT_THAT(kinds, StatusIs(absl::StatusCode::kInvalidArgument,
                              HasSubstr("sp 4, want ulysses 2 x ring 1 = 2")));
}

TEST(XditTest, MoreRanksThanTheWorldHasAreRefused) {
  const auto kinds = Expanded(ExpandXdit, {.first = 0, .count = 7},
                              {{"tensor_parallel_degree", 4}, {"data_parallel_degree", 2}});
  EXPECT_THAT(kinds, HasKind(ErrorKind::kProductMismatch));
  EXPECT_THAT(kinds, StatusIs(absl::StatusCode::kInvalidArgument,
                              HasSubstr("tp 4 x sp 1 x pp 1 x cfg 1 x dp 2 = 8, want at most 7")));
}

TEST(XditTest, BadSizesAreRefused) {
  const RankRun ranks = {.first = 0, .count = 8};
  EXPECT_THAT(Expanded(ExpandXdit, ranks, {{"ring_degree", 0}}), HasKind(ErrorKind::kZeroSize));
  EXPECT_THAT(Expanded(ExpandXdit, ranks, {{"fully_shard_degree", 0}}),
              HasKind(ErrorKind::kZeroSize));
  EXPECT_THAT(Expanded(ExpandXdit, ranks, {{"ulysses_degree", -2}, {"ring_degree", -2}}),
              HasKind(ErrorKind::kNegativeSize));
  EXPECT_THAT(Expanded(ExpandXdit, ranks, {{"vae_parallel_size", -1}}),
              HasKind(ErrorKind::kNegativeSize));
  EXPECT_THAT(Expanded(ExpandXdit, ranks, {{"data_parallel_degree", 4}, {"fully_shard_degree", 3}}),
              HasKind(ErrorKind::kNotDivisible));
  EXPECT_THAT(Expanded(ExpandXdit, ranks,
                       {{"data_parallel_degree", int64_t{1} << 40},
                        {"tensor_parallel_degree", int64_t{1} << 40}}),
              HasKind(ErrorKind::kProductOverflow));
  EXPECT_THAT(Expanded(ExpandXdit, ranks, {{"data_parallel_size", 4}}),
              HasKind(ErrorKind::kUnknownName));
}

TEST(XditTest, VaeBeyondTheWorldIsRefused) {
  const auto kinds = Expanded(ExpandXdit, {.first = 0, .count = 8},
                              {{"data_parallel_degree", 6}, {"vae_parallel_size", 3}});
  EXPECT_THAT(kinds, HasKind(ErrorKind::kIndexOutOfLayout));
  EXPECT_THAT(Expanded(ExpandXdit, {.first = 0, .count = 8},
                       {{"data_parallel_degree", 6}, {"vae_parallel_size", 2}}),
              IsOk());
}

}  // namespace
}  // namespace muster
