#include "common/layout/preset/vllm.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/common/layout/preset/preset_expectations.h"
#include "tests/common/layout/preset/random_preset.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(VllmTest, RandomShapesEqualTheSlowReference) {
  for (uint64_t seed = 0; seed < 500 && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    ExpectAsWanted(DrawVllm(random, 256));
  }
}

TEST(VllmTest, KindsComeInTheOrderOfTheirMaking) {
  const auto moe = Expanded(ExpandVllm, {.first = 0, .count = 1}, {});
  ASSERT_THAT(moe, IsOk());
  EXPECT_THAT(NamesOf(*moe), ElementsAre("tp", "dcp", "pcp", "pp", "dp", "ep"));
  const auto dense = Expanded(ExpandVllm, {.first = 0, .count = 1}, {{"is_moe", false}});
  ASSERT_THAT(dense, IsOk());
  EXPECT_THAT(NamesOf(*dense), ElementsAre("tp", "dcp", "pcp", "pp", "dp"));
}

TEST(VllmTest, DecodeGroupsCountPrefillBeforeTensor) {
  const RankRun ranks = {.first = 0, .count = 4};
  std::vector<PresetParam> params = {{"tensor_parallel_size", 2},
                                     {"prefill_context_parallel_size", 2},
                                     {"decode_context_parallel_size", 2}};
  EXPECT_EQ(KindOf(Expanded(ExpandVllm, ranks, params), "dcp"), Ranks({{0, 2}, {1, 3}}));
  params.back().value = 4;
  EXPECT_EQ(KindOf(Expanded(ExpandVllm, ranks, params), "dcp"), Ranks({{0, 2, 1, 3}}));
  params.push_back({"dcp_spans_pcp", false});
  EXPECT_EQ(KindOf(Expanded(ExpandVllm, ranks, params), "dcp"), Ranks({{0, 1, 2, 3}}));
}

TEST(VllmTest, DecodeGroupsMayEndWithinARowOfTheGrid) {
  const auto kinds = Expanded(ExpandVllm, {.first = 20, .count = 6},
                              {{"tensor_parallel_size", 3},
                               {"prefill_context_parallel_size", 2},
                               {"decode_context_parallel_size", 3}});
  EXPECT_EQ(KindOf(kinds, "dcp"), Ranks({{20, 23, 21}, {24, 22, 25}}));
}

TEST(VllmTest, DataGroupsAreCountedTensorFirst) {
  const auto kinds = Expanded(
      ExpandVllm, {.first = 0, .count = 8},
      {{"tensor_parallel_size", 2}, {"pipeline_parallel_size", 2}, {"data_parallel_size", 2}});
  EXPECT_EQ(KindOf(kinds, "dp"), Ranks({{0, 4}, {2, 6}, {1, 5}, {3, 7}}));
  EXPECT_EQ(KindOf(kinds, "ep"), Ranks({{0, 1, 4, 5}, {2, 3, 6, 7}}));
}

TEST(VllmTest, WhatTheSizesLeaveAreReplicas) {
  const auto kinds = Expanded(ExpandVllm, {.first = 0, .count = 8},
                              {{"tensor_parallel_size", 2}, {"pipeline_parallel_size", 2}});
  EXPECT_EQ(KindOf(kinds, "pp"), Ranks({{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(KindOf(kinds, "ep"), Ranks({{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(KindOf(kinds, "dp").size(), 8);
}

TEST(VllmTest, SizesThatLeaveRanksOverAreRefusedWithThoseRanks) {
  const auto kinds = Expanded(ExpandVllm, {.first = 4, .count = 10},
                              {{"tensor_parallel_size", 2}, {"data_parallel_size", 2}});
  EXPECT_THAT(kinds, HasKind(ErrorKind::kNotDivisible));
  EXPECT_THAT(kinds, StatusIs(absl::StatusCode::kInvalidArgument,
                              HasSubstr("dp 2 x pp 1 x pcp 1 x tp 2 = 4 over 10 ranks: "
                                        "10 = 4 x 2 + 2, want no remainder; ranks 12-13")));
  EXPECT_THAT(RanksNamed(kinds.status()), ElementsAre(GlobalRank(12), GlobalRank(13)));
}

TEST(VllmTest, BadSizesAreRefused) {
  const RankRun ranks = {.first = 0, .count = 8};
  EXPECT_THAT(Expanded(ExpandVllm, ranks, {{"tensor_parallel_size", 0}}),
              HasKind(ErrorKind::kZeroSize));
  EXPECT_THAT(Expanded(ExpandVllm, ranks, {{"decode_context_parallel_size", 0}}),
              HasKind(ErrorKind::kZeroSize));
  EXPECT_THAT(Expanded(ExpandVllm, ranks, {{"data_parallel_size", -1}}),
              HasKind(ErrorKind::kNegativeSize));
  EXPECT_THAT(Expanded(ExpandVllm, ranks,
                       {{"pipeline_parallel_size", int64_t{1} << 33},
                        {"data_parallel_size", int64_t{1} << 33}}),
              HasKind(ErrorKind::kProductOverflow));
  EXPECT_THAT(Expanded(ExpandVllm, ranks,
                       {{"tensor_parallel_size", 4}, {"decode_context_parallel_size", 8}}),
              HasKind(ErrorKind::kNotDivisible));
}

}  // namespace
}  // namespace muster
