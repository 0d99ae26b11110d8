#include "common/layout/preset/vllm_omni.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/common/layout/preset/preset_expectations.h"
#include "tests/common/layout/preset/random_preset.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr RankRun kEight = {.first = 0, .count = 8};

absl::StatusOr<std::vector<PresetKind>> Omni(std::vector<PresetParam> params) {
  return Expanded(ExpandVllmOmni, kEight, std::move(params));
}

SlowGroups Alone() { return SlowRuns(0, 8, 1); }

TEST(VllmOmniTest, ExpertModeGivesTheKindsOfVllmToo) {
  const auto kinds = Expanded(ExpandVllmOmni, {.first = 0, .count = 32},
                              {{"tensor_parallel_size", 2},
                               {"ulysses_degree", 2},
                               {"pipeline_parallel_size", 2},
                               {"cfg_parallel_size", 2},
                               {"data_parallel_size", 2},
                               {"enable_expert_parallel", true}});
  ASSERT_THAT(kinds, IsOk());
  EXPECT_THAT(NamesOf(*kinds), ElementsAre("dp", "cfg", "pp", "ulysses", "ring", "allgather", "sp",
                                           "pcp", "tp", "vllm_dp", "expert_layout", "ep"));
  EXPECT_EQ(KindOf(kinds, "pcp").front(), Ranks({{0, 2}}).front());
  EXPECT_EQ(KindOf(kinds, "vllm_dp").front(), Ranks({{0, 8, 16, 24}}).front());
  EXPECT_EQ(KindOf(kinds, "ep"),
            Ranks({{0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27},
                   {4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31}}));
}

TEST(VllmOmniTest, UlyssesFollowsSequenceGroupsThatAreNotContiguous) {
  const auto kinds =
      Expanded(ExpandVllmOmni, {.first = 8, .count = 8},
               {{"tensor_parallel_size", 2}, {"ulysses_degree", 2}, {"ring_degree", 2}});
  EXPECT_EQ(KindOf(kinds, "sp"), Ranks({{8, 10, 12, 14}, {9, 11, 13, 15}}));
  EXPECT_EQ(KindOf(kinds, "ulysses"), Ranks({{8, 10}, {12, 14}, {9, 11}, {13, 15}}));
  EXPECT_EQ(KindOf(kinds, "ring"), Ranks({{8, 12}, {10, 14}, {9, 13}, {11, 15}}));
}

TEST(VllmOmniTest, AllGatherTakesTheSequenceGroupsAsTheyAre) {
  const auto kinds = Omni({{"allgather_degree", 4}, {"tensor_parallel_size", 2}});
  EXPECT_EQ(KindOf(kinds, "allgather"), Ranks({{0, 2, 4, 6}, {1, 3, 5, 7}}));
  EXPECT_EQ(KindOf(kinds, "sp"), KindOf(kinds, "allgather"));
  EXPECT_EQ(KindOf(kinds, "ulysses"), Alone());
  EXPECT_EQ(KindOf(kinds, "ring"), Alone());
}

TEST(VllmOmniTest, HsdpAloneLeavesEveryRankAloneElsewhere) {
  const auto kinds = Omni({{"use_hsdp", true}, {"fully_shard_degree", 4}});
  ASSERT_THAT(kinds, IsOk());
  EXPECT_EQ(KindOf(kinds, "fs"), Ranks({{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(KindOf(kinds, "hsdp_replicate"), Ranks({{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  for (const auto& [name, groups] : LayoutOf(*kinds)) {
    if (name == "fs" || name == "hsdp_replicate") continue;
    EXPECT_EQ(groups, Alone()) << name;
  }
}

TEST(VllmOmniTest, HsdpOverTheWorldHasNoReplicas) {
  const auto kinds = Omni({{"use_hsdp", true}, {"fully_shard_degree", 8}, {"ulysses_degree", 8}});
  ASSERT_THAT(kinds, IsOk());
  EXPECT_FALSE(LayoutOf(*kinds).contains("hsdp_replicate"));
  EXPECT_EQ(KindOf(kinds, "ulysses"), Ranks({{0, 1, 2, 3, 4, 5, 6, 7}}));
  EXPECT_EQ(KindOf(kinds, "dp"), Alone());
}

TEST(VllmOmniTest, ShardDegreeWithoutHsdpIsIgnored) {
  const auto kinds = Omni({{"fully_shard_degree", -3}});
  ASSERT_THAT(kinds, IsOk());
  EXPECT_FALSE(LayoutOf(*kinds).contains("fs"));
}

TEST(VllmOmniTest, ChecksComeInTheOrderOfTheSystem) {
  // Each list breaks its own rule and that of the next one.
  EXPECT_THAT(Omni({{"allgather_degree", 2}, {"ulysses_degree", 2}, {"sequence_parallel_size", 3}}),
              HasKind(ErrorKind::kSpModeConflict));
  EXPECT_THAT(Omni({{"sequence_parallel_size", 3}, {"tensor_parallel_size", 0}}),
              HasKind(ErrorKind::kSpSizeMismatch));
  EXPECT_THAT(Omni({{"tensor_parallel_size", 0}, {"cfg_parallel_size", 3}}),
              HasKind(ErrorKind::kZeroSize));
  EXPECT_THAT(Omni({{"tensor_parallel_size", 3}, {"data_parallel_size", 3}}),
              HasKind(ErrorKind::kNotDivisible));
  EXPECT_THAT(
      Omni({{"data_parallel_size", 3}, {"enable_expert_parallel", true}, {"is_moe", false}}),
      HasKind(ErrorKind::kDpMismatch));
  EXPECT_THAT(
      Omni({{"tensor_parallel_size", -2}, {"enable_expert_parallel", true}, {"is_moe", false}}),
      HasKind(ErrorKind::kEpRequiresMoe));
  EXPECT_THAT(Omni({{"tensor_parallel_size", -2}}), HasKind(ErrorKind::kNegativeSize));
  EXPECT_THAT(Omni({{"tensor_parallel_size", -2}, {"cfg_parallel_size", -2}}),
              HasKind(ErrorKind::kNegativeSize));
  EXPECT_THAT(Omni({{"ulysses_degree", -2}, {"ring_degree", -2}}),
              HasKind(ErrorKind::kNegativeSize));
}

TEST(VllmOmniTest, HsdpChecksComeInTheOrderOfTheSystem) {
  EXPECT_THAT(Omni({{"use_hsdp", true}, {"data_parallel_size", 2}, {"tensor_parallel_size", 2}}),
              HasKind(ErrorKind::kHsdpDpNotOne));
  EXPECT_THAT(Omni({{"use_hsdp", true}, {"tensor_parallel_size", 2}, {"fully_shard_degree", 0}}),
              HasKind(ErrorKind::kHsdpNonDpSize));
  EXPECT_THAT(Omni({{"use_hsdp", true}, {"fully_shard_degree", -5}}),
              HasKind(ErrorKind::kHsdpShardNonpositive));
  const auto kinds = Omni({{"use_hsdp", true}, {"fully_shard_degree", 3}});
  EXPECT_THAT(kinds, HasKind(ErrorKind::kHsdpShardNotDivisor));
  EXPECT_THAT(RanksNamed(kinds.status()), ElementsAre(GlobalRank(6), GlobalRank(7)));
}

TEST(VllmOmniTest, RefusalHoldsTheEquation) {
  EXPECT_THAT(Omni({{"data_parallel_size", 2}, {"cfg_parallel_size", 2}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("dp 2, want 8 ranks / (cfg 2 x sp 1 x pp 1 x tp 1) = 4")));
}

TEST(VllmOmniTest, OverflowingProductIsRefused) {
  EXPECT_THAT(Omni({{"ulysses_degree", int64_t{1} << 40}, {"ring_degree", int64_t{1} << 40}}),
              HasKind(ErrorKind::kProductOverflow));
  EXPECT_THAT(
      Omni({{"cfg_parallel_size", int64_t{1} << 40}, {"pipeline_parallel_size", int64_t{1} << 40}}),
      HasKind(ErrorKind::kProductOverflow));
}

TEST(VllmOmniSequenceTest, CutGivesSingletonsForAllGather) {
  const auto kinds = Expanded(ExpandVllmOmniSequence, kEight,
                              {{"ulysses_degree", 2},
                               {"ring_degree", 2},
                               {"sp_group_ranks", "[[0, 2, 4, 6], [1, 3, 5, 7]]"}});
  ASSERT_THAT(kinds, IsOk());
  EXPECT_THAT(NamesOf(*kinds), ElementsAre("ulysses", "ring", "allgather"));
  EXPECT_EQ(KindOf(kinds, "ulysses"), Ranks({{0, 2}, {4, 6}, {1, 3}, {5, 7}}));
  EXPECT_EQ(KindOf(kinds, "allgather"), Alone());
}

TEST(VllmOmniSequenceTest, AllGatherTakesListsAsTheyAre) {
  const auto kinds = Expanded(ExpandVllmOmniSequence, {.first = 2, .count = 4},
                              {{"allgather_degree", 2}, {"sp_group_ranks", "[[3, 1], [0, 2]]"}});
  EXPECT_EQ(KindOf(kinds, "allgather"), Ranks({{5, 3}, {2, 4}}));
  EXPECT_EQ(KindOf(kinds, "ring"), Ranks({{2}, {3}, {4}, {5}}));
}

TEST(VllmOmniSequenceTest, AllGatherRefusesWrongListsAsWrongCount) {
  const auto refused = [](std::vector<PresetParam> params) {
    params.push_back({"allgather_degree", 4});
    return Expanded(ExpandVllmOmniSequence, kEight, std::move(params));
  };
  EXPECT_THAT(refused({{"ring_degree", 2}}), HasKind(ErrorKind::kSpModeConflict));
  EXPECT_THAT(refused({{"sp_group_ranks", "[[0, 1, 2, 3]]"}}), HasKind(ErrorKind::kSpGroupCount));
  EXPECT_THAT(refused({{"sp_group_ranks", "[[0, 1, 2, 3], [4, 5, 6]]"}}),
              HasKind(ErrorKind::kSpGroupCount));
  EXPECT_THAT(refused({{"sp_group_ranks", "[[0, 1, 2, 3], [4, 5, 6, 3]]"}}),
              HasKind(ErrorKind::kRankNotInAnyGroup));
  EXPECT_THAT(Expanded(ExpandVllmOmniSequence, kEight, {{"allgather_degree", 3}}),
              HasKind(ErrorKind::kSpGroupCount));
  EXPECT_THAT(Expanded(ExpandVllmOmniSequence, kEight,
                       {{"allgather_degree", int64_t{1} << 62},
                        {"sp_group_ranks", "[[0], [1], [2], [3]]"}}),
              HasKind(ErrorKind::kProductOverflow));
}

}  // namespace
}  // namespace muster
