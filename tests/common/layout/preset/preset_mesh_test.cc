#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "common/layout/diff.h"
#include "common/layout/layout.h"
#include "common/layout/preset/preset.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/common/layout/layout_examples.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using absl::StatusCode;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

PresetParam Size(const char* name, int64_t size) { return {name, size}; }

// A mesh over the last four of six ranks, made by Megatron's rules, with pipelines of `pp`.
MeshSpec Lm(int64_t pp) {
  MeshSpec mesh = {.name = "lm", .first_rank = 2, .rank_count = 4};
  mesh.preset = {.name = "megatron", .params = {Size("pipeline_parallel_size", pp)}};
  return mesh;
}

// The same ranks for one model with sequences cut in two, beside a mesh with dims.
LayoutSpec TwoPresets() {
  MeshSpec dit = {.name = "dit"};
  dit.preset = {.name = "vllm-omni",
                .params = {Size("ulysses_degree", 2), Size("tensor_parallel_size", 3)}};
  return {.world_size = 6,
          .meshes = {dit, Lm(4), {.name = "plain", .dims = {{"dp", 3}, {"tp", 2}}}}};
}

std::vector<std::string> KindNames(const Layout& layout) {
  std::vector<std::string> names;
  for (const GroupKind& kind : layout.kinds()) names.push_back(kind.name);
  return names;
}

TEST(PresetTest, NamesAreListedAndEachOfThemIsKnown) {
  EXPECT_THAT(PresetNames(),
              ElementsAre("fastvideo", "megatron", "vllm", "vllm-omni", "xdit", "yunchang"));
  for (const std::string_view name : PresetNames()) {
    const PresetSpec spec = {.name = std::string(name)};
    for (const int32_t world : {1, 2, 3, 8}) {
      EXPECT_THAT(ExpandPreset(spec, {.first = 0, .count = world}),
                  Not(HasKind(ErrorKind::kUnknownName)))
          << name;
    }
  }
}

TEST(PresetTest, UnknownNamesAreRefusedWithThoseKnown) {
  const auto kinds = ExpandPreset({.name = "deepspeed\n"}, {.first = 0, .count = 2});
  EXPECT_THAT(kinds, StatusIs(StatusCode::kInvalidArgument,
                              HasSubstr("'deepspeed\\n', want one of: fastvideo, megatron")));
  EXPECT_THAT(kinds, HasKind(ErrorKind::kUnknownName));
}

TEST(PresetMeshTest, KindsGoByTheNamesOfTheMeshAndOfThePreset) {
  const Layout layout = Formed(TwoPresets());
  EXPECT_THAT(KindNames(layout), testing::IsSupersetOf({"dit.ulysses", "dit.tp", "lm.pp",
                                                        "lm.embedding", "plain.dp"}));
  EXPECT_EQ(MembersOf(layout, "dit.ulysses#1"), Ranks({1, 4}));
  EXPECT_EQ(MembersOf(layout, "dit.tp#1"), Ranks({3, 4, 5}));
  EXPECT_EQ(MembersOf(layout, "lm.pp#0"), Ranks({2, 3, 4, 5}));
  EXPECT_EQ(MembersOf(layout, "lm.embedding#0"), Ranks({2, 5}));
  EXPECT_EQ(layout.kinds()[static_cast<size_t>(Named(layout, "lm.pp#0").kind)].mesh, "lm");
  EXPECT_TRUE(layout.IsBuilt(Named(layout, "lm.embedding#0")));
}

// What a worker computes from the spec and its rank is what the list of all groups says.
TEST(PresetMeshTest, EveryRankFindsItselfInItsGroups) {
  const Layout layout = Formed(TwoPresets());
  for (GlobalRank rank(0); rank.value < 6; ++rank.value) {
    std::set<GroupId> mine;
    for (const GroupMembership& membership : layout.GroupsOf(rank)) {
      mine.insert(membership.id);
      const std::vector<GlobalRank> members = layout.Members(membership.id);
      EXPECT_EQ(std::ssize(members), membership.size);
      EXPECT_EQ(members[static_cast<size_t>(membership.rank.value)], rank);
    }
    for (int32_t kind = 0; kind < std::ssize(layout.kinds()); ++kind) {
      const int32_t count = layout.kinds()[static_cast<size_t>(kind)].group_count;
      for (int32_t index = 0; index < count; ++index) {
        const bool listed = !testing::Value(layout.Members({kind, index}), Not(Contains(rank)));
        EXPECT_EQ(listed, mine.contains({kind, index})) << layout.Name({kind, index}, "");
      }
    }
  }
}

TEST(PresetMeshTest, RanksOfInnerStagesAreInNoEmbeddingGroup) {
  const Layout layout = Formed(TwoPresets());
  const int32_t embedding = Named(layout, "lm.embedding#0").kind;
  for (const GroupMembership& membership : layout.GroupsOf(GlobalRank(3))) {
    EXPECT_NE(membership.id.kind, embedding);
  }
}

TEST(PresetMeshTest, ModesGoByKind) {
  LayoutSpec spec = TwoPresets();
  spec.meshes[0].host_mode = BuildMode::kLazy;
  spec.meshes[0].host_dim_modes = {{"tp", BuildMode::kEager}, {"ulysses", BuildMode::kNone}};
  const Layout layout = Formed(spec);
  const auto mode = [&layout](std::string_view group) {
    return layout.kinds()[static_cast<size_t>(Named(layout, group).kind)].mode;
  };
  EXPECT_EQ(mode("dit.tp#0"), BuildMode::kEager);
  EXPECT_EQ(mode("dit.ulysses#0"), BuildMode::kNone);
  EXPECT_EQ(mode("dit.sp#0"), BuildMode::kLazy);
  EXPECT_EQ(mode("lm.pp#0"), BuildMode::kEager);
}

TEST(PresetMeshTest, GroupsThatStayAreKept) {
  LayoutSpec spec = TwoPresets();
  const Layout from = Formed(spec);
  spec.meshes[1] = Lm(2);
  const Layout to = Formed(spec);
  EXPECT_THAT(Diff(from, from, {}).Actions(),
              Not(Contains(testing::Field(&GroupChange::action, GroupAction::kBuild))));
  std::set<std::string> built;
  for (const GroupChange& change : Diff(from, to, {}).Actions()) {
    if (change.action == GroupAction::kBuild) built.insert(to.Name(*change.to, ""));
  }
  EXPECT_THAT(built, Contains("lm.pp#0"));
  EXPECT_THAT(built, Not(Contains(HasSubstr("dit"))));
}

TEST(PresetMeshTest, CoordinatesNeedDims) {
  const Layout layout = Formed(TwoPresets());
  EXPECT_THAT(layout.Coordinates("lm", GlobalRank(2)), HasKind(ErrorKind::kUnsupportedMode));
  EXPECT_THAT(layout.RankAt("lm", {}), HasKind(ErrorKind::kUnsupportedMode));
  EXPECT_THAT(layout.Coordinates("plain", GlobalRank(5)), IsOkAndHolds(ElementsAre(2, 1)));
}

TEST(PresetMeshTest, RefusalsOfPresetsNameTheMesh) {
  LayoutSpec spec = TwoPresets();
  spec.meshes[1] = Lm(3);
  const auto layout = Layout::Create(spec);
  EXPECT_THAT(layout, StatusIs(StatusCode::kInvalidArgument,
                               HasSubstr("mesh 'lm': preset 'megatron': tp 1 x pp 3")));
  EXPECT_THAT(layout, HasKind(ErrorKind::kNotDivisible));
}

struct RefusedCase {
  void (*spoil)(MeshSpec& mesh);
  ErrorKind kind;
  const char* message;
};

TEST(PresetMeshTest, MeshesOfPresetsAreHeldToTheGeneralRules) {
  const RefusedCase cases[] = {
      {[](MeshSpec& mesh) {
         mesh.dims = {{"dp", 4}};
       },
       ErrorKind::kInvalidRequest, "beside dims, splits or flattened dims"},
      {[](MeshSpec& mesh) { mesh.split = {{.dim = "dp"}}; }, ErrorKind::kInvalidRequest, "beside"},
      {[](MeshSpec& mesh) { mesh.flatten = {{.name = "all"}}; }, ErrorKind::kInvalidRequest,
       "beside"},
      {[](MeshSpec& mesh) {
         mesh.host_dim_modes = {{"sp", BuildMode::kLazy}};
       },
       ErrorKind::kUnknownName, "a mode is given for 'sp', want one of: cp, dp, dp_cp"},
      {[](MeshSpec& mesh) {
         mesh.host_dim_modes = {{"tp", BuildMode::kLazy}, {"tp", BuildMode::kLazy}};
       },
       ErrorKind::kDuplicateName, "two modes are given for 'tp'"},
      {[](MeshSpec& mesh) { mesh.rank_count = 5; }, ErrorKind::kIndexOutOfLayout, "5 ranks"},
      {[](MeshSpec& mesh) { mesh.preset->name = "x"; }, ErrorKind::kUnknownName,
       "mesh 'lm': no preset is named 'x'"},
  };
  for (const RefusedCase& c : cases) {
    LayoutSpec spec = TwoPresets();
    c.spoil(spec.meshes[1]);
    const auto layout = Layout::Create(spec);
    EXPECT_THAT(layout, StatusIs(StatusCode::kInvalidArgument, HasSubstr(c.message)));
    EXPECT_THAT(layout, HasKind(c.kind)) << c.message;
  }
}

}  // namespace
}  // namespace muster
