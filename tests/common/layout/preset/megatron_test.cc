#include "common/layout/preset/megatron.h"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/common/layout/preset/preset_expectations.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;

absl::StatusOr<std::vector<PresetKind>> Megatron(int32_t world, std::vector<PresetParam> params) {
  return Expanded(ExpandMegatron, {.first = 0, .count = world}, std::move(params));
}

PresetParam Tp(int64_t size) { return {"tensor_model_parallel_size", size}; }
PresetParam Pp(int64_t size) { return {"pipeline_model_parallel_size", size}; }
PresetParam Cp(int64_t size) { return {"context_parallel_size", size}; }
PresetParam Ep(int64_t size) { return {"expert_model_parallel_size", size}; }
PresetParam ExpertTp(int64_t size) { return {"expert_tensor_parallel_size", size}; }
PresetParam Order(const char* order) { return {"order", std::string(order)}; }
PresetParam Levels(const char* levels) {
  return {"hierarchical_context_parallel_sizes", std::string(levels)};
}
PresetParam Hybrid() { return {"hybrid_context_parallel", true}; }
PresetParam Instances(int64_t count) { return {"num_distributed_optimizer_instances", count}; }
PresetParam Gtp(int64_t size) { return {"gtp_remat_size", size}; }

TEST(MegatronTest, KindsComeInTheOrderOfTheirCreation) {
  const auto kinds = Megatron(8, {});
  ASSERT_THAT(kinds, IsOk());
  EXPECT_THAT(NamesOf(*kinds),
              ElementsAre("dp_cp", "dp", "cp", "mp", "tp", "pp", "embedding", "position_embedding",
                          "tp_dp_cp", "tp_dp", "tp_cp", "ep", "expert_tp", "expert_tp_ep",
                          "expert_tp_ep_pp", "expert_dp", "intra_dist_opt"));
}

TEST(MegatronTest, KindsThatAreAskedForComeBesides) {
  const auto kinds = Megatron(
      16, {Cp(4), Levels("[2, 2]"), Hybrid(), Instances(2), {"create_all_gather_group", true}});
  ASSERT_THAT(kinds, IsOk());
  EXPECT_THAT(
      NamesOf(*kinds),
      IsSupersetOf({"dp_cp_ag", "intra_dp_cp", "hybrid_dp_cp_2", "hybrid_dp_cp_4", "hybrid_dp_cp_8",
                    "hcp_l0", "hcp_l1", "expert_dp_ag", "intra_expert_dp", "inter_expert_dp"}));
}

TEST(MegatronTest, WorldOfOneHasAGroupOfOneOfEveryKind) {
  const auto kinds = Megatron(1, {});
  ASSERT_THAT(kinds, IsOk());
  for (const PresetKind& kind : *kinds) EXPECT_EQ(GroupsOf(kind.shape), Ranks({{0}})) << kind.name;
}

TEST(MegatronTest, WorldsOfTwoThreeAndEight) {
  EXPECT_EQ(KindOf(Megatron(2, {Tp(2)}), "tp"), Ranks({{0, 1}}));
  EXPECT_EQ(KindOf(Megatron(2, {Pp(2)}), "embedding"), Ranks({{0, 1}}));
  EXPECT_EQ(KindOf(Megatron(3, {Pp(3)}), "embedding"), Ranks({{0, 2}}));
  EXPECT_EQ(KindOf(Megatron(3, {Pp(3)}), "position_embedding"), Ranks({{0}}));
  EXPECT_EQ(KindOf(Megatron(3, {}), "dp"), Ranks({{0, 1, 2}}));
  const auto eight = Megatron(8, {Tp(2), Pp(2)});
  EXPECT_EQ(KindOf(eight, "tp"), Ranks({{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(KindOf(eight, "dp"), Ranks({{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(KindOf(eight, "mp"), Ranks({{0, 1, 4, 5}, {2, 3, 6, 7}}));
  EXPECT_EQ(KindOf(eight, "intra_dist_opt"), Ranks({{0, 1, 4, 5, 2, 3, 6, 7}}));
}

TEST(MegatronTest, ExpertsHaveAGridOfTheirOwn) {
  const auto kinds = Megatron(8, {Tp(1), Ep(2), ExpertTp(4)});
  EXPECT_EQ(KindOf(kinds, "ep"), Ranks({{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(KindOf(kinds, "expert_tp"), Ranks({{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(KindOf(Megatron(8, {Tp(2)}), "expert_tp"), Ranks({{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
}

TEST(MegatronTest, GtpLiesBehindTpForDenseLayersAndBehindEpForExperts) {
  const auto kinds = Megatron(8, {Tp(2), Gtp(2), Ep(2), {"expert_gtp_remat_size", int64_t{2}}});
  EXPECT_EQ(KindOf(kinds, "gtp_remat"), Ranks({{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(KindOf(kinds, "ep"), Ranks({{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(KindOf(kinds, "expert_gtp_remat"), Ranks({{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(KindOf(kinds, "mp"), Ranks({{0, 1, 2, 3}, {4, 5, 6, 7}}));
}

TEST(MegatronTest, HybridGroupsArePowersOfTwoThatFitTwice) {
  const auto kinds = Megatron(12, {Hybrid()});
  ASSERT_THAT(kinds, IsOk());
  EXPECT_EQ(KindOf(kinds, "hybrid_dp_cp_4"), Ranks({{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}));
  EXPECT_THAT(NamesOf(*kinds), testing::Not(testing::Contains("hybrid_dp_cp_8")));
  EXPECT_EQ(KindOf(Megatron(10, {Hybrid()}), "hybrid_dp_cp_4"),
            Ranks({{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}}));
}

TEST(MegatronTest, PartOfTheRanksIsLaidOut) {
  const auto kinds =
      Expanded(ExpandMegatron, {.first = 100, .count = 8},
               {Tp(2), {"local_world_size", int64_t{4}}, {"rank_offset", int64_t{3}}});
  EXPECT_EQ(KindOf(kinds, "tp"), Ranks({{103, 104}, {105, 106}}));
  EXPECT_EQ(KindOf(kinds, "dp"), Ranks({{103, 105}, {104, 106}}));
}

TEST(MegatronTest, SizesGoByTwoNames) {
  EXPECT_EQ(KindOf(Megatron(4, {{"tensor_parallel_size", int64_t{2}},
                                {"pipeline-parallel-size", int64_t{2}}}),
                   "pp"),
            Ranks({{0, 2}, {1, 3}}));
  EXPECT_THAT(Megatron(4, {Tp(2), {"tensor_parallel_size", int64_t{2}}}),
              HasKind(ErrorKind::kInvalidRequest));
}

// No table is made where a few numbers do.
TEST(MegatronTest, EveryKindIsARuleWhateverTheWorld) {
  const auto kinds = Megatron(1 << 20, {Tp(8), Pp(16), Cp(4), Ep(8), Levels("[2, 2]"), Hybrid(),
                                        Instances(2), Order("tp-dp-ep-cp-pp")});
  ASSERT_THAT(kinds, IsOk());
  for (const PresetKind& kind : *kinds) {
    EXPECT_TRUE(std::holds_alternative<StridedGroups>(kind.shape)) << kind.name;
  }
}

struct RefusedCase {
  int32_t world;
  std::vector<PresetParam> params;
  ErrorKind kind;
  const char* message;
};

void ExpectRefused(const RefusedCase& c) {
  const auto kinds = Megatron(c.world, c.params);
  EXPECT_THAT(kinds, StatusIs(StatusCode::kInvalidArgument, HasSubstr(c.message)));
  EXPECT_THAT(kinds, HasKind(c.kind)) << c.message;
}

TEST(MegatronTest, WhatDoesNotFitIsRefusedWithTheEquation) {
  const RefusedCase cases[] = {
      {8, {{"tp", int64_t{2}}}, ErrorKind::kUnknownName, "no parameter 'tp'"},
      {8, {Tp(0)}, ErrorKind::kZeroSize, "tp is 0"},
      {8, {Tp(-2)}, ErrorKind::kNegativeSize, "'tp' is -2"},
      {8, {Tp(3)}, ErrorKind::kNotDivisible, "tp 3 x pp 1 x cp 1 x gtp_remat 1 = 3 over 8 ranks"},
      {8, {Tp(16)}, ErrorKind::kNotDivisible, "ranks 0-7 would be in no group"},
      {8, {Gtp(3)}, ErrorKind::kNotDivisible, "gtp_remat 3"},
      {8, {Tp(INT64_MAX), Cp(2)}, ErrorKind::kProductOverflow, "more than 63 bits"},
      {8,
       {{"virtual_pipeline_model_parallel_size", int64_t{2}}},
       ErrorKind::kVirtualPpWithoutPp,
       "virtual pp 2 with pp 1, want pp > 1"},
      {8, {Order("tp-cp-ep-dp-zz")}, ErrorKind::kOrderUnknownToken, "has 'zz'"},
      {8, {Cp(2), Order("tp-ep-dp-pp")}, ErrorKind::kOrderMissingDimension, "lacks cp of size 2"},
      {8, {Ep(2), Order("tp-cp-dp-pp")}, ErrorKind::kOrderMissingDimension, "lacks ep of size 2"},
      {8, {Order("cp-ep-dp-pp")}, ErrorKind::kTokenUnknown, "has 'tp' as a part"},
      {8, {Order("tp-tp-cp-ep-dp-pp")}, ErrorKind::kDuplicateName, "has 'tp' twice"},
      {8, {Ep(0)}, ErrorKind::kZeroSize, "ep is 0"},
      {8, {Ep(3)}, ErrorKind::kExpertNotDivisible, "ep 3 x pp 1 x expert gtp_remat 1 = 3 over 8"},
      {8, {Ep(-2)}, ErrorKind::kNegativeSize, "is -"},
      {16,
       {Tp(2), Cp(2), Pp(2), Order("tp-cp-pp-ep-dp")},
       ErrorKind::kPpNotLastDpDiffers,
       "pp 2, dp 2 of the dense layers and dp 4 of the experts"},
      {16,
       {Tp(2), Cp(2), Pp(2), Ep(2), Order("tp-cp-pp-ep-dp")},
       ErrorKind::kPpNotLastDpDiffers,
       "other pipelines for the dense layers"},
      {8,
       {Gtp(2), Instances(2)},
       ErrorKind::kGtpWithOptimizerInstances,
       "gtp_remat 2 with 2 optimizer instances"},
      {8, {Instances(0)}, ErrorKind::kZeroSize, "optimizer_instances is 0"},
      {8, {Instances(-2)}, ErrorKind::kNegativeSize, "optimizer_instances is -2"},
      {8,
       {Instances(3)},
       ErrorKind::kOptimizerInstancesNotDivisor,
       "dp x cp = 8 over 3 optimizer instances: 8 = 3 x 2 + 2"},
      {8,
       {Ep(4), Instances(4)},
       ErrorKind::kOptimizerInstancesNotDivisorExpert,
       "expert dp 2 over 4 optimizer instances"},
      {6, {Tp(2), Hybrid()}, ErrorKind::kHybridCpOdd, "dp 3 x cp 1 = 3, want an even number"},
      {8,
       {Cp(4), Levels("[2, 4]")},
       ErrorKind::kHierarchicalCpProduct,
       "level 2 x level 4 = 8, want cp 4"},
      {8, {Cp(4), Levels("[-2, -2]")}, ErrorKind::kNegativeSize, "level is -2"},
      {8,
       {{"local_world_size", int64_t{9}}},
       ErrorKind::kIndexOutOfLayout,
       "9 ranks from place 0 on, want them among 8"},
      {8, {{"rank_offset", int64_t{1}}}, ErrorKind::kIndexOutOfLayout, "8 ranks from place 1"},
      {8, {{"rank_offset", int64_t{-1}}}, ErrorKind::kIndexOutOfLayout, "from place -1"},
      {8, {{"rank_offset", INT64_MAX}}, ErrorKind::kIndexOutOfLayout, "from place 9"},
      {8, {{"local_world_size", int64_t{0}}}, ErrorKind::kZeroSize, "local_world_size is 0"},
  };
  for (const RefusedCase& c : cases) ExpectRefused(c);
}

TEST(MegatronTest, FirstCheckOfTheReferenceDecides) {
  const RefusedCase cases[] = {
      {8,
       {Tp(3), {"virtual_pipeline_model_parallel_size", int64_t{2}}},
       ErrorKind::kNotDivisible,
       ""},
      {8,
       {{"virtual_pipeline_model_parallel_size", int64_t{2}}, Order("zz")},
       ErrorKind::kVirtualPpWithoutPp,
       ""},
      {8, {Order("tp-cp-ep-dp-zz"), Ep(3)}, ErrorKind::kOrderUnknownToken, ""},
      {8, {Ep(3), Instances(3)}, ErrorKind::kExpertNotDivisible, ""},
      {6, {Tp(2), Hybrid(), Instances(2)}, ErrorKind::kOptimizerInstancesNotDivisor, ""},
      {6, {Tp(2), Hybrid(), Levels("[2]")}, ErrorKind::kHybridCpOdd, ""},
      {8, {Ep(4), Instances(4), Levels("[2]")}, ErrorKind::kHierarchicalCpProduct, ""},
  };
  for (const RefusedCase& c : cases) ExpectRefused(c);
}

}  // namespace
}  // namespace muster
