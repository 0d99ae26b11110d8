// Which old group a new one can be split from, held to the plain rule on many random layouts.

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "common/base/random.h"
#include "common/layout/diff.h"
#include "gtest/gtest.h"
#include "tests/common/layout/layout_examples.h"
#include "tests/common/layout/random_spec.h"

namespace muster {
namespace {

// The smallest built group of `from` with all of `members`, none of its own gone or changed.
std::optional<GroupId> SlowParent(const Layout& from, const Layout& to,
                                  const std::set<GlobalRank>& changed,
                                  const std::vector<GlobalRank>& members) {
  std::optional<GroupId> best;
  for (GroupId id; id.kind < std::ssize(from.kinds()); ++id.kind) {
    for (id.index = 0; from.HasGroup(id); ++id.index) {
      const std::vector<GlobalRank> old = from.Members(id);
      const bool lives = std::all_of(old.begin(), old.end(), [&](GlobalRank rank) {
        return to.HasRank(rank) && !changed.contains(rank);
      });
      const bool holds_all = std::all_of(members.begin(), members.end(), [&](GlobalRank rank) {
        return std::find(old.begin(), old.end(), rank) != old.end();
      });
      const bool smaller = !best.has_value() || from.GroupSize(id) < from.GroupSize(*best);
      if (from.IsBuilt(id) && lives && holds_all && smaller) best = id;
    }
  }
  return best;
}

TEST(ParentPropertyTest, ParentsEqualThoseOfThePlainRule) {
  int found = 0;
  for (uint64_t seed = 0; seed < 500 && !HasFailure(); ++seed) {
    Random random(seed);
    const Layout from = Formed(DrawLayoutSpec(random, 32));
    const Layout to = Formed(DrawLayoutSpec(random, 32));
    std::set<GlobalRank> changed;
    if (random.Chance(50)) {
      changed.emplace(static_cast<int32_t>(random.Uniform(8)));
    }
    const LayoutDiff diff = Diff(from, to, changed);
    for (GroupId id; id.kind < std::ssize(to.kinds()); ++id.kind) {
      for (id.index = 0; to.HasGroup(id); ++id.index) {
        const std::optional<GroupId> parent = diff.ParentOf(id);
        ASSERT_EQ(parent, SlowParent(from, to, changed, to.Members(id)))
            << "seed " << seed << ", group " << to.Name(id, "");
        if (parent.has_value()) ++found;
      }
    }
  }
  EXPECT_GT(found, 1000);
}

}  // namespace
}  // namespace muster
