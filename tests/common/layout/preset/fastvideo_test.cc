#include "common/layout/preset/fastvideo.h"

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

TEST(FastVideoTest, DataGroupsFollowFromSequenceGroupsOnly) {
  const auto kinds =
      Expanded(ExpandFastVideo, {.first = 0, .count = 6},
               {{"tensor_parallel_size", 3}, {"sequence_parallel_size", 2}, {"node_size", 6}});
  ASSERT_THAT(kinds, IsOk());
  EXPECT_THAT(NamesOf(*kinds), ElementsAre("world", "node", "tp", "sp", "dp"));
  EXPECT_EQ(KindOf(kinds, "tp"), Ranks({{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(KindOf(kinds, "sp"), Ranks({{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(KindOf(kinds, "dp"), Ranks({{0, 2, 4}, {1, 3, 5}}));
}

TEST(FastVideoTest, GivenDataSizeIsIgnored) {
  const auto kinds = Expanded(ExpandFastVideo, kEight, {{"data_parallel_size", 5}});
  EXPECT_EQ(KindOf(kinds, "dp"), Ranks({{0, 1, 2, 3, 4, 5, 6, 7}}));
}

TEST(FastVideoTest, WithoutNodeSizeThereAreNoNodes) {
  const auto kinds = Expanded(ExpandFastVideo, {.first = 2, .count = 2}, {});
  ASSERT_THAT(kinds, IsOk());
  EXPECT_THAT(NamesOf(*kinds), ElementsAre("world", "tp", "sp", "dp"));
  EXPECT_EQ(KindOf(kinds, "world"), Ranks({{2, 3}}));
}

TEST(FastVideoTest, ExtraGroupsAreNamedByTheirSuffix) {
  const auto kinds = Expanded(ExpandFastVideo, kEight,
                              {{"extra_tensor_parallel_groups", "t5=4, clip=8"},
                               {"extra_sequence_parallel_groups", "vae=2"}});
  ASSERT_THAT(kinds, IsOk());
  EXPECT_THAT(NamesOf(*kinds),
              ElementsAre("world", "tp", "sp", "dp", "tp_t5", "tp_clip", "sp_vae"));
  EXPECT_EQ(KindOf(kinds, "tp_t5"), Ranks({{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(KindOf(kinds, "sp_vae"), Ranks({{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
}

TEST(FastVideoTest, BadExtraGroupsAreRefused) {
  const auto refused = [](const char* text) {
    return Expanded(ExpandFastVideo, kEight, {{"extra_tensor_parallel_groups", text}});
  };
  EXPECT_THAT(refused("t5"), HasKind(ErrorKind::kInvalidRequest));
  EXPECT_THAT(refused("T5=4"), HasKind(ErrorKind::kInvalidName));
  EXPECT_THAT(refused("t5=4,t5=2"), HasKind(ErrorKind::kDuplicateName));
  EXPECT_THAT(refused("t5=0"), HasKind(ErrorKind::kZeroSize));
  EXPECT_THAT(refused("t5=3"), HasKind(ErrorKind::kNotDivisible));
}

TEST(FastVideoTest, UnequalHostsAreRefusedBeforeAllElse) {
  const auto kinds = Expanded(ExpandFastVideo, {.first = 0, .count = 6},
                              {{"node_size", 4}, {"tensor_parallel_size", 8}});
  EXPECT_THAT(kinds, HasKind(ErrorKind::kHeterogeneousNodes));
  EXPECT_THAT(Expanded(ExpandFastVideo, kEight, {{"node_size", 0}}), HasKind(ErrorKind::kZeroSize));
}

TEST(FastVideoTest, SizesAreCheckedOneAfterTheOther) {
  const auto refused = [](int64_t tp, int64_t sp) {
    return Expanded(ExpandFastVideo, kEight,
                    {{"tensor_parallel_size", tp}, {"sequence_parallel_size", sp}});
  };
  EXPECT_THAT(refused(16, 0), HasKind(ErrorKind::kTpExceedsWorld));
  EXPECT_THAT(refused(0, -1), HasKind(ErrorKind::kZeroSize));
  EXPECT_THAT(refused(-1, 0), HasKind(ErrorKind::kNegativeSize));
  EXPECT_THAT(refused(3, 0), HasKind(ErrorKind::kNotDivisible));
  EXPECT_THAT(refused(2, 0), HasKind(ErrorKind::kZeroSize));
  EXPECT_THAT(refused(2, 16), HasKind(ErrorKind::kNotDivisible));
}

TEST(FastVideoTest, RanksThatWouldBeInNoGroupAreNamed) {
  const auto kinds = Expanded(ExpandFastVideo, kEight, {{"sequence_parallel_size", 5}});
  EXPECT_THAT(kinds, StatusIs(absl::StatusCode::kInvalidArgument,
                              HasSubstr("sp 5 over 8 ranks: 8 = 5 x 1 + 3, want no remainder; "
                                        "ranks 5-7 would be in no group")));
  EXPECT_THAT(RanksNamed(kinds.status()), ElementsAre(GlobalRank(5), GlobalRank(6), GlobalRank(7)));
}

TEST(FastVideoTest, SingleEntryPointsGiveOneKind) {
  const auto tp = Expanded(ExpandFastVideoTensorGroup, kEight, {{"tensor_parallel_size", 4}});
  ASSERT_THAT(tp, IsOk());
  EXPECT_EQ(LayoutOf(*tp), (SlowLayout{{"tp", Ranks({{0, 1, 2, 3}, {4, 5, 6, 7}})}}));
  const auto sp = Expanded(ExpandFastVideoSequenceGroup, {.first = 0, .count = 2},
                           {{"sequence_parallel_size", 2}, {"group_name_suffix", "refiner"}});
  ASSERT_THAT(sp, IsOk());
  EXPECT_EQ(LayoutOf(*sp), (SlowLayout{{"sp_refiner", Ranks({{0, 1}})}}));
}

TEST(FastVideoTest, SingleEntryPointsRefuseWhatDoesNotDivide) {
  EXPECT_THAT(Expanded(ExpandFastVideoTensorGroup, kEight, {{"tensor_parallel_size", 16}}),
              HasKind(ErrorKind::kNotDivisible));
  EXPECT_THAT(Expanded(ExpandFastVideoSequenceGroup, kEight, {{"sequence_parallel_size", 0}}),
              HasKind(ErrorKind::kZeroSize));
  EXPECT_THAT(Expanded(ExpandFastVideoSequenceGroup, kEight, {{"group_name_suffix", "a b"}}),
              HasKind(ErrorKind::kInvalidName));
  EXPECT_THAT(Expanded(ExpandFastVideoSequenceGroup, kEight, {{"tensor_parallel_size", 2}}),
              HasKind(ErrorKind::kUnknownName));
}

}  // namespace
}  // namespace muster
