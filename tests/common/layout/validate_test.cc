#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "common/base/error_detail.h"
#include "common/layout/layout.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/common/layout/layout_examples.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

// One broken rule: what is done to a good spec, and what is said about it.
struct Refusal {
  std::string situation;
  std::function<void(LayoutSpec&)> breaks;
  ErrorKind kind = ErrorKind::kUnknown;
  std::string message;
  std::vector<GlobalRank> ranks = {};
};

std::ostream& operator<<(std::ostream& out, const Refusal& refusal) {
  return out << refusal.situation;
}

// Eight ranks, mesh "m" with dp 2 x sp 4, sp split, both flattened, and explicit groups "g".
LayoutSpec GoodSpec() {
  LayoutSpec spec = OneMesh(8, {{"dp", 2}, {"sp", 4}});
  spec.meshes[0].split = {{.dim = "sp", .into = {{"ring", 2}, {"ulysses", 2}}}};
  spec.meshes[0].flatten = {{.name = "all", .of = {"dp", "sp"}}};
  spec.meshes[0].host_dim_modes = {{"ring", BuildMode::kLazy}};
  spec.groups = {{.name = "g", .ranks = {Ranks({0, 1}), Ranks({2})}}};
  return spec;
}

MeshSpec& Mesh(LayoutSpec& spec) { return spec.meshes[0]; }

class RefusalTest : public testing::TestWithParam<Refusal> {};

TEST_P(RefusalTest, SaysWhatIsWrong) {
  LayoutSpec spec = GoodSpec();
  GetParam().breaks(spec);

  const absl::Status status = Layout::Create(spec).status();

  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument, GetParam().message));
  const std::optional<ErrorDetail> detail = DetailOf(status);
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(KindName(detail->kind), KindName(GetParam().kind));
  EXPECT_EQ(detail->ranks, GetParam().ranks);
  EXPECT_FALSE(detail->remedy.empty());
}

const Refusal kSizes[] = {
    {"WorldOfNoRanks", [](LayoutSpec& s) { s.world_size = 0; }, ErrorKind::kZeroSize,
     "the world size is 0, want >= 1"},
    {"WorldOfNegativeSize", [](LayoutSpec& s) { s.world_size = -8; }, ErrorKind::kNegativeSize,
     "the world size is -8, want >= 1"},
    {"WorldAboveTheLimit", [](LayoutSpec& s) { s.world_size = kWorldSizeMax + 1; },
     ErrorKind::kLimitExceeded, "the world size is 1048577, want <= 1048576"},
    {"DimOfSizeZero", [](LayoutSpec& s) { Mesh(s).dims[1].size = 0; }, ErrorKind::kZeroSize,
     "mesh 'm': dimension 'sp' has size 0, want >= 1"},
    {"DimOfNegativeSize", [](LayoutSpec& s) { Mesh(s).dims[0].size = -2; },
     ErrorKind::kNegativeSize, "mesh 'm': dimension 'dp' has size -2, want >= 1"},
    {"MeshWithoutDims", [](LayoutSpec& s) { Mesh(s).dims.clear(); }, ErrorKind::kZeroSize,
     "mesh 'm': the number of dims is 0, want >= 1"},
    {"NegativeRankCount", [](LayoutSpec& s) { Mesh(s).rank_count = -1; }, ErrorKind::kNegativeSize,
     "mesh 'm': the number of ranks is -1, want >= 1"},
    {"SplitOfNothing", [](LayoutSpec& s) { Mesh(s).split[0].into.clear(); }, ErrorKind::kZeroSize,
     "mesh 'm': the split of 'sp': the number of dims is 0, want >= 1"},
    {"InnerDimOfSizeZero", [](LayoutSpec& s) { Mesh(s).split[0].into[0].size = 0; },
     ErrorKind::kZeroSize, "mesh 'm': inner dimension 'ring' has size 0, want >= 1"},
    {"InnerDimOfNegativeSize", [](LayoutSpec& s) { Mesh(s).split[0].into[1].size = -2; },
     ErrorKind::kNegativeSize, "mesh 'm': inner dimension 'ulysses' has size -2, want >= 1"},
    {"FlattenOfNothing", [](LayoutSpec& s) { Mesh(s).flatten[0].of.clear(); }, ErrorKind::kZeroSize,
     "mesh 'm': the flattened 'all': the number of dims is 0, want >= 1"},
    {"ExplicitGroupsOfNothing", [](LayoutSpec& s) { s.groups[0].ranks.clear(); },
     ErrorKind::kZeroSize, "groups 'g': the number of groups is 0, want >= 1"},
    {"ExplicitGroupWithoutRanks", [](LayoutSpec& s) { s.groups[0].ranks[1].clear(); },
     ErrorKind::kZeroSize, "groups 'g': the number of ranks in group 1 is 0, want >= 1"},
};

const Refusal kProducts[] = {
    {"ProductBelowTheWorld",
     [](LayoutSpec& s) {
       Mesh(s).dims = {{"dp", 2}, {"tp", 3}};
     },
     ErrorKind::kProductMismatch,
     "mesh 'm': dp 2 x tp 3 = 6, want 8: ranks 6-7 would be in no group", Ranks({6, 7})},
    {"ProductOneShort",
     [](LayoutSpec& s) {
       Mesh(s) = {.name = "m", .first_rank = 3, .rank_count = 5, .dims = {{"tp", 4}}};
     },
     ErrorKind::kProductMismatch, "mesh 'm': tp 4 = 4, want 5: rank 7 would be in no group",
     Ranks({7})},
    {"ProductAboveTheWorld", [](LayoutSpec& s) { Mesh(s).dims[0].size = 3; },
     ErrorKind::kProductMismatch, "mesh 'm': dp 3 x sp 4 = 12, want 8"},
    {"ProductBeyond63Bits",
     [](LayoutSpec& s) {
       Mesh(s).dims = {{"a", 2147483647}, {"b", 2147483647}, {"c", 3}};
     },
     ErrorKind::kProductOverflow,
     "mesh 'm': a 2147483647 x b 2147483647 x c 3 needs more than 63 bits, want 8"},
    {"ProductThatWrapsToTheWorld",
     [](LayoutSpec& s) {
       Mesh(s).dims = {{"a", 1 << 30}, {"b", 1 << 30}, {"c", 1 << 4}, {"d", 8}};
     },
     ErrorKind::kProductOverflow,
     "mesh 'm': a 1073741824 x b 1073741824 x c 16 x d 8 needs more than 63 bits, want 8"},
    {"ProductThatWrapsIn32Bits",
     [](LayoutSpec& s) {
       Mesh(s).dims = {{"a", 65537}, {"b", 65536}, {"c", 8}};
     },
     ErrorKind::kProductMismatch, "mesh 'm': a 65537 x b 65536 x c 8 = 34360262656, want 8"},
    {"InnerProductUnlikeTheDim", [](LayoutSpec& s) { Mesh(s).split[0].into[0].size = 3; },
     ErrorKind::kProductMismatch, "mesh 'm': the split of 'sp': ring 3 x ulysses 2 = 6, want 4"},
    {"InnerProductBelowTheDim", [](LayoutSpec& s) { Mesh(s).split[0].into[0].size = 1; },
     ErrorKind::kProductMismatch, "mesh 'm': the split of 'sp': ring 1 x ulysses 2 = 2, want 4"},
    {"InnerProductBeyond63Bits",
     [](LayoutSpec& s) {
       Mesh(s).split[0].into = {{"a", 2147483647}, {"b", 2147483647}, {"c", 4}};
     },
     ErrorKind::kProductOverflow,
     "mesh 'm': the split of 'sp': a 2147483647 x b 2147483647 x c 4 needs more than 63 bits, want "
     "4"},
};

const Refusal kNames[] = {
    {"MeshWithoutName", [](LayoutSpec& s) { Mesh(s).name = ""; }, ErrorKind::kInvalidName,
     "mesh: name '' of 0 bytes, want 1 to 63 of a-z, 0-9, '_' and '-', the first a letter or a "
     "digit"},
    {"DimNameWithOtherBytes", [](LayoutSpec& s) { Mesh(s).dims[0].name = "D\n"; },
     ErrorKind::kInvalidName,
     "mesh 'm': dimension: name 'D\\n' of 2 bytes, want 1 to 63 of a-z, 0-9, '_' and '-', the "
     "first a letter or a digit"},
    {"InnerNameWithDot", [](LayoutSpec& s) { Mesh(s).split[0].into[0].name = "a.b"; },
     ErrorKind::kInvalidName,
     "mesh 'm': inner dimension: name 'a.b' of 3 bytes, want 1 to 63 of a-z, 0-9, '_' and '-', the "
     "first a letter or a digit"},
    {"FlattenNameThatBeginsWithDash", [](LayoutSpec& s) { Mesh(s).flatten[0].name = "-a"; },
     ErrorKind::kInvalidName,
     "mesh 'm': flattened dimension: name '-a' of 2 bytes, want 1 to 63 of a-z, 0-9, '_' and '-', "
     "the first a letter or a digit"},
    {"GroupsNameTooLong", [](LayoutSpec& s) { s.groups[0].name = std::string(64, 'g'); },
     ErrorKind::kInvalidName,
     "groups: name '" + std::string(63, 'g') +
         "...' of 64 bytes, want 1 to 63 of a-z, 0-9, '_' and '-', the first a letter or a digit"},
    {"DimTwice", [](LayoutSpec& s) { Mesh(s).dims[1].name = "dp"; }, ErrorKind::kDuplicateName,
     "mesh 'm': dimension 'dp': this name is taken (dimension), want every name once in a mesh"},
    {"InnerDimNamedAsADim", [](LayoutSpec& s) { Mesh(s).split[0].into[1].name = "dp"; },
     ErrorKind::kDuplicateName,
     "mesh 'm': inner dimension 'dp': this name is taken (dimension), want every name once in a "
     "mesh"},
    {"FlattenNamedAsAnInnerDim", [](LayoutSpec& s) { Mesh(s).flatten[0].name = "ring"; },
     ErrorKind::kDuplicateName,
     "mesh 'm': flattened dimension 'ring': this name is taken (inner dimension), want every name "
     "once in a mesh"},
    {"DimSplitTwice",
     [](LayoutSpec& s) {
       Mesh(s).split.push_back({"sp", {{"x", 4}}});
     },
     ErrorKind::kDuplicateName, "mesh 'm': dimension 'sp' is split twice, want once"},
    {"TwoModesForADim",
     [](LayoutSpec& s) {
       Mesh(s).host_dim_modes.push_back({"ring", BuildMode::kNone});
     },
     ErrorKind::kDuplicateName, "mesh 'm': two modes are given for 'ring', want at most one"},
    {"FlattenOfADimTwice",
     [](LayoutSpec& s) {
       Mesh(s).flatten[0].of = {"dp", "dp"};
     },
     ErrorKind::kDuplicateName,
     "mesh 'm': the flattened 'all' is of 'dp' and of 'dp', want every dimension once"},
    {"FlattenOfADimAndItsInnerDim",
     [](LayoutSpec& s) {
       Mesh(s).flatten[0].of = {"sp", "ring"};
     },
     ErrorKind::kDuplicateName,
     "mesh 'm': the flattened 'all' is of 'sp' and of 'ring', want every dimension once"},
    {"TwoMeshesOfOneName", [](LayoutSpec& s) { s.meshes.push_back(Mesh(s)); },
     ErrorKind::kDuplicateName,
     "mesh 'm': this name is taken by a mesh, want every name once in a layout"},
    {"GroupsNamedAsAMesh", [](LayoutSpec& s) { s.groups[0].name = "m"; }, ErrorKind::kDuplicateName,
     "groups 'm': this name is taken by a mesh, want every name once in a layout"},
    {"GroupsTwice",
     [](LayoutSpec& s) {
       s.groups.push_back({"g", {Ranks({4, 5})}});
     },
     ErrorKind::kDuplicateName,
     "groups 'g': this name is taken by explicit groups, want every name once in a layout"},
    {"MeshNamedWorld", [](LayoutSpec& s) { Mesh(s).name = "world"; }, ErrorKind::kDuplicateName,
     "mesh 'world': this name is taken by the group of all ranks, want every name once in a "
     "layout"},
    {"GroupsNamedWorld", [](LayoutSpec& s) { s.groups[0].name = "world"; },
     ErrorKind::kDuplicateName,
     "groups 'world': this name is taken by the group of all ranks, want every name once in a "
     "layout"},
    {"SplitOfNoDim", [](LayoutSpec& s) { Mesh(s).split[0].dim = "s"; }, ErrorKind::kUnknownName,
     "mesh 'm': a split is of 's', want one of: dp, sp"},
    {"SplitOfAnInnerDim",
     [](LayoutSpec& s) {
       Mesh(s).split.push_back({"ring", {{"x", 2}}});
     },
     ErrorKind::kUnknownName, "mesh 'm': a split is of 'ring', want one of: dp, sp"},
    {"FlattenOfNoDim", [](LayoutSpec& s) { Mesh(s).flatten[0].of[0] = "d"; },
     ErrorKind::kUnknownName, "mesh 'm': 'all' is of 'd', want one of: dp, ring, sp, ulysses"},
    {"FlattenOfAFlatten",
     [](LayoutSpec& s) {
       Mesh(s).flatten.push_back({"more", {"all"}});
     },
     ErrorKind::kUnknownName, "mesh 'm': 'more' is of 'all', want one of: dp, ring, sp, ulysses"},
    {"ModeOfNoDim", [](LayoutSpec& s) { Mesh(s).host_dim_modes[0].dim = "ri"; },
     ErrorKind::kUnknownName,
     "mesh 'm': a mode is given for 'ri', want one of: all, dp, ring, sp, ulysses"},
    {"FlattenOutOfMeshOrder",
     [](LayoutSpec& s) {
       Mesh(s).flatten[0].of = {"sp", "dp"};
     },
     ErrorKind::kInvalidRequest,
     "mesh 'm': the flattened 'all' is of sp, dp, want them in mesh order: dp, sp"},
    {"FlattenOfInnerDimsOutOfOrder",
     [](LayoutSpec& s) {
       Mesh(s).flatten[0].of = {"dp", "ulysses", "ring"};
     },
     ErrorKind::kInvalidRequest,
     "mesh 'm': the flattened 'all' is of dp, ulysses, ring, want them in mesh order: dp, ring, "
     "ulysses"},
};

const Refusal kRanks[] = {
    {"MeshBeyondTheWorld",
     [](LayoutSpec& s) {
       Mesh(s) = {.name = "m", .first_rank = 4, .rank_count = 8, .dims = {{"tp", 8}}};
     },
     ErrorKind::kIndexOutOfLayout,
     "mesh 'm': 8 ranks from rank 4 on, want them among the 8 of the world"},
    {"WholeWorldFromALaterRank", [](LayoutSpec& s) { Mesh(s).first_rank = 1; },
     ErrorKind::kIndexOutOfLayout,
     "mesh 'm': 8 ranks from rank 1 on, want them among the 8 of the world"},
    {"NegativeFirstRank",
     [](LayoutSpec& s) {
       Mesh(s).first_rank = -1;
       Mesh(s).rank_count = 4;
     },
     ErrorKind::kIndexOutOfLayout,
     "mesh 'm': 4 ranks from rank -1 on, want them among the 8 of the world"},
    {"RangeThatOverflows",
     [](LayoutSpec& s) {
       Mesh(s).first_rank = 2147483647;
       Mesh(s).rank_count = 2147483647;
     },
     ErrorKind::kIndexOutOfLayout,
     "mesh 'm': 2147483647 ranks from rank 2147483647 on, want them among the 8 of the world"},
    {"ListedRanksOutsideTheWorld",
     [](LayoutSpec& s) {
       s.groups[0].ranks = {Ranks({8, 0, 9}), Ranks({-1})};
     },
     ErrorKind::kIndexOutOfLayout, "groups 'g': ranks -1, 8-9 listed, want ranks from 0 to 7",
     Ranks({8, 9, -1})},
    {"ListedRankTwiceInAGroup",
     [](LayoutSpec& s) {
       s.groups[0].ranks = {Ranks({3, 4, 3, 3})};
     },
     ErrorKind::kDuplicateRank,
     "groups 'g': rank 3 listed more than once, want every rank at most once", Ranks({3})},
    {"ListedGroupsThatOverlap",
     [](LayoutSpec& s) {
       s.groups[0].ranks = {Ranks({3, 4, 5}), Ranks({6, 5, 4})};
     },
     ErrorKind::kDuplicateRank,
     "groups 'g': ranks 4-5 listed more than once, want every rank at most once", Ranks({4, 5})},
};

template <typename Item>
std::vector<Item> Copies(size_t count, const std::function<Item(const std::string&)>& make) {
  std::vector<Item> items;
  for (size_t i = 0; i < count; ++i) items.push_back(make("x" + std::to_string(i)));
  return items;
}

const Refusal kLimits[] = {
    {"TooManyMeshes",
     [](LayoutSpec& s) {
       s.meshes = Copies<MeshSpec>(65, [](const std::string& name) {
         return MeshSpec{.name = name, .dims = {{"tp", 8}}};
       });
     },
     ErrorKind::kLimitExceeded, "the number of meshes is 65, want <= 64"},
    {"TooManyDims",
     [](LayoutSpec& s) {
       Mesh(s).dims = Copies<MeshDim>(17, [](const std::string& name) { return MeshDim{name, 1}; });
     },
     ErrorKind::kLimitExceeded, "mesh 'm': the number of dims is 17, want <= 16"},
    {"TooManyInnerDims",
     [](LayoutSpec& s) {
       Mesh(s).split[0].into = Copies<MeshDim>(17, [](const std::string& name) {
         return MeshDim{name, 1};
       });
     },
     ErrorKind::kLimitExceeded,
     "mesh 'm': the split of 'sp': the number of dims is 17, want <= 16"},
    {"TooManyFlattens",
     [](LayoutSpec& s) {
       Mesh(s).flatten = Copies<FlattenSpec>(65, [](const std::string& name) {
         return FlattenSpec{name, {"dp"}};
       });
     },
     ErrorKind::kLimitExceeded, "mesh 'm': the number of flattened dims is 65, want <= 64"},
    {"TooManyExplicitGroups",
     [](LayoutSpec& s) {
       s.groups = Copies<ExplicitGroups>(65, [](const std::string& name) {
         return ExplicitGroups{name, {Ranks({0})}};
       });
     },
     ErrorKind::kLimitExceeded, "the number of names of explicit groups is 65, want <= 64"},
};

std::string SituationOf(const testing::TestParamInfo<Refusal>& info) {
  return info.param.situation;
}

INSTANTIATE_TEST_SUITE_P(Sizes, RefusalTest, testing::ValuesIn(kSizes), SituationOf);
INSTANTIATE_TEST_SUITE_P(Products, RefusalTest, testing::ValuesIn(kProducts), SituationOf);
INSTANTIATE_TEST_SUITE_P(Names, RefusalTest, testing::ValuesIn(kNames), SituationOf);
INSTANTIATE_TEST_SUITE_P(RankNumbers, RefusalTest, testing::ValuesIn(kRanks), SituationOf);
INSTANTIATE_TEST_SUITE_P(Limits, RefusalTest, testing::ValuesIn(kLimits), SituationOf);

TEST(ValidateTest, GoodSpecIsTaken) { EXPECT_THAT(Layout::Create(GoodSpec()), IsOk()); }

TEST(ValidateTest, LimitsThemselvesAreTaken) {
  LayoutSpec spec = {.world_size = kWorldSizeMax};
  spec.meshes = Copies<MeshSpec>(kMeshesMax, [](const std::string& name) {
    return MeshSpec{.name = name, .dims = {{"tp", kWorldSizeMax}}};
  });
  spec.meshes[0].name = std::string(kLayoutNameBytesMax, 'n');
  spec.meshes[0].dims = Copies<MeshDim>(kMeshDimsMax - 1, [](const std::string& name) {
    return MeshDim{name, 2};
  });
  spec.meshes[0].dims.push_back({"last", kWorldSizeMax >> (kMeshDimsMax - 1)});
  spec.meshes[0].flatten = Copies<FlattenSpec>(kMeshFlattensMax, [](const std::string& name) {
    return FlattenSpec{"f" + name, {"x0", "x1"}};
  });
  spec.groups = Copies<ExplicitGroups>(kExplicitGroupNamesMax, [](const std::string& name) {
    return ExplicitGroups{"g" + name, {Ranks({0})}};
  });
  EXPECT_THAT(Layout::Create(spec), IsOk());
}

TEST(ValidateTest, MeshesMayOverlap) {
  LayoutSpec spec = GoodSpec();
  spec.meshes.push_back(
      {.name = "other", .first_rank = 2, .rank_count = 6, .dims = {{"dp", 3}, {"sp", 2}}});
  EXPECT_THAT(Layout::Create(spec), IsOk());
}

TEST(ValidateTest, GroupsOfDifferentNamesMayOverlap) {
  LayoutSpec spec = GoodSpec();
  spec.groups.push_back({.name = "h", .ranks = {Ranks({1, 0})}});
  EXPECT_THAT(Layout::Create(spec), IsOk());
}

}  // namespace
}  // namespace muster
