#include "cli/plan_view.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/output.h"
#include "cli/plan_text.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tests/common/layout/layout_examples.h"

namespace muster::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PlanViewTest, RanksAndGroupsSayTheSame) {
  const v1::PlanView view = MakePlanView(Formed(WanSpec()), "wan");
  std::map<std::pair<std::string, int32_t>, int32_t> by_group;
  for (const v1::PlanGroup& group : view.groups()) {
    for (int place = 0; place < group.ranks_size(); ++place) {
      by_group[{group.name(), place}] = group.ranks(place);
    }
  }
  std::map<std::pair<std::string, int32_t>, int32_t> by_rank;
  for (const v1::PlanRank& rank : view.ranks()) {
    for (const v1::PlanPlace& place : rank.places()) {
      by_rank[{place.group(), place.group_rank()}] = rank.rank();
    }
  }
  EXPECT_EQ(view.world_size(), 8);
  EXPECT_EQ(by_group, by_rank);
}

TEST(PlanViewTest, JsonIsReadBackAsTheSameMessage) {
  const v1::PlanView view = MakePlanView(Formed(WanSpec()), "wan");
  v1::PlanView read;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(FormatMessage(view, "json"), &read).ok());
  EXPECT_EQ(read.SerializeAsString(), view.SerializeAsString());
}

std::vector<std::string> Summary(const v1::PlanChangeView& view) {
  std::vector<std::string> lines;
  for (const v1::PlanChange& change : view.changes()) {
    lines.push_back(v1::PlanAction_Name(change.action()).substr(12) + " " + change.group() +
                    (change.from().empty() ? "" : " from " + change.from()) +
                    (change.weights() == v1::PLAN_WEIGHTS_MOVES ? " moves" : ""));
  }
  return lines;
}

TEST(PlanViewTest, ChangeSaysWhatIsKeptSplitBuiltAndRetired) {
  LayoutSpec old_spec = OneMesh(4, {{"dp", 1}, {"tp", 4}});
  old_spec.world_mode = BuildMode::kNone;
  LayoutSpec new_spec = OneMesh(6, {{"dp", 3}, {"tp", 2}});
  new_spec.world_mode = BuildMode::kNone;
  const v1::PlanChangeView view =
      MakePlanChangeView(Formed(old_spec), Formed(new_spec), "j", WeightRule());
  EXPECT_THAT(Summary(view),
              ElementsAre("BUILD j/m.dp#0", "BUILD j/m.dp#1", "SPLIT j/m.tp#0 from j/m.tp#0 moves",
                          "SPLIT j/m.tp#1 from j/m.tp#0 moves", "BUILD j/m.tp#2 moves",
                          "RETIRE j/m.tp#0 moves"));
  EXPECT_THAT(view.touched_ranks(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(view.moved_kinds(), ElementsAre("m.tp"));
}

TEST(PlanViewTest, CommunicatorThatIsKeptForAnotherKindMovesWeights) {
  const Layout from = Formed(OneMesh(4, {{"sp", 2}, {"ulysses", 2}}));
  const Layout to = Formed(OneMesh(4, {{"sp", 2}, {"tp", 2}}));
  const v1::PlanChangeView view = MakePlanChangeView(from, to, "j", WeightRule());
  EXPECT_THAT(Summary(view),
              ElementsAre("KEEP j/world#0 from j/world#0", "KEEP j/m.sp#0 from j/m.sp#0",
                          "KEEP j/m.sp#1 from j/m.sp#1", "KEEP j/m.tp#0 from j/m.ulysses#0 moves",
                          "KEEP j/m.tp#1 from j/m.ulysses#1 moves"));
  EXPECT_THAT(view.touched_ranks(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(view.moved_kinds(), ElementsAre("m.tp"));
}

TEST(PlanViewTest, NothingIsTouchedWhereNothingChanges) {
  const Layout layout = Formed(WanSpec());
  const v1::PlanChangeView view = MakePlanChangeView(layout, layout, "wan", WeightRule());
  EXPECT_THAT(view.touched_ranks(), IsEmpty());
  EXPECT_THAT(view.moved_kinds(), IsEmpty());
  for (const v1::PlanChange& change : view.changes()) {
    EXPECT_EQ(change.action(), v1::PLAN_ACTION_KEEP);
    EXPECT_EQ(change.weights(), v1::PLAN_WEIGHTS_UNSPECIFIED);
    EXPECT_EQ(change.group(), change.from());
  }
}

TEST(PlanViewTest, OnlyTouchedRanksAreListed) {
  LayoutSpec spec = OneMesh(8, {{"dp", 4}, {"sp", 2}});
  spec.groups = {{.name = "draft", .ranks = {Ranks({4, 7})}}};
  const Layout from = Formed(spec);
  spec.groups[0].ranks = {Ranks({7, 4, 5})};
  const v1::PlanChangeView view = MakePlanChangeView(from, Formed(spec), "j", WeightRule());
  EXPECT_THAT(view.touched_ranks(), ElementsAre(4, 5, 7));
  EXPECT_THAT(view.moved_kinds(), IsEmpty());
}

}  // namespace
}  // namespace muster::cli
