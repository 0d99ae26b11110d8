#include "common/layout/queries.h"

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/common/layout/layout_examples.h"
#include "tests/common/layout/random_spec.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The place of `rank` in its group of `kind`, both known to be there.
GroupMembership PlaceOf(const Layout& layout, std::string_view kind, int32_t rank) {
  return *StageOf(layout, kind, GlobalRank(rank));
}

// Six ranks: a pipeline of three stages, each with two ranks of tensor parallel; lists besides.
Layout Pipeline() {
  LayoutSpec spec = OneMesh(6, {{"pp", 3}, {"tp", 2}});
  spec.groups = {{.name = "draft", .ranks = {Ranks({5, 0, 3}), Ranks({4})}}};
  return Formed(spec);
}

TEST(QueriesTest, FirstAndLastAreThoseOfTheGroupOrder) {
  const Layout layout = Pipeline();
  EXPECT_EQ(FirstRank(layout, Named(layout, "m.pp#1")), GlobalRank(1));
  EXPECT_EQ(LastRank(layout, Named(layout, "m.pp#1")), GlobalRank(5));
  EXPECT_EQ(FirstRank(layout, Named(layout, "draft#0")), GlobalRank(5));
  EXPECT_EQ(LastRank(layout, Named(layout, "draft#0")), GlobalRank(3));
}

TEST(QueriesTest, NeighboursGoRoundTheGroup) {
  const Layout layout = Pipeline();
  const GroupMembership middle = PlaceOf(layout, "m.pp", 3);
  EXPECT_EQ(NextRank(middle), GroupRank(2));
  EXPECT_EQ(PreviousRank(middle), GroupRank(0));
  EXPECT_EQ(NextGlobalRank(layout, middle), GlobalRank(5));
  EXPECT_EQ(PreviousGlobalRank(layout, middle), GlobalRank(1));
  EXPECT_EQ(NextGlobalRank(layout, PlaceOf(layout, "m.pp", 4)), GlobalRank(0));
  EXPECT_EQ(PreviousGlobalRank(layout, PlaceOf(layout, "m.pp", 0)), GlobalRank(4));
  EXPECT_EQ(NextGlobalRank(layout, PlaceOf(layout, "draft", 3)), GlobalRank(5));
}

TEST(QueriesTest, MirrorIsAsFarFromTheOtherEnd) {
  const Layout layout = Pipeline();
  EXPECT_EQ(MirrorGlobalRank(layout, PlaceOf(layout, "m.pp", 1)), GlobalRank(5));
  EXPECT_EQ(MirrorGlobalRank(layout, PlaceOf(layout, "m.pp", 3)), GlobalRank(3));
  EXPECT_EQ(MirrorRank(PlaceOf(layout, "draft", 5)), GroupRank(2));
}

TEST(QueriesTest, LonelyRankIsItsOwnNeighbour) {
  const Layout layout = Pipeline();
  const GroupMembership alone = PlaceOf(layout, "draft", 4);
  EXPECT_EQ(NextGlobalRank(layout, alone), GlobalRank(4));
  EXPECT_EQ(PreviousGlobalRank(layout, alone), GlobalRank(4));
  EXPECT_EQ(MirrorGlobalRank(layout, alone), GlobalRank(4));
  EXPECT_TRUE(IsFirstStage(alone));
  EXPECT_TRUE(IsLastStage(alone));
}

TEST(QueriesTest, StagesAreCountedAlongTheirDimension) {
  const Layout layout = Pipeline();
  std::string stages;
  for (int32_t rank = 0; rank < 6; ++rank) {
    const GroupMembership stage = PlaceOf(layout, "m.pp", rank);
    stages += IsFirstStage(stage) ? 'f' : IsLastStage(stage) ? 'l' : '-';
  }
  EXPECT_EQ(stages, "ff--ll");
}

TEST(QueriesTest, StageOfWhatIsNotThereIsRefused) {
  const Layout layout = Pipeline();
  const auto unknown = StageOf(layout, "m.p", GlobalRank(0));
  EXPECT_THAT(unknown, HasKind(ErrorKind::kUnknownName));
  EXPECT_THAT(std::string(unknown.status().message()), HasSubstr("world, m.pp, m.tp, draft"));
  const auto outside = StageOf(layout, "draft", GlobalRank(2));
  EXPECT_THAT(outside, HasKind(ErrorKind::kRankNotInAnyGroup));
  EXPECT_THAT(std::string(outside.status().message()), HasSubstr("rank 2"));
}

std::vector<std::string> NamesContaining(const Layout& layout,
                                         std::initializer_list<int32_t> ranks) {
  std::vector<std::string> names;
  for (const GroupId id : GroupsContaining(layout, Ranks(ranks))) {
    names.push_back(layout.Name(id, ""));
  }
  return names;
}

TEST(QueriesTest, GroupsOfASetOfRanksHoldAllOfThem) {
  const Layout layout = Pipeline();
  EXPECT_THAT(NamesContaining(layout, {5, 3}), ElementsAre("world#0", "m.pp#1", "draft#0"));
  EXPECT_THAT(NamesContaining(layout, {0, 1}), ElementsAre("world#0", "m.tp#0"));
  EXPECT_THAT(NamesContaining(layout, {0, 1, 2, 3, 4, 5}), ElementsAre("world#0"));
  EXPECT_THAT(NamesContaining(layout, {4}), ElementsAre("world#0", "m.pp#0", "m.tp#2", "draft#1"));
}

TEST(QueriesTest, DescriptorsAreAFewNumbersOfAnyWorld) {
  const Layout layout = Formed(OneMesh(1 << 20, {{"dp", 256}, {"pp", 64}, {"sp", 8}, {"tp", 8}}));
  const std::vector<GroupDescriptor> groups = DescribeGroups(layout, GlobalRank(4097));
  ASSERT_EQ(groups.size(), 5u);
  EXPECT_EQ(groups[0].members,
            decltype(groups[0].members)(StridedMembers{GlobalRank(0), {{1 << 20, 1}}}));
  EXPECT_EQ(groups[1].members,
            decltype(groups[1].members)(StridedMembers{GlobalRank(1), {{256, 4096}}}));
  EXPECT_EQ(groups[1].place.rank, GroupRank(1));
  EXPECT_EQ(groups[3].members,
            decltype(groups[3].members)(StridedMembers{GlobalRank(4097), {{8, 8}}}));
}

// What every query says of a group follows from its members.
void ExpectAsMembersSay(const Layout& layout, const GroupDescriptor& group, GlobalRank rank) {
  const GroupMembership& place = group.place;
  const std::vector<GlobalRank> members = layout.Members(place.id);
  const auto size = static_cast<int32_t>(members.size());
  const auto at =
      static_cast<int32_t>(std::find(members.begin(), members.end(), rank) - members.begin());
  ASSERT_EQ(Materialize(group), members);
  ASSERT_EQ(place.rank.value, at);
  ASSERT_EQ(PlaceIn(layout, place.id, rank), GroupRank(at));
  ASSERT_EQ(MemberAt(layout, place.id, place.rank), rank);
  ASSERT_EQ(FirstRank(layout, place.id), members.front());
  ASSERT_EQ(LastRank(layout, place.id), members.back());
  const auto member = [&members](int32_t m) { return members[static_cast<size_t>(m)]; };
  ASSERT_EQ(NextGlobalRank(layout, place), member((at + 1) % size));
  ASSERT_EQ(PreviousGlobalRank(layout, place), member((at + size - 1) % size));
  ASSERT_EQ(MirrorGlobalRank(layout, place), member(size - 1 - at));
}

TEST(QueriesTest, RandomLayoutsAnswerAsTheirMembersSay) {
  for (uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Layout layout = Formed(DrawLayoutSpec(random, 256));
    const auto table = RankTable(layout);
    ASSERT_EQ(table.size(), layout.kinds().size());
    for (GlobalRank rank(0); layout.HasRank(rank); ++rank.value) {
      std::vector<GroupMembership> by_table;
      for (size_t kind = 0; kind < table.size(); ++kind) {
        const std::optional<GroupPlace>& place = table[kind][static_cast<size_t>(rank.value)];
        if (!place.has_value()) continue;
        const GroupId id = {.kind = static_cast<int32_t>(kind), .index = place->index};
        by_table.push_back({.id = id, .rank = place->rank, .size = layout.GroupSize(id)});
      }
      ASSERT_EQ(by_table, layout.GroupsOf(rank)) << "rank " << rank.value;
      for (const GroupDescriptor& group : DescribeGroups(layout, rank)) {
        ExpectAsMembersSay(layout, group, rank);
      }
    }
  }
}

TEST(QueriesTest, RandomSetsOfRanksAreInTheGroupsThatHoldThem) {
  for (uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
    Random random(seed);
    const Layout layout = Formed(DrawLayoutSpec(random, 64));
    const auto world = static_cast<uint64_t>(layout.world_size());
    std::vector<GlobalRank> ranks;
    for (uint64_t i = 0; i < 1 + seed % 3; ++i) {
      ranks.emplace_back(static_cast<int32_t>(random.Uniform(world)));
    }
    std::vector<GroupId> wanted;
    for (GroupId id; id.kind < std::ssize(layout.kinds()); ++id.kind) {
      for (id.index = 0; layout.HasGroup(id); ++id.index) {
        const std::vector<GlobalRank> members = layout.Members(id);
        const bool holds_all = std::all_of(ranks.begin(), ranks.end(), [&](GlobalRank rank) {
          return std::find(members.begin(), members.end(), rank) != members.end();
        });
        if (holds_all) wanted.push_back(id);
      }
    }
    ASSERT_EQ(GroupsContaining(layout, ranks), wanted) << "seed " << seed;
  }
}

}  // namespace
}  // namespace muster
