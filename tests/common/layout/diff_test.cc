#include "common/layout/diff.h"

#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/common/layout/layout_examples.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "keep m.tp#0", "keep m.tp#0 as m.sp#1", "build m.tp#0", "retire m.tp#0".
std::string Describe(const Layout& from, const Layout& to, const GroupChange& change) {
  switch (change.action) {
    case GroupAction::kBuild:
      return "build " + to.Name(*change.to, "");
    case GroupAction::kRetire:
      return "retire " + from.Name(*change.from, "");
    case GroupAction::kKeep:
      break;
  }
  const std::string old_name = from.Name(*change.from, "");
  const std::string new_name = to.Name(*change.to, "");
  return "keep " + old_name + (old_name == new_name ? "" : " as " + new_name);
}

std::vector<std::string> All(const Layout& from, const Layout& to,
                             std::set<GlobalRank> changed = {}) {
  std::vector<std::string> lines;
  for (const GroupChange& change : Diff(from, to, std::move(changed)).Actions()) {
    lines.push_back(Describe(from, to, change));
  }
  return lines;
}

std::vector<std::string> OfRank(const Layout& from, const Layout& to, int32_t rank,
                                std::set<GlobalRank> changed = {}) {
  std::vector<std::string> lines;
  for (const GroupChange& change : Diff(from, to, std::move(changed)).ActionsOf(GlobalRank(rank))) {
    lines.push_back(Describe(from, to, change));
  }
  return lines;
}

TEST(LayoutDiffTest, SameLayoutKeepsEveryBuiltGroup) {
  const Layout layout = Formed(OneMesh(4, {{"one", 1}, {"dp", 2}, {"tp", 2}}));
  EXPECT_THAT(All(layout, layout), ElementsAre("keep world#0", "keep m.dp#0", "keep m.dp#1",
                                               "keep m.tp#0", "keep m.tp#1"));
  EXPECT_THAT(OfRank(layout, layout, 2), ElementsAre("keep world#0", "keep m.dp#0", "keep m.tp#1"));
}

TEST(LayoutDiffTest, OtherMembersAreRetiredAndBuilt) {
  const Layout from = Formed(OneMesh(4, {{"dp", 2}, {"tp", 2}}));
  const Layout to = Formed(OneMesh(4, {{"tp", 4}}));
  // The wider tp has the members of the world, whose communicator goes to the group of its own
  // name.
  EXPECT_THAT(All(from, to), ElementsAre("keep world#0", "build m.tp#0", "retire m.dp#0",
                                         "retire m.dp#1", "retire m.tp#0", "retire m.tp#1"));
  EXPECT_THAT(OfRank(from, to, 3),
              ElementsAre("keep world#0", "build m.tp#0", "retire m.dp#1", "retire m.tp#1"));
}

TEST(LayoutDiffTest, RenamedGroupIsKept) {
  const Layout from = Formed(OneMesh(4, {{"dp", 2}, {"tp", 2}}));
  const Layout to = Formed(OneMesh(4, {{"replicas", 2}, {"tp", 2}}));
  EXPECT_THAT(All(from, to),
              ElementsAre("keep world#0", "keep m.dp#0 as m.replicas#0",
                          "keep m.dp#1 as m.replicas#1", "keep m.tp#0", "keep m.tp#1"));
}

TEST(LayoutDiffTest, ExplicitGroupTakesOverTheSameMembersOfAMesh) {
  const Layout from = Formed(OneMesh(4, {{"dp", 2}, {"tp", 2}}));
  const Layout to = Formed({.world_size = 4,
                            .groups = {{.name = "g", .ranks = {Ranks({2, 3}), Ranks({1, 0})}},
                                       {.name = "h", .ranks = {Ranks({1, 3})}}}});
  EXPECT_THAT(All(from, to), ElementsAre("keep world#0", "keep m.tp#1 as g#0", "build g#1",
                                         "keep m.dp#1 as h#0", "retire m.dp#0", "retire m.tp#0"))
      << "g#1 has the members of m.tp#0 in another order";
}

TEST(LayoutDiffTest, OneCommunicatorIsKeptForOneGroupOnly) {
  const LayoutSpec once = OneMesh(2, {{"tp", 2}});
  LayoutSpec twice = once;
  twice.meshes.insert(twice.meshes.begin(), {.name = "a", .dims = {{"x", 2}}});
  const Layout from = Formed(once);
  const Layout to = Formed(twice);
  // m.tp keeps its own although a.x comes first; a.x finds nothing left.
  EXPECT_THAT(All(from, to), ElementsAre("keep world#0", "build a.x#0", "keep m.tp#0"));
  EXPECT_THAT(All(to, from), ElementsAre("keep world#0", "keep m.tp#0", "retire a.x#0"));
}

TEST(LayoutDiffTest, LeftOverGroupsArePairedInOrder) {
  const Layout from =
      Formed({.world_size = 2,
              .meshes = {{.name = "a", .dims = {{"x", 2}}}, {.name = "b", .dims = {{"x", 2}}}}});
  const Layout to = Formed({.world_size = 2,
                            .meshes = {{.name = "c", .dims = {{"x", 2}}},
                                       {.name = "d", .dims = {{"x", 2}}},
                                       {.name = "e", .dims = {{"x", 2}}}}});
  EXPECT_THAT(All(from, to), ElementsAre("keep world#0", "keep a.x#0 as c.x#0",
                                         "keep b.x#0 as d.x#0", "build e.x#0"));
}

TEST(LayoutDiffTest, GroupOfAChangedRankIsRetiredAndBuilt) {
  const Layout layout = Formed(OneMesh(4, {{"dp", 2}, {"tp", 2}}));
  const std::set<GlobalRank> changed = {GlobalRank(2)};
  EXPECT_THAT(All(layout, layout, changed),
              ElementsAre("build world#0", "build m.dp#0", "keep m.dp#1", "keep m.tp#0",
                          "build m.tp#1", "retire world#0", "retire m.dp#0", "retire m.tp#1"));
  EXPECT_THAT(OfRank(layout, layout, 1, changed),
              ElementsAre("build world#0", "keep m.dp#1", "keep m.tp#0", "retire world#0"));
}

TEST(LayoutDiffTest, ChangedRankHasNothingToRetire) {
  const Layout layout = Formed(OneMesh(4, {{"dp", 2}, {"tp", 2}}));
  EXPECT_THAT(OfRank(layout, layout, 2, {GlobalRank(2)}),
              ElementsAre("build world#0", "build m.dp#0", "build m.tp#1"));
}

TEST(LayoutDiffTest, AllChangedBuildsAndRetiresEverything) {
  const Layout layout = Formed(OneMesh(2, {{"tp", 2}}));
  EXPECT_THAT(All(layout, layout, {GlobalRank(0), GlobalRank(1)}),
              ElementsAre("build world#0", "build m.tp#0", "retire world#0", "retire m.tp#0"));
}

TEST(LayoutDiffTest, SmallerWorldKeepsWhatLiesInsideBoth) {
  const Layout from = Formed(OneMesh(6, {{"dp", 3}, {"tp", 2}}));
  const Layout to = Formed(OneMesh(4, {{"dp", 2}, {"tp", 2}}));
  EXPECT_THAT(All(from, to), ElementsAre("build world#0", "build m.dp#0", "build m.dp#1",
                                         "keep m.tp#0", "keep m.tp#1", "retire world#0",
                                         "retire m.dp#0", "retire m.dp#1", "retire m.tp#2"));
  EXPECT_THAT(OfRank(from, to, 5), ElementsAre("retire world#0", "retire m.dp#1", "retire m.tp#2"));
  EXPECT_THAT(OfRank(to, from, 5), ElementsAre("build world#0", "build m.dp#1", "build m.tp#2"));
}

TEST(LayoutDiffTest, GroupsThatAreNotBuiltAreLeftOut) {
  LayoutSpec lazy = OneMesh(4, {{"dp", 2}, {"tp", 2}});
  lazy.meshes[0].host_dim_modes = {{"tp", BuildMode::kLazy}};
  lazy.world_mode = BuildMode::kNone;
  const Layout from = Formed(OneMesh(4, {{"dp", 2}, {"tp", 2}}));
  const Layout to = Formed(lazy);
  EXPECT_THAT(All(from, to), ElementsAre("keep m.dp#0", "keep m.dp#1", "retire world#0",
                                         "retire m.tp#0", "retire m.tp#1"));
  EXPECT_THAT(All(to, from), ElementsAre("build world#0", "keep m.dp#0", "keep m.dp#1",
                                         "build m.tp#0", "build m.tp#1"));
}

TEST(LayoutDiffTest, WorldOfOneChangesNothing) {
  const Layout layout = Formed({.world_size = 1});
  EXPECT_THAT(All(layout, layout), IsEmpty());
  EXPECT_THAT(OfRank(layout, layout, 0), IsEmpty());
}

// The name of the old group that a new one can be split from, or "none".
std::string ParentOf(const Layout& from, const Layout& to, std::string_view name,
                     std::set<GlobalRank> changed = {}) {
  const auto parent = Diff(from, to, std::move(changed)).ParentOf(Named(to, name));
  return parent.has_value() ? from.Name(*parent, "") : "none";
}

TEST(LayoutDiffTest, SmallerGroupIsSplitFromTheSmallestThatHoldsIt) {
  const Layout from = Formed(OneMesh(8, {{"dp", 2}, {"sp", 4}}));
  const Layout to = Formed(OneMesh(8, {{"dp", 4}, {"sp", 2}}));
  EXPECT_EQ(ParentOf(from, to, "m.sp#3"), "m.sp#1");
  EXPECT_EQ(ParentOf(from, to, "m.dp#0"), "world#0");
  EXPECT_EQ(ParentOf(to, from, "m.sp#0"), "world#0");
}

TEST(LayoutDiffTest, OtherOrderOfTheSameMembersIsASplit) {
  LayoutSpec spec = OneMesh(4, {{"dp", 2}, {"tp", 2}});
  const Layout from = Formed(spec);
  spec.groups = {{.name = "draft", .ranks = {Ranks({3, 2})}}};
  EXPECT_EQ(ParentOf(from, Formed(spec), "draft#0"), "m.tp#1");
}

TEST(LayoutDiffTest, NothingIsSplitFromAGroupThatLostOrChangedAMember) {
  LayoutSpec spec = OneMesh(8, {{"dp", 2}, {"sp", 4}});
  spec.world_mode = BuildMode::kLazy;
  const Layout from = Formed(spec);
  LayoutSpec half = OneMesh(6, {{"dp", 3}, {"sp", 2}});
  half.world_mode = BuildMode::kLazy;
  const Layout to = Formed(half);
  EXPECT_EQ(ParentOf(from, to, "m.sp#1"), "m.sp#0");
  EXPECT_EQ(ParentOf(from, to, "m.sp#2"), "none");  // ranks 6 and 7 are gone
  EXPECT_EQ(ParentOf(from, to, "m.sp#1", {GlobalRank(0)}), "none");
  EXPECT_EQ(ParentOf(from, to, "m.sp#1", {GlobalRank(4)}), "m.sp#0");
}

TEST(LayoutDiffTest, NothingIsSplitFromAGroupThatIsNotBuilt) {
  LayoutSpec spec = OneMesh(8, {{"dp", 2}, {"sp", 4}});
  spec.world_mode = BuildMode::kLazy;
  spec.meshes[0].host_mode = BuildMode::kNone;
  const Layout to = Formed(OneMesh(8, {{"dp", 4}, {"sp", 2}}));
  EXPECT_EQ(ParentOf(Formed(spec), to, "m.sp#0"), "none");
}

TEST(LayoutDiffTest, LargerWorldIsNotSplitFromASmallerOne) {
  const Layout from = Formed(OneMesh(4, {{"dp", 2}, {"tp", 2}}));
  const Layout to = Formed(OneMesh(8, {{"dp", 2}, {"tp", 4}}));
  EXPECT_EQ(ParentOf(from, to, "world#0"), "none");
  EXPECT_EQ(ParentOf(from, to, "m.tp#1"), "none");
  EXPECT_EQ(ParentOf(from, to, "m.tp#0"), "world#0");
}

}  // namespace
}  // namespace muster
