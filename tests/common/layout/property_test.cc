// What holds for the layouts of all presets and of every rank generator, tried on many random
// requests: 1,000, or 100,000 if MUSTER_SOAK is 1. A failure names the seed of its request.

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "common/base/random.h"
#include "common/layout/group_shape.h"
#include "common/layout/preset/rank_generator.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/common/layout/preset/preset_expectations.h"
#include "tests/common/layout/preset/random_preset.h"
#include "tests/testing/slow_layouts.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

constexpr int32_t kWorldMax = 4096;
constexpr int32_t kRanksTried = 24;  // of each world, where trying all would take too long

uint64_t RequestsWanted() {
  const char* soak = std::getenv("MUSTER_SOAK");
  return soak != nullptr && std::string_view(soak) == "1" ? 100'000 : 1000;
}

// Calls `check` with a generator and a limit of the world for each seed, until one fails. Most
// worlds are small, which finds as much and costs less.
template <typename Check>
void ForEachSeed(const Check& check) {
  for (uint64_t seed = 0; seed < RequestsWanted() && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    check(random, random.Chance(5) ? kWorldMax : 96);
  }
}

// The kinds of `drawn`, which is right.
std::vector<PresetKind> KindsOf(const DrawnPreset& drawn) {
  PresetParams params(drawn.spec);
  auto kinds = drawn.expand(params, drawn.ranks);
  EXPECT_THAT(kinds, IsOk());
  return kinds.ok() ? *std::move(kinds) : std::vector<PresetKind>();
}

// A grid whose dimensions are counted in a random order.
struct DrawnGenerator {
  std::vector<RankGenerator::Dim> dims;  // fastest first
  int32_t first = 0;

  std::string Order() const {
    return absl::StrJoin(
        dims, "-", [](std::string* out, const RankGenerator::Dim& dim) { out->append(dim.name); });
  }
};

DrawnGenerator DrawGenerator(Random& random, int32_t world_max) {
  DrawnGenerator drawn;
  int64_t room = world_max;
  for (const std::string name : {"tp", "sp", "pp", "cfg", "dp"}) {
    const int64_t size = random.Chance(30) ? 1 : random.Between(1, std::min<int64_t>(room, 7));
    drawn.dims.push_back({name, size});
    room /= size;
  }
  for (size_t i = drawn.dims.size(); i > 1; --i) {
    std::swap(drawn.dims[i - 1], drawn.dims[random.Uniform(i)]);
  }
  if (random.Chance(50)) drawn.first = static_cast<int32_t>(random.Between(1, 100));
  return drawn;
}

// Some ranks of `count` from `first` on: all of them if they are few.
std::vector<GlobalRank> SomeRanks(Random& random, int32_t first, int32_t count) {
  std::vector<GlobalRank> ranks;
  for (int32_t i = 0; i < std::min(count, kRanksTried); ++i) {
    const int64_t place = count <= kRanksTried ? i : random.Between(0, count - 1);
    ranks.emplace_back(first + static_cast<int32_t>(place));
  }
  return ranks;
}

std::set<GlobalRank> GroupAround(const GroupShape& shape, GlobalRank rank) {
  const auto place = Locate(shape, rank);
  EXPECT_TRUE(place.has_value()) << "rank " << rank;
  if (!place.has_value()) return {};
  const std::vector<GlobalRank> members = GroupMembers(shape, place->index);
  return {members.begin(), members.end()};
}

std::set<GlobalRank> Common(const std::set<GlobalRank>& a, const std::set<GlobalRank>& b) {
  std::set<GlobalRank> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                        std::inserter(common, common.end()));
  return common;
}

TEST(PresetPropertyTest, GroupsEqualThoseOfTheSlowReference) {
  ForEachSeed(
      [](Random& random, int32_t world_max) { ExpectAsWanted(DrawPreset(random, world_max)); });
}

TEST(PresetPropertyTest, GroupsOfAKindPartitionARun) {
  ForEachSeed([](Random& random, int32_t world_max) {
    const DrawnPreset drawn = DrawPreset(random, world_max);
    for (const PresetKind& kind : KindsOf(drawn)) {
      SCOPED_TRACE(kind.name);
      std::vector<GlobalRank> all;
      for (const auto& members : GroupsOf(kind.shape)) {
        ASSERT_FALSE(members.empty());
        all.insert(all.end(), members.begin(), members.end());
      }
      std::sort(all.begin(), all.end());
      for (size_t i = 1; i < all.size(); ++i) ASSERT_EQ(all[i].value, all[i - 1].value + 1);
      ASSERT_GE(all.front().value, drawn.ranks.first);
      ASSERT_LE(all.back().value, drawn.ranks.first + drawn.ranks.count - 1);
      if (drawn.expand != DrawXdit(random, 1).expand) {
        ASSERT_EQ(std::ssize(all), drawn.ranks.count);
      }
    }
  });
}

TEST(PresetPropertyTest, PlacesInvertMembers) {
  ForEachSeed([](Random& random, int32_t world_max) {
    const DrawnPreset drawn = DrawPreset(random, world_max);
    for (const PresetKind& kind : KindsOf(drawn)) {
      SCOPED_TRACE(kind.name);
      for (int32_t index = 0; index < GroupCount(kind.shape); ++index) {
        const std::vector<GlobalRank> members = GroupMembers(kind.shape, index);
        for (size_t place = 0; place < members.size(); ++place) {
          const GroupPlace wanted = {.index = index,
                                     .rank = GroupRank(static_cast<int32_t>(place))};
          ASSERT_EQ(Locate(kind.shape, members[place]), wanted);
        }
      }
      ASSERT_EQ(Locate(kind.shape, GlobalRank(drawn.ranks.first - 1)), std::nullopt);
      ASSERT_EQ(Locate(kind.shape, GlobalRank(drawn.ranks.first + drawn.ranks.count)),
                std::nullopt);
    }
  });
}

TEST(PresetPropertyTest, NoKindButListsNeedsATable) {
  ForEachSeed([](Random& random, int32_t world_max) {
    const DrawnPreset drawn =
        random.Chance(50) ? DrawVllmOmni(random, world_max) : DrawXdit(random, world_max);
    for (const PresetKind& kind : KindsOf(drawn)) {
      ASSERT_TRUE(std::holds_alternative<StridedGroups>(kind.shape)) << kind.name;
    }
  });
}

// Each Ulysses group and each ring group of a sequence parallel group, contiguous or not.
TEST(PresetPropertyTest, UlyssesAndRingMeetInOneRank) {
  ForEachSeed([](Random& random, int32_t world_max) {
    constexpr DrawnPreset (*kDraws[])(Random&, int32_t) = {DrawVllmOmni, DrawVllmOmniSequence,
                                                           DrawYunchang, DrawXdit};
    const DrawnPreset drawn = kDraws[random.Uniform(std::size(kDraws))](random, world_max);
    std::map<std::string, GroupShape> shapes;
    for (PresetKind& kind : KindsOf(drawn)) shapes.emplace(kind.name, std::move(kind.shape));
    for (const std::vector<GlobalRank>& sp : drawn.sp) {
      std::set<int32_t> ulysses;
      std::set<int32_t> rings;
      std::set<std::pair<int32_t, int32_t>> meetings;
      for (const GlobalRank member : sp) {
        const GlobalRank rank(member.value + drawn.ranks.first);
        const auto in_ulysses = Locate(shapes.at("ulysses"), rank);
        const auto in_ring = Locate(shapes.at("ring"), rank);
        ASSERT_TRUE(in_ulysses.has_value() && in_ring.has_value());
        ulysses.insert(in_ulysses->index);
        rings.insert(in_ring->index);
        meetings.emplace(in_ulysses->index, in_ring->index);
      }
      // As many pairs of groups as ranks, and each of them met.
      ASSERT_EQ(meetings.size(), sp.size());
      ASSERT_EQ(ulysses.size() * rings.size(), sp.size());
    }
  });
}

TEST(GeneratorPropertyTest, GroupsEqualThoseOfTheSlowReference) {
  ForEachSeed([](Random& random, int32_t world_max) {
    const DrawnGenerator drawn = DrawGenerator(random, world_max);
    const auto generator = RankGenerator::Create(drawn.dims, drawn.Order(), drawn.first);
    ASSERT_THAT(generator, IsOk());
    std::vector<std::pair<std::string, int32_t>> slowest_first;
    std::vector<std::string> token;
    for (const auto& dim : drawn.dims) {
      slowest_first.insert(slowest_first.begin(), {dim.name, static_cast<int32_t>(dim.size)});
      if (random.Chance(50)) token.push_back(dim.name);
    }
    if (token.empty()) token.push_back("pp");
    SlowGroups wanted = SlowGrid(slowest_first).GroupsOver(token);
    for (auto& members : wanted) {
      for (GlobalRank& rank : members) rank.value += drawn.first;
    }
    if (random.Chance(50)) std::reverse(token.begin(), token.end());
    const auto groups = generator->Groups(absl::StrJoin(token, "-"));
    ASSERT_THAT(groups, IsOk());
    ASSERT_EQ(GroupsOf(*groups), wanted) << drawn.Order();
  });
}

TEST(GeneratorPropertyTest, GroupsOfDifferentDimensionsMeetInOneRank) {
  ForEachSeed([](Random& random, int32_t world_max) {
    const DrawnGenerator drawn = DrawGenerator(random, world_max);
    const auto generator = RankGenerator::Create(drawn.dims, drawn.Order(), drawn.first);
    ASSERT_THAT(generator, IsOk());
    for (const GlobalRank rank : SomeRanks(random, drawn.first, generator->world_size())) {
      for (size_t a = 0; a < drawn.dims.size(); ++a) {
        const auto around_a = GroupAround(*generator->Groups(drawn.dims[a].name), rank);
        for (size_t b = 0; b < a; ++b) {
          const auto around_b = GroupAround(*generator->Groups(drawn.dims[b].name), rank);
          ASSERT_EQ(Common(around_a, around_b), std::set<GlobalRank>{rank}) << drawn.Order();
          const std::string both = drawn.dims[a].name + "-" + drawn.dims[b].name;
          ASSERT_EQ(GroupAround(*generator->Groups(both), rank).size(),
                    around_a.size() * around_b.size());
        }
      }
    }
  });
}

// The kinds of `drawn` that are dimensions of one grid meet in one rank, each with each.
void ExpectOrthogonal(Random& random, const DrawnPreset& drawn, const std::set<std::string>& dims) {
  std::vector<PresetKind> kinds = KindsOf(drawn);
  std::erase_if(kinds, [&dims](const PresetKind& kind) { return !dims.contains(kind.name); });
  ASSERT_EQ(kinds.size(), dims.size());
  const auto tiled = GroupsOf(kinds.front().shape);
  const auto count = static_cast<int32_t>(tiled.size() * tiled.front().size());
  for (const GlobalRank rank : SomeRanks(random, drawn.ranks.first, count)) {
    for (size_t a = 0; a < kinds.size(); ++a) {
      for (size_t b = 0; b < a; ++b) {
        ASSERT_EQ(Common(GroupAround(kinds[a].shape, rank), GroupAround(kinds[b].shape, rank)),
                  std::set<GlobalRank>{rank})
            << kinds[a].name << " and " << kinds[b].name;
      }
    }
  }
}

TEST(PresetPropertyTest, OrthogonalKindsMeetInOneRank) {
  ForEachSeed([](Random& random, int32_t world_max) {
    switch (random.Uniform(3)) {
      case 0:
        ExpectOrthogonal(random, DrawVllmOmni(random, world_max), {"dp", "cfg", "pp", "sp", "tp"});
        break;
      case 1:
        ExpectOrthogonal(random, DrawXdit(random, world_max), {"dp", "cfg", "pp", "sp", "tp"});
        break;
      default:
        ExpectOrthogonal(random, DrawVllm(random, world_max), {"tp", "pcp", "pp", "dp"});
    }
  });
}

// A request of any numbers is refused with a kind, or gives a partition; the process lives on.
TEST(PresetPropertyTest, AnyNumbersAreRefusedOrGiveGroups) {
  constexpr int64_t kHuge = int64_t{1} << 62;
  constexpr int64_t kNumbers[] = {-kHuge * 2, -kHuge, -4, -2, -1, 0, 1, 1, 1, 2, 2, 3, 4, 8, kHuge};
  uint64_t given = 0;
  uint64_t refused = 0;
  ForEachSeed([&](Random& random, int32_t) {
    DrawnPreset drawn = DrawPreset(random, 16);
    for (PresetParam& param : drawn.spec.params) {
      if (!std::holds_alternative<int64_t>(param.value) || !random.Chance(50)) continue;
      param.value = kNumbers[random.Uniform(std::size(kNumbers))];
    }
    PresetParams params(drawn.spec);
    const auto kinds = drawn.expand(params, drawn.ranks);
    if (!kinds.ok()) {
      ++refused;
      ASSERT_TRUE(DetailOf(kinds.status()).has_value()) << kinds.status();
      ASSERT_NE(DetailOf(kinds.status())->kind, ErrorKind::kUnknown) << kinds.status();
      return;
    }
    ++given;
    for (const PresetKind& kind : *kinds) {
      SCOPED_TRACE(kind.name);
      std::set<GlobalRank> seen;
      for (const auto& members : GroupsOf(kind.shape)) {
        for (const GlobalRank rank : members) ASSERT_TRUE(seen.insert(rank).second);
      }
      ASSERT_FALSE(seen.empty());
    }
  });
  EXPECT_GT(given, RequestsWanted() / 10);
  EXPECT_GT(refused, RequestsWanted() / 10);
}

}  // namespace
}  // namespace muster
