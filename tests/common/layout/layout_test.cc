#include "common/layout/layout.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/common/layout/layout_examples.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// "wan/dit.sp#1 rank 2 of 4" for every group of `rank`.
std::vector<std::string> Describe(const Layout& layout, GlobalRank rank) {
  std::vector<std::string> lines;
  for (const GroupMembership& group : layout.GroupsOf(rank)) {
    lines.push_back(layout.Name(group.id, "wan") + " rank " + ToString(group.rank) + " of " +
                    std::to_string(group.size));
  }
  return lines;
}

std::vector<std::string> KindNames(const Layout& layout) {
  std::vector<std::string> names;
  for (const GroupKind& kind : layout.kinds()) names.push_back(kind.name);
  return names;
}

TEST(LayoutTest, KindsComeInSpecOrderWorldFirst) {
  EXPECT_THAT(KindNames(Formed(WanSpec())),
              ElementsAre("world", "dit.dp", "dit.cfg", "dit.pp", "dit.sp", "dit.tp", "dit.ring",
                          "dit.ulysses", "enc.rest", "enc.tp", "enc.all", "lm.dp", "lm.sp", "lm.tp",
                          "lm.ring", "lm.ulysses", "vae.h", "vae.w", "hsdp.replicate", "hsdp.shard",
                          "draft"));
}

TEST(LayoutTest, WorldHoldsAllRanks) {
  const Layout layout = Formed(WanSpec());
  EXPECT_THAT(MembersOf(layout, "wan/world#0"), Ranks({0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(Named(layout, "world#0"), (GroupId{.kind = 0, .index = 0}));
  EXPECT_EQ(layout.kinds()[0].group_count, 1);
}

TEST(LayoutTest, GroupOfADimDiffersInThatDimOnly) {
  const Layout layout = Formed(WanSpec());
  EXPECT_THAT(MembersOf(layout, "dit.cfg#0"), Ranks({0, 4}));
  EXPECT_THAT(MembersOf(layout, "dit.cfg#3"), Ranks({3, 7}));
  EXPECT_THAT(MembersOf(layout, "dit.sp#0"), Ranks({0, 1, 2, 3}));
  EXPECT_THAT(MembersOf(layout, "dit.sp#1"), Ranks({4, 5, 6, 7}));
  EXPECT_THAT(MembersOf(layout, "enc.rest#0"), Ranks({0, 2, 4, 6}));
  EXPECT_THAT(MembersOf(layout, "enc.tp#2"), Ranks({4, 5}));
  EXPECT_THAT(MembersOf(layout, "lm.sp#1"), Ranks({1, 3, 5, 7}));
  EXPECT_THAT(MembersOf(layout, "hsdp.replicate#1"), Ranks({1, 5}));
  EXPECT_THAT(MembersOf(layout, "hsdp.shard#1"), Ranks({4, 5, 6, 7}));
}

TEST(LayoutTest, SplitGivesGroupsOfItsInnerDims) {
  const Layout layout = Formed(WanSpec());
  EXPECT_THAT(MembersOf(layout, "dit.ring#0"), Ranks({0, 2}));
  EXPECT_THAT(MembersOf(layout, "dit.ring#1"), Ranks({1, 3}));
  EXPECT_THAT(MembersOf(layout, "dit.ring#2"), Ranks({4, 6}));
  EXPECT_THAT(MembersOf(layout, "dit.ulysses#3"), Ranks({6, 7}));
  // Not neighbours, as tp is the faster dimension.
  EXPECT_THAT(MembersOf(layout, "lm.ring#0"), Ranks({0, 4}));
  EXPECT_THAT(MembersOf(layout, "lm.ring#3"), Ranks({3, 7}));
  EXPECT_THAT(MembersOf(layout, "lm.ulysses#0"), Ranks({0, 2}));
  EXPECT_THAT(MembersOf(layout, "lm.ulysses#1"), Ranks({1, 3}));
  EXPECT_THAT(MembersOf(layout, "lm.ulysses#2"), Ranks({4, 6}));
}

TEST(LayoutTest, FlattenVariesAllItsDims) {
  LayoutSpec spec = OneMesh(16, {{"dp", 2}, {"sp", 4}, {"tp", 2}});
  spec.meshes[0].split = {{.dim = "sp", .into = {{"ring", 2}, {"ulysses", 2}}}};
  spec.meshes[0].flatten = {{.name = "dp_tp", .of = {"dp", "tp"}},
                            {.name = "ep", .of = {"sp", "tp"}},
                            {.name = "inner", .of = {"dp", "ulysses"}},
                            {.name = "alias", .of = {"dp"}}};
  const Layout layout = Formed(spec);

  EXPECT_THAT(MembersOf(layout, "m.dp_tp#0"), Ranks({0, 1, 8, 9}));
  EXPECT_THAT(MembersOf(layout, "m.dp_tp#3"), Ranks({6, 7, 14, 15}));
  EXPECT_THAT(MembersOf(layout, "m.ep#1"), Ranks({8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_THAT(MembersOf(layout, "m.inner#1"), Ranks({1, 3, 9, 11}));
  EXPECT_THAT(MembersOf(layout, "m.inner#2"), Ranks({4, 6, 12, 14}));
  EXPECT_THAT(MembersOf(layout, "m.alias#5"), MembersOf(layout, "m.dp#5"));
}

TEST(LayoutTest, RankRangeShiftsTheMesh) {
  const Layout layout = Formed(WanSpec());
  EXPECT_THAT(MembersOf(layout, "vae.h#0"), Ranks({4, 6}));
  EXPECT_THAT(MembersOf(layout, "vae.w#1"), Ranks({6, 7}));
}

TEST(LayoutTest, ExplicitGroupsKeepTheirOrder) {
  const Layout layout = Formed(WanSpec());
  EXPECT_THAT(MembersOf(layout, "draft#0"), Ranks({0, 1}));
  EXPECT_THAT(MembersOf(layout, "draft#1"), Ranks({3, 2}));
}

TEST(LayoutTest, GroupsOfARankAreOrderedById) {
  const Layout layout = Formed(WanSpec());
  EXPECT_THAT(
      Describe(layout, GlobalRank(2)),
      ElementsAre("wan/world#0 rank 2 of 8", "wan/dit.dp#2 rank 0 of 1",
                  "wan/dit.cfg#2 rank 0 of 2", "wan/dit.pp#2 rank 0 of 1",
                  "wan/dit.sp#0 rank 2 of 4", "wan/dit.tp#2 rank 0 of 1",
                  "wan/dit.ring#0 rank 1 of 2", "wan/dit.ulysses#1 rank 0 of 2",
                  "wan/enc.rest#0 rank 1 of 4", "wan/enc.tp#1 rank 0 of 2",
                  "wan/enc.all#0 rank 2 of 8", "wan/lm.dp#2 rank 0 of 1", "wan/lm.sp#0 rank 1 of 4",
                  "wan/lm.tp#1 rank 0 of 2", "wan/lm.ring#2 rank 0 of 2",
                  "wan/lm.ulysses#0 rank 1 of 2", "wan/hsdp.replicate#2 rank 0 of 2",
                  "wan/hsdp.shard#0 rank 2 of 4", "wan/draft#1 rank 1 of 2"));
}

TEST(LayoutTest, RankOutsideAMeshAndAListIsInNoGroupOfThem) {
  const Layout layout = Formed({.world_size = 3,
                                .meshes = {{.name = "m", .rank_count = 2, .dims = {{"tp", 2}}}},
                                .groups = {{.name = "g", .ranks = {Ranks({1})}}}});
  EXPECT_THAT(Describe(layout, GlobalRank(2)), ElementsAre("wan/world#0 rank 2 of 3"));
}

TEST(LayoutTest, BuildsEagerGroupsOfTwoAndMore) {
  LayoutSpec spec = WanSpec();
  spec.meshes[0].host_mode = BuildMode::kLazy;
  spec.meshes[0].host_dim_modes = {{"ring", BuildMode::kEager}};
  spec.meshes[1].host_dim_modes = {{"all", BuildMode::kNone}};
  spec.groups[0].ranks.push_back(Ranks({7}));
  const Layout layout = Formed(spec);

  EXPECT_TRUE(layout.IsBuilt(Named(layout, "world#0")));
  EXPECT_FALSE(layout.IsBuilt(Named(layout, "dit.sp#0")));
  EXPECT_TRUE(layout.IsBuilt(Named(layout, "dit.ring#1")));
  EXPECT_TRUE(layout.IsBuilt(Named(layout, "enc.rest#1")));
  EXPECT_FALSE(layout.IsBuilt(Named(layout, "enc.all#0")));
  EXPECT_FALSE(layout.IsBuilt(Named(layout, "lm.dp#0"))) << "one member";
  EXPECT_TRUE(layout.IsBuilt(Named(layout, "draft#1")));
  EXPECT_FALSE(layout.IsBuilt(Named(layout, "draft#2"))) << "one member";
}

TEST(LayoutTest, ModesOfWorldAndExplicitGroupsAreTheirOwn) {
  const Layout layout =
      Formed({.world_size = 2,
              .groups = {{.name = "g", .ranks = {Ranks({0, 1})}, .host_mode = BuildMode::kLazy}},
              .world_mode = BuildMode::kNone});
  EXPECT_EQ(layout.kinds()[0].mode, BuildMode::kNone);
  EXPECT_EQ(layout.kinds()[1].mode, BuildMode::kLazy);
}

TEST(LayoutTest, WorldOfOneHasGroupsButBuildsNone) {
  const Layout layout = Formed(OneMesh(1, {{"dp", 1}, {"tp", 1}}));
  EXPECT_THAT(
      Describe(layout, GlobalRank(0)),
      ElementsAre("wan/world#0 rank 0 of 1", "wan/m.dp#0 rank 0 of 1", "wan/m.tp#0 rank 0 of 1"));
  EXPECT_FALSE(layout.IsBuilt({.kind = 0, .index = 0}));
}

TEST(LayoutTest, FindsWhatNameGives) {
  const Layout layout = Formed(WanSpec());
  const GroupId id = {.kind = 4, .index = 1};
  EXPECT_EQ(layout.Name(id, "wan"), "wan/dit.sp#1");
  EXPECT_EQ(layout.Name(id, ""), "dit.sp#1");
  EXPECT_THAT(layout.Find("wan/dit.sp#1"), IsOkAndHolds(id));
  EXPECT_THAT(layout.Find("dit.sp#1"), IsOkAndHolds(id));
}

TEST(LayoutTest, FindRefusesWhatIsNoName) {
  const Layout layout = Formed(WanSpec());
  for (const char* name :
       {"", "world", "dit.sp", "dit.sp#", "dit.sp#x", "dit.sp#-1", "dit.sp#01", "dit.sp# 1",
        "dit.sp#+1", "dit.sp#1#1", "dit.sp#99999999999", "/dit.sp#1"}) {
    EXPECT_THAT(layout.Find(name), HasKind(ErrorKind::kInvalidRequest)) << name;
  }
  for (const char* name : {"#0", "sp#0", "dit#0", "dit.s#0", "dit.spx#0", "wan/a/dit.sp#1"}) {
    EXPECT_THAT(layout.Find(name), HasKind(ErrorKind::kUnknownName)) << name;
  }
  EXPECT_THAT(layout.Find("dit.sp#2"), HasKind(ErrorKind::kIndexOutOfLayout));
  EXPECT_THAT(Formed(OneMesh(2, {{"tp", 2}})).Find("tp#0"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "no groups are named 'tp', want one of: world, m.tp"));
}

TEST(LayoutTest, CoordinatesAndRanksInvert) {
  const Layout layout = Formed(WanSpec());
  EXPECT_THAT(layout.Coordinates("lm", GlobalRank(5)), IsOkAndHolds(ElementsAre(0, 2, 1)));
  EXPECT_THAT(layout.RankAt("lm", {0, 2, 1}), IsOkAndHolds(GlobalRank(5)));
  EXPECT_THAT(layout.Coordinates("vae", GlobalRank(6)), IsOkAndHolds(ElementsAre(1, 0)));
  EXPECT_THAT(layout.RankAt("vae", {1, 0}), IsOkAndHolds(GlobalRank(6)));
}

TEST(LayoutTest, CoordinatesRefuseWhatIsOutside) {
  const Layout layout = Formed(WanSpec());
  EXPECT_THAT(layout.Coordinates("vae", GlobalRank(3)), HasKind(ErrorKind::kIndexOutOfLayout));
  EXPECT_THAT(layout.Coordinates("vae", GlobalRank(8)), HasKind(ErrorKind::kIndexOutOfLayout));
  EXPECT_THAT(layout.Coordinates("lm", GlobalRank(-1)), HasKind(ErrorKind::kIndexOutOfLayout));
  EXPECT_THAT(layout.Coordinates("draft", GlobalRank(0)), HasKind(ErrorKind::kUnknownName));
  EXPECT_THAT(layout.RankAt("di", {0}), HasKind(ErrorKind::kUnknownName));
  EXPECT_THAT(layout.RankAt("vae", {1}), HasKind(ErrorKind::kSizeMismatch));
  EXPECT_THAT(layout.RankAt("vae", {1, 2}), HasKind(ErrorKind::kIndexOutOfLayout));
  EXPECT_THAT(layout.RankAt("vae", {-1, 0}), HasKind(ErrorKind::kIndexOutOfLayout));
  EXPECT_THAT(Formed({.world_size = 1}).RankAt("vae", {}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("want one of: none")));
}

TEST(LayoutTest, TellsRanksAndGroupsThatAreNotItsOwn) {
  const Layout layout = Formed(OneMesh(2, {{"tp", 2}}));
  EXPECT_TRUE(layout.HasRank(GlobalRank(1)));
  EXPECT_FALSE(layout.HasRank(GlobalRank(2)));
  EXPECT_FALSE(layout.HasRank(GlobalRank(-1)));
  EXPECT_TRUE(layout.HasGroup({.kind = 1, .index = 0}));
  EXPECT_FALSE(layout.HasGroup({.kind = 1, .index = 1}));
  EXPECT_FALSE(layout.HasGroup({.kind = 2, .index = 0}));
  EXPECT_FALSE(layout.HasGroup({.kind = -1, .index = 0}));
  EXPECT_FALSE(layout.HasGroup({.kind = 0, .index = -1}));
}

TEST(LayoutTest, KindOfADimIsARuleAndNoTable) {
  const Layout layout = Formed(OneMesh(kWorldSizeMax, {{"dp", kWorldSizeMax / 8}, {"tp", 8}}));
  const auto* tp = std::get_if<StridedGroups>(&layout.kinds()[2].shape);
  ASSERT_NE(tp, nullptr);
  EXPECT_THAT(tp->outer, ElementsAre(Axis{.size = kWorldSizeMax / 8, .stride = 8}));
  EXPECT_THAT(tp->inner, ElementsAre(Axis{.size = 8, .stride = 1}));
  EXPECT_THAT(MembersOf(layout, "m.tp#131071"),
              Ranks({1048568, 1048569, 1048570, 1048571, 1048572, 1048573, 1048574, 1048575}));
}

TEST(LayoutTest, SpecIsKeptAsWritten) { EXPECT_EQ(Formed(WanSpec()).spec(), WanSpec()); }

}  // namespace
}  // namespace muster
