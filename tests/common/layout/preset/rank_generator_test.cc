#include "common/layout/preset/rank_generator.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/base/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/common/layout/preset/preset_expectations.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

using Dims = std::vector<RankGenerator::Dim>;

absl::StatusOr<StridedGroups> GroupsBy(Dims dims, std::string_view order, std::string_view token,
                                       int32_t rank_offset = 0,
                                       const RankGeneratorRules& rules = {}) {
  const absl::StatusOr<RankGenerator> generator =
      RankGenerator::Create(std::move(dims), order, rank_offset, rules);
  if (!generator.ok()) return generator.status();
  return generator->Groups(token);
}

SlowGroups Given(Dims dims, std::string_view order, std::string_view token,
                 int32_t rank_offset = 0) {
  const auto groups = GroupsBy(std::move(dims), order, token, rank_offset);
  EXPECT_THAT(groups, IsOk());
  return groups.ok() ? GroupsOf(*groups) : SlowGroups();
}

TEST(RankGeneratorTest, FirstDimensionOfTheOrderVariesFastest) {
  EXPECT_EQ(Given({{"tp", 2}, {"dp", 3}}, "tp-dp", "tp"), Ranks({{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(Given({{"tp", 2}, {"dp", 3}}, "tp-dp", "dp"), Ranks({{0, 2, 4}, {1, 3, 5}}));
  EXPECT_EQ(Given({{"tp", 2}, {"dp", 3}}, "dp-tp", "dp"), Ranks({{0, 1, 2}, {3, 4, 5}}));
}

TEST(RankGeneratorTest, MembersFollowTheOrderWhateverTheTokenSays) {
  const Dims dims = {{"tp", 2}, {"pp", 2}, {"dp", 2}};
  EXPECT_EQ(Given(dims, "tp-pp-dp", "tp-dp"), Ranks({{0, 1, 4, 5}, {2, 3, 6, 7}}));
  EXPECT_EQ(Given(dims, "tp-pp-dp", "dp-tp"), Ranks({{0, 1, 4, 5}, {2, 3, 6, 7}}));
  EXPECT_EQ(Given(dims, "tp-pp-dp", "dp-tp-dp"), Ranks({{0, 1, 4, 5}, {2, 3, 6, 7}}));
}

TEST(RankGeneratorTest, OrdersMayBeInUpperCase) {
  EXPECT_EQ(Given({{"tp", 2}, {"dp", 2}}, "DP-tP", "dp"), Ranks({{0, 1}, {2, 3}}));
}

TEST(RankGeneratorTest, DimensionsOfOneNeedNotBeInTheOrder) {
  EXPECT_EQ(Given({{"tp", 2}, {"sp", 1}, {"dp", 1}}, "tp", "sp-dp"), Ranks({{0}, {1}}));
  EXPECT_EQ(Given({{"tp", 1}, {"dp", 1}}, "dp", "tp"), Ranks({{0}}));
}

TEST(RankGeneratorTest, OffsetMovesEveryRank) {
  EXPECT_EQ(Given({{"tp", 2}, {"dp", 2}}, "tp-dp", "dp", 16), Ranks({{16, 18}, {17, 19}}));
  EXPECT_EQ(Given({{"tp", 2}, {"dp", 2}}, "tp-dp", "dp", -3), Ranks({{-3, -1}, {-2, 0}}));
}

TEST(RankGeneratorTest, SizesOfTheWorldAndOfTheDimensionsAreGiven) {
  const auto generator = RankGenerator::Create({{"tp", 3}, {"dp", 8}, {"sp", 1}}, "dp-tp");
  ASSERT_THAT(generator, IsOk());
  EXPECT_EQ(generator->world_size(), 24);
  ASSERT_EQ(generator->dims().size(), 3U);
  EXPECT_EQ(generator->dims()[0].name, "dp");
  EXPECT_EQ(generator->dims()[1].size, 3);
  EXPECT_EQ(generator->dims()[2].name, "sp");
}

struct RefusedCase {
  Dims dims;
  const char* order;
  const char* token;
  ErrorKind kind;
  const char* message;
};

TEST(RankGeneratorTest, OrdersTokensAndSizesAreHeldToTheirRules) {
  const RefusedCase cases[] = {
      {{{"tp", 2}, {"dp", 1}},
       "dp",
       "tp",
       ErrorKind::kOrderMissingDimension,
       "order 'dp' lacks tp of size 2, want every dimension above 1 in it"},
      {{{"tp", 0}, {"dp", 1}}, "dp", "dp", ErrorKind::kOrderMissingDimension, "lacks tp of size 0"},
      {{{"tp", 4}}, "", "tp", ErrorKind::kOrderMissingDimension, "order ''"},
      {{{"tp", 1}}, "", "tp", ErrorKind::kOrderUnknownToken, "order '' has ''"},
      {{{"tp", 2}, {"dp", 2}},
       "tp-qq-dp",
       "tp",
       ErrorKind::kOrderUnknownToken,
       "order 'tp-qq-dp' has 'qq', want names of: tp, dp"},
      {{{"tp", 1}, {"dp", 2}}, "tp--dp", "tp", ErrorKind::kOrderUnknownToken, "has ''"},
      {{{"tp", 2}, {"dp", 2}}, "tp_dp", "tp", ErrorKind::kOrderUnknownToken, "has 'tp_dp'"},
      {{{"tp", 2}, {"dp", 2}}, "tp-dp-tp", "tp", ErrorKind::kDuplicateName, "has 'tp' twice"},
      {{{"tp", 2}, {"gtp_remat", 3}},
       "gtp_remat",
       "gtp_remat",
       ErrorKind::kTokenUnknown,
       "has 'tp' as a part of another word only"},
      {{{"tp", 2}, {"dp", 3}},
       "tp-dp",
       "sp",
       ErrorKind::kTokenUnknown,
       "groups over 'sp': no dimension is named 'sp', want names of: tp, dp"},
      {{{"tp", 2}, {"dp", 3}}, "tp-dp", "TP", ErrorKind::kTokenUnknown, "'TP'"},
      {{{"tp", 2}, {"dp", 3}}, "tp-dp", "tp-", ErrorKind::kTokenUnknown, "named ''"},
      {{{"tp", 2}, {"dp", 3}}, "tp-dp", "", ErrorKind::kTokenUnknown, "named ''"},
      {{{"tp", 0}, {"dp", 3}}, "tp-dp", "dp", ErrorKind::kZeroSize, "'tp' is 0"},
      {{{"tp", 2}, {"dp", -3}}, "tp-dp", "tp", ErrorKind::kNegativeSize, "'dp' is -3"},
      {{{"tp", 1 << 20}, {"dp", 2}},
       "tp-dp",
       "tp",
       ErrorKind::kProductOverflow,
       "tp 1048576 x dp 2 is more than the 1048576 ranks"},
      {{{"tp", INT64_MAX}, {"dp", INT64_MAX}}, "tp-dp", "tp", ErrorKind::kProductOverflow, ""},
  };
  for (const RefusedCase& c : cases) {
    const auto groups = GroupsBy(c.dims, c.order, c.token);
    EXPECT_THAT(groups, StatusIs(StatusCode::kInvalidArgument, HasSubstr(c.message)));
    EXPECT_THAT(groups, HasKind(c.kind)) << c.order << " " << c.token;
  }
}

TEST(RankGeneratorTest, ExclusiveDimensionsComeFirst) {
  const RankGeneratorRules rules = {.exclusive = {"ep", "cp"}};
  const Dims both = {{"ep", 2}, {"cp", 2}};
  EXPECT_THAT(GroupsBy(both, "nothing", "ep", 0, rules), HasKind(ErrorKind::kEpAndCpTogether));
  EXPECT_THAT(GroupsBy(both, "ep-cp", "ep"), IsOk());
  EXPECT_THAT(GroupsBy({{"ep", 2}, {"cp", 1}}, "ep-cp", "ep", 0, rules), IsOk());
}

TEST(RankGeneratorTest, OffsetsBeyondEveryWorldAreRefused) {
  EXPECT_THAT(GroupsBy({{"tp", 1}}, "tp", "tp", kWorldSizeMax), IsOk());
  EXPECT_THAT(GroupsBy({{"tp", 1}}, "tp", "tp", kWorldSizeMax + 1),
              HasKind(ErrorKind::kIndexOutOfLayout));
  EXPECT_THAT(GroupsBy({{"tp", 1}}, "tp", "tp", -kWorldSizeMax - 1),
              HasKind(ErrorKind::kIndexOutOfLayout));
}

TEST(MaskedOrthogonalGroupsTest, CountsMembersAlongTheMaskAndGroupsAlongTheRest) {
  const auto groups = MaskedOrthogonalGroups(12, {2, 3, 2}, {true, false, true});
  ASSERT_THAT(groups, IsOk());
  EXPECT_EQ(GroupsOf(*groups), Ranks({{0, 1, 6, 7}, {2, 3, 8, 9}, {4, 5, 10, 11}}));
}

TEST(MaskedOrthogonalGroupsTest, WithoutAnyDimensionThereIsOneGroupOfOneRank) {
  const auto groups = MaskedOrthogonalGroups(1, {}, {});
  ASSERT_THAT(groups, IsOk());
  EXPECT_EQ(GroupsOf(*groups), Ranks({{0}}));
}

TEST(MaskedOrthogonalGroupsTest, WorldsMasksAndSizesAreHeldToTheirRules) {
  EXPECT_THAT(
      MaskedOrthogonalGroups(48, {2, 3, 4}, {false, true, false}),
      StatusIs(StatusCode::kInvalidArgument, HasSubstr("a world of 48 over sizes 2 x 3 x 4 = 24")));
  EXPECT_THAT(MaskedOrthogonalGroups(48, {2, 3, 4}, {false, true, false}),
              HasKind(ErrorKind::kIndexOutOfLayout));
  EXPECT_THAT(MaskedOrthogonalGroups(12, {2, 3, 4}, {false, true, false}),
              HasKind(ErrorKind::kIndexOutOfLayout));
  EXPECT_THAT(MaskedOrthogonalGroups(6, {2, 3}, {true}), HasKind(ErrorKind::kSizeMismatch));
  EXPECT_THAT(MaskedOrthogonalGroups(0, {2, 0}, {true, false}), HasKind(ErrorKind::kZeroSize));
  EXPECT_THAT(MaskedOrthogonalGroups(6, {-2, -3}, {true, false}),
              HasKind(ErrorKind::kNegativeSize));
  EXPECT_THAT(MaskedOrthogonalGroups(0, {INT64_MAX, 2}, {true, false}),
              HasKind(ErrorKind::kProductOverflow));
}

// Any sizes in any order, over any of the dimensions, against counting.
TEST(RankGeneratorTest, AgreesWithCounting) {
  Random random(41);
  for (int i = 0; i < 500; ++i) {
    std::vector<std::string> names = {"tp", "sp", "pp", "cfg", "dp"};
    Dims dims;
    std::string order;
    std::vector<std::pair<std::string, int32_t>> slowest_first;
    while (!names.empty()) {
      const auto at = names.begin() + static_cast<std::ptrdiff_t>(random.Uniform(names.size()));
      const auto size = static_cast<int32_t>(random.Between(1, 4));
      dims.push_back({*at, size});
      order += (order.empty() ? "" : "-") + *at;
      slowest_first.insert(slowest_first.begin(), {*at, size});
      names.erase(at);
    }
    std::vector<std::string> inside;
    std::string token;
    for (const RankGenerator::Dim& dim : dims) {
      if (!inside.empty() && random.Chance(60)) continue;
      inside.push_back(dim.name);
      token = dim.name + (token.empty() ? "" : "-") + token;
    }
    ASSERT_EQ(Given(dims, order, token), SlowGrid(slowest_first).GroupsOver(inside))
        << order << " over " << token;
  }
}

}  // namespace
}  // namespace muster
