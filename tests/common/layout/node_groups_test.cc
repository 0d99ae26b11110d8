#include "common/layout/node_groups.h"

#include <string>
#include <vector>

#include "common/layout/layout.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/common/layout/layout_examples.h"

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NodeGroupsTest, HostsOfAnyShapeAreCountedByTheirLowestRank) {
  const std::vector<std::string> hosts = {"n9", "n9", "n1", "n9", "n4", "n1", "n4"};
  const ExplicitGroups groups = NodeGroups(hosts);
  EXPECT_EQ(groups.name, "node");
  EXPECT_THAT(groups.ranks, ElementsAre(Ranks({0, 1, 3}), Ranks({2, 5}), Ranks({4, 6})));
}

TEST(NodeGroupsTest, PlaceInTheGroupIsTheLocalRank) {
  const std::vector<std::string> hosts = {"a", "b", "b", "a", "b"};
  const Layout layout = Formed({.world_size = 5, .groups = {NodeGroups(hosts)}});
  std::vector<int32_t> local_ranks;
  for (int32_t rank = 0; rank < 5; ++rank) {
    local_ranks.push_back(layout.GroupsOf(GlobalRank(rank)).back().rank.value);
  }
  EXPECT_THAT(local_ranks, ElementsAre(0, 0, 1, 1, 2));
}

TEST(NodeGroupsTest, OneHostIsOneGroup) {
  const std::vector<std::string> hosts = {"only", "only", "only"};
  EXPECT_THAT(NodeGroups(hosts).ranks, ElementsAre(Ranks({0, 1, 2})));
}

TEST(NodeGroupsTest, NoRanksAreNoGroups) { EXPECT_THAT(NodeGroups({}).ranks, IsEmpty()); }

}  // namespace
}  // namespace muster
