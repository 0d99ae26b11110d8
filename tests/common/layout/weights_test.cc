#include "common/layout/weights.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/common/layout/layout_examples.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const GroupKind& KindNamed(const Layout& layout, std::string_view name) {
  return layout.kinds()[static_cast<size_t>(Named(layout, std::string(name) + "#0").kind)];
}

TEST(WeightRuleTest, TensorPipelineAndShardsMoveWeightsByDefault) {
  const Layout layout = Formed(WanSpec());
  const WeightRule rule;
  for (const char* name : {"dit.tp", "dit.pp", "enc.tp", "hsdp.shard"}) {
    EXPECT_TRUE(rule.MovesWeights(KindNamed(layout, name))) << name;
  }
  for (const char* name : {"world", "dit.dp", "dit.cfg", "dit.sp", "dit.ring", "dit.ulysses",
                           "enc.all", "hsdp.replicate", "draft"}) {
    EXPECT_FALSE(rule.MovesWeights(KindNamed(layout, name))) << name;
  }
}

TEST(WeightRuleTest, GivenNamesReplaceTheDefaultAndMatchAsAWhole) {
  const Layout layout = Formed(WanSpec());
  const absl::StatusOr<WeightRule> rule = WeightRule::Parse("enc.tp,draft,ul,p");
  ASSERT_THAT(rule, IsOk());
  EXPECT_TRUE(rule->MovesWeights(KindNamed(layout, "enc.tp")));
  EXPECT_TRUE(rule->MovesWeights(KindNamed(layout, "draft")));
  EXPECT_FALSE(rule->MovesWeights(KindNamed(layout, "dit.tp")));
  EXPECT_FALSE(rule->MovesWeights(KindNamed(layout, "dit.ulysses")));
}

TEST(WeightRuleTest, NoNamesMakeEveryGroupStateless) {
  const Layout layout = Formed(WanSpec());
  const absl::StatusOr<WeightRule> rule = WeightRule::Parse("");
  ASSERT_THAT(rule, IsOk());
  EXPECT_FALSE(rule->MovesWeights(KindNamed(layout, "dit.tp")));
}

TEST(WeightRuleTest, EmptyNameIsRefused) {
  EXPECT_THAT(WeightRule::Parse("tp,,pp"), HasKind(ErrorKind::kInvalidName));
  EXPECT_THAT(WeightRule::Parse("tp,"), HasKind(ErrorKind::kInvalidName));
}

TEST(WeightRuleTest, WeightsMoveWhereGroupsOfTheirKindDiffer) {
  const Layout tp2 = Formed(OneMesh(8, {{"dp", 4}, {"tp", 2}}));
  const WeightRule rule;
  EXPECT_THAT(rule.MovedKinds(tp2, tp2), IsEmpty());
  EXPECT_THAT(rule.MovedKinds(tp2, Formed(OneMesh(8, {{"dp", 2}, {"tp", 4}}))),
              ElementsAre("m.tp"));
  EXPECT_THAT(rule.MovedKinds(tp2, Formed(OneMesh(8, {{"sp", 4}, {"tp", 2}}))), IsEmpty());
  EXPECT_THAT(rule.MovedKinds(tp2, Formed(OneMesh(8, {{"dp", 8}, {"tp", 1}}))),
              ElementsAre("m.tp"));
  EXPECT_THAT(rule.MovedKinds(Formed(OneMesh(8, {{"dp", 8}})), tp2), ElementsAre("m.tp"));
  EXPECT_THAT(rule.MovedKinds(tp2, Formed(OneMesh(4, {{"dp", 2}, {"tp", 2}}))),
              ElementsAre("m.tp"));
}

TEST(WeightRuleTest, WeightsMoveWithoutACommunicatorToo) {
  LayoutSpec spec = OneMesh(8, {{"dp", 4}, {"tp", 2}});
  spec.meshes[0].host_mode = BuildMode::kLazy;
  LayoutSpec other = OneMesh(8, {{"dp", 2}, {"tp", 4}});
  other.meshes[0].host_mode = BuildMode::kNone;
  EXPECT_THAT(WeightRule().MovedKinds(Formed(spec), Formed(other)), ElementsAre("m.tp"));
}

TEST(WeightRuleTest, NumberOfAGroupDoesNotMatterButItsOrderDoes) {
  LayoutSpec spec = OneMesh(4, {{"dp", 4}});
  spec.groups = {{.name = "tp", .ranks = {Ranks({0, 1}), Ranks({2, 3})}}};
  LayoutSpec renumbered = spec;
  renumbered.groups[0].ranks = {Ranks({2, 3}), Ranks({0, 1})};
  LayoutSpec reordered = spec;
  reordered.groups[0].ranks = {Ranks({0, 1}), Ranks({3, 2})};
  EXPECT_THAT(WeightRule().MovedKinds(Formed(spec), Formed(renumbered)), IsEmpty());
  EXPECT_THAT(WeightRule().MovedKinds(Formed(spec), Formed(reordered)), ElementsAre("tp"));
}

}  // namespace
}  // namespace muster
