// What holds for every layout, tried on many random specs. MUSTER_LAYOUT_SPECS says how many (1,000
// unless set); a failure names the seed of its spec.

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/random.h"
#include "common/layout/diff.h"
#include "common/layout/layout.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/common/layout/layout_examples.h"
#include "tests/common/layout/random_spec.h"
#include "tests/common/layout/slow_reference.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

constexpr int32_t kWorldSizeTried = 512;

uint64_t SpecsWanted() {
  const char* text = std::getenv("MUSTER_LAYOUT_SPECS");
  return text == nullptr ? 1000 : std::strtoull(text, nullptr, 10);
}

// Calls `check` with a generator for each seed, until one fails.
template <typename Check>
void ForEachSeed(const Check& check) {
  for (uint64_t seed = 0; seed < SpecsWanted() && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    check(random);
  }
}

// The number of axes or lists differs from kind to kind; the members must not.
void ExpectKind(const Layout& layout, int32_t kind, const SlowKind& wanted) {
  SCOPED_TRACE(wanted.name);
  const GroupKind& got = layout.kinds()[static_cast<size_t>(kind)];
  ASSERT_EQ(got.name, wanted.name);
  ASSERT_EQ(got.group_count, std::ssize(wanted.groups));
  for (GroupId id = {.kind = kind}; id.index < got.group_count; ++id.index) {
    const std::vector<GlobalRank>& members = wanted.groups[static_cast<size_t>(id.index)];
    ASSERT_EQ(layout.Members(id), members) << "group " << id.index;
    ASSERT_EQ(layout.GroupSize(id), std::ssize(members)) << "group " << id.index;
    ASSERT_EQ(layout.IsBuilt(id), got.mode == BuildMode::kEager && members.size() > 1);
    ASSERT_THAT(layout.Find(layout.Name(id, "job")), IsOkAndHolds(id));
  }
}

TEST(LayoutPropertyTest, GroupsEqualThoseOfTheSlowReference) {
  ForEachSeed([](Random& random) {
    const LayoutSpec spec = DrawLayoutSpec(random, kWorldSizeTried);
    const Layout layout = Formed(spec);
    const std::vector<SlowKind> wanted = SlowKinds(spec);
    ASSERT_EQ(layout.kinds().size(), wanted.size());
    for (size_t kind = 0; kind < wanted.size(); ++kind) {
      ExpectKind(layout, static_cast<int32_t>(kind), wanted[kind]);
    }
  });
}

// Where each rank is, found by looking through all members.
std::map<GlobalRank, std::vector<GroupMembership>> MembershipsByMembers(const Layout& layout) {
  std::map<GlobalRank, std::vector<GroupMembership>> memberships;
  for (int32_t kind = 0; kind < std::ssize(layout.kinds()); ++kind) {
    const int32_t groups = layout.kinds()[static_cast<size_t>(kind)].group_count;
    for (GroupId id = {.kind = kind}; id.index < groups; ++id.index) {
      const std::vector<GlobalRank> members = layout.Members(id);
      for (size_t place = 0; place < members.size(); ++place) {
        memberships[members[place]].push_back({.id = id,
                                               .rank = GroupRank(static_cast<int32_t>(place)),
                                               .size = static_cast<int32_t>(members.size())});
      }
    }
  }
  return memberships;
}

TEST(LayoutPropertyTest, GroupsOfARankAreThoseThatHoldIt) {
  ForEachSeed([](Random& random) {
    const Layout layout = Formed(DrawLayoutSpec(random, kWorldSizeTried));
    const auto wanted = MembershipsByMembers(layout);
    ASSERT_EQ(std::ssize(wanted), layout.world_size());
    for (const auto& entry : wanted) {
      ASSERT_EQ(layout.GroupsOf(entry.first), entry.second) << "rank " << entry.first.value;
    }
  });
}

TEST(LayoutPropertyTest, GroupsOfEveryMeshKindPartitionItsRanks) {
  ForEachSeed([](Random& random) {
    const Layout layout = Formed(DrawLayoutSpec(random, kWorldSizeTried));
    for (const MeshSpec& mesh : layout.spec().meshes) {
      const RankRun ranks = RanksOf(mesh, layout.world_size());
      for (int32_t kind = 0; kind < std::ssize(layout.kinds()); ++kind) {
        const GroupKind& of_mesh = layout.kinds()[static_cast<size_t>(kind)];
        if (of_mesh.mesh != mesh.name) continue;
        std::vector<GlobalRank> all;
        for (GroupId id = {.kind = kind}; id.index < of_mesh.group_count; ++id.index) {
          const std::vector<GlobalRank> members = layout.Members(id);
          all.insert(all.end(), members.begin(), members.end());
        }
        std::sort(all.begin(), all.end());
        ASSERT_EQ(std::ssize(all), ranks.count) << of_mesh.name;
        ASSERT_EQ(all.front().value, ranks.first) << of_mesh.name;
        ASSERT_EQ(all.back().value, ranks.first + ranks.count - 1) << of_mesh.name;
        ASSERT_EQ(std::adjacent_find(all.begin(), all.end()), all.end()) << of_mesh.name;
      }
    }
  });
}

// Two ranks together in a group of `a` are never together in one of `b`.
void ExpectMeetInOneRank(const Layout& layout, int32_t a, int32_t b) {
  std::map<std::pair<int32_t, int32_t>, GlobalRank> met;
  for (GlobalRank rank(0); rank.value < layout.world_size(); ++rank.value) {
    const auto at_a = Locate(layout.kinds()[static_cast<size_t>(a)].shape, rank);
    const auto at_b = Locate(layout.kinds()[static_cast<size_t>(b)].shape, rank);
    if (!at_a.has_value()) continue;
    const auto first = met.emplace(std::pair(at_a->index, at_b->index), rank);
    ASSERT_TRUE(first.second) << layout.Name({a, at_a->index}, "") << " and "
                              << layout.Name({b, at_b->index}, "") << " meet in ranks "
                              << first.first->second.value << " and " << rank.value;
  }
}

TEST(LayoutPropertyTest, GroupsOfTwoDimsMeetInOneRank) {
  ForEachSeed([](Random& random) {
    const Layout layout = Formed(DrawLayoutSpec(random, kWorldSizeTried));
    for (const MeshSpec& mesh : layout.spec().meshes) {
      std::vector<std::vector<MeshDim>> orthogonal = {mesh.dims};
      for (const SplitSpec& split : mesh.split) orthogonal.push_back(split.into);
      for (const std::vector<MeshDim>& dims : orthogonal) {
        for (size_t i = 1; i < dims.size(); ++i) {
          ExpectMeetInOneRank(layout, Named(layout, mesh.name + "." + dims[i - 1].name + "#0").kind,
                              Named(layout, mesh.name + "." + dims[i].name + "#0").kind);
        }
      }
    }
  });
}

TEST(LayoutPropertyTest, CoordinatesAndRanksInvert) {
  ForEachSeed([](Random& random) {
    const Layout layout = Formed(DrawLayoutSpec(random, kWorldSizeTried));
    for (const MeshSpec& mesh : layout.spec().meshes) {
      for (const SlowPlace& place : SlowPlaces(mesh)) {
        ASSERT_THAT(layout.Coordinates(mesh.name, place.rank), IsOkAndHolds(place.coordinates));
        ASSERT_THAT(layout.RankAt(mesh.name, place.coordinates), IsOkAndHolds(place.rank));
      }
    }
  });
}

// Two layouts of which the second has parts of the first, some under other names and modes.
std::pair<LayoutSpec, LayoutSpec> DrawTwoSpecs(Random& random) {
  const LayoutSpec from = DrawLayoutSpec(random, 64);
  LayoutSpec to = DrawLayoutSpec(random, 64);
  if (random.Chance(80)) {
    to = from;
    if (!to.meshes.empty() && random.Chance(50)) to.meshes[0].name = "renamed";
    if (!to.meshes.empty() && random.Chance(50)) to.meshes[0].host_mode = BuildMode::kEager;
    if (!to.meshes.empty() && random.Chance(30)) to.meshes.push_back(to.meshes[0]);
    if (to.meshes.size() > 1) to.meshes.back().name = "last";
    if (!to.groups.empty() && random.Chance(50)) {
      std::swap(to.groups[0].ranks[0].front(), to.groups[0].ranks[0].back());
    }
  }
  return {from, to};
}

std::set<GlobalRank> DrawChanged(Random& random, int32_t world_size) {
  std::set<GlobalRank> changed;
  const uint64_t percent = random.Chance(50) ? 0 : random.Uniform(30);
  for (int32_t rank = 0; rank < world_size; ++rank) {
    if (random.Chance(percent)) changed.emplace(rank);
  }
  return changed;
}

std::vector<GroupId> BuiltGroups(const Layout& layout) {
  std::vector<GroupId> built;
  for (GroupId id; id.kind < std::ssize(layout.kinds()); ++id.kind) {
    for (id.index = 0; layout.HasGroup(id); ++id.index) {
      if (layout.IsBuilt(id)) built.push_back(id);
    }
  }
  return built;
}

bool Holds(const Layout& layout, GroupId id, const std::set<GlobalRank>& any_of) {
  const std::vector<GlobalRank> members = layout.Members(id);
  return std::any_of(members.begin(), members.end(),
                     [&any_of](GlobalRank rank) { return any_of.contains(rank); });
}

// The changes by the plain rule: for each list of members that no changed rank is in, pair what has
// the same name, then the rest in order.
std::vector<GroupChange> SlowActions(const Layout& from, const Layout& to,
                                     const std::set<GlobalRank>& changed) {
  std::vector<GroupId> old_left = BuiltGroups(from);
  std::map<GroupId, GroupChange> by_new;
  for (const GroupId id : BuiltGroups(to)) {
    by_new[id] = {.action = GroupAction::kBuild, .to = id};
  }
  for (const bool same_name : {true, false}) {
    for (auto& entry : by_new) {
      GroupChange& change = entry.second;
      if (change.action == GroupAction::kKeep || Holds(to, entry.first, changed)) continue;
      const auto old = std::find_if(old_left.begin(), old_left.end(), [&](GroupId id) {
        return from.Members(id) == to.Members(entry.first) &&
               (!same_name || from.Name(id, "") == to.Name(entry.first, ""));
      });
      if (old == old_left.end()) continue;
      change = {.action = GroupAction::kKeep, .from = *old, .to = entry.first};
      old_left.erase(old);
    }
  }
  std::vector<GroupChange> changes;
  for (const auto& entry : by_new) changes.push_back(entry.second);
  for (const GroupId id : old_left) {
    changes.push_back({.action = GroupAction::kRetire, .from = id});
  }
  return changes;
}

TEST(LayoutDiffPropertyTest, ActionsEqualThoseOfThePlainRule) {
  ForEachSeed([](Random& random) {
    const auto specs = DrawTwoSpecs(random);
    const Layout from = Formed(specs.first);
    const Layout to = Formed(specs.second);
    const std::set<GlobalRank> changed = DrawChanged(random, from.world_size());
    ASSERT_EQ(Diff(from, to, changed).Actions(), SlowActions(from, to, changed));
  });
}

TEST(LayoutDiffPropertyTest, ActionsOfARankAreItsPartOfAll) {
  ForEachSeed([](Random& random) {
    const auto specs = DrawTwoSpecs(random);
    const Layout from = Formed(specs.first);
    const Layout to = Formed(specs.second);
    const std::set<GlobalRank> changed = DrawChanged(random, from.world_size());
    const LayoutDiff diff = Diff(from, to, changed);

    std::map<GlobalRank, std::vector<GroupChange>> wanted;
    for (const GroupChange& change : diff.Actions()) {
      const bool retires = change.action == GroupAction::kRetire;
      for (const GlobalRank rank : retires ? from.Members(*change.from) : to.Members(*change.to)) {
        if (!retires || !changed.contains(rank)) wanted[rank].push_back(change);
      }
    }
    for (int32_t r = 0; r < std::max(from.world_size(), to.world_size()); ++r) {
      ASSERT_EQ(diff.ActionsOf(GlobalRank(r)), wanted[GlobalRank(r)]) << "rank " << r;
    }
  });
}

}  // namespace
}  // namespace muster
