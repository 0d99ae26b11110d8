#include "cli/plan_args.h"

#include <string>
#include <vector>

#include "cli/plan_output.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

PlanOptions Parsed(const Args& args) {
  absl::StatusOr<PlanOptions> options = ParsePlanArgs(args);
  EXPECT_THAT(options, IsOk());
  return options.ok() ? *std::move(options) : PlanOptions();
}

std::vector<std::string> ParamsOf(const PlanOptions& options) {
  std::vector<std::string> params;
  for (const v1::Param& param : options.params) params.push_back(param.ShortDebugString());
  return params;
}

TEST(PlanArgsTest, FlagsThatPlanLacksAreParametersOfThePreset) {
  const PlanOptions options =
      Parsed({"--preset", "megatron", "--world-size=16", "--tensor-model-parallel-size", "2",
              "--order=tp-pp", "-o", "json", "--hybrid_context_parallel", "--share", "0.5",
              "--offset", "-3", "--lists", "[[0, 1], [2, 3]]", "--off", "false"});
  EXPECT_EQ(options.preset, "megatron");
  EXPECT_EQ(options.spec.world_size, 16);
  EXPECT_EQ(options.format, "json");
  EXPECT_THAT(
      ParamsOf(options),
      ElementsAre("name: \"tensor-model-parallel-size\" integer: 2",
                  "name: \"order\" text: \"tp-pp\"", "name: \"hybrid_context_parallel\" flag: true",
                  "name: \"share\" real: 0.5", "name: \"offset\" integer: -3",
                  "name: \"lists\" text: \"[[0, 1], [2, 3]]\"", "name: \"off\" flag: false"));
}

TEST(PlanArgsTest, SwitchBeforeAFlagOrTheEndIsOn) {
  EXPECT_THAT(ParamsOf(Parsed({"--is-moe", "--preset=vllm", "--world-size", "2", "--last"})),
              ElementsAre("name: \"is-moe\" flag: true", "name: \"last\" flag: true"));
}

TEST(PlanArgsTest, PresetBecomesAMeshCalledMain) {
  const auto spec = LoadPlannedSpec(
      Parsed({"--preset", "vllm", "--world-size", "4", "--tensor-parallel-size", "2", "-j", "x"}));
  ASSERT_THAT(spec, IsOk());
  EXPECT_EQ(spec->name(), "x");
  EXPECT_EQ(spec->world_size(), 4);
  ASSERT_EQ(spec->meshes_size(), 1);
  EXPECT_EQ(spec->meshes(0).name(), "main");
  EXPECT_EQ(spec->meshes(0).preset().name(), "vllm");
  EXPECT_EQ(spec->meshes(0).preset().params_size(), 1);
}

TEST(PlanArgsTest, WithoutAPresetAnUnknownFlagIsRefused) {
  EXPECT_THAT(ParsePlanArgs({"--mesh", "dp=2", "--tensor-parallel-size", "2"}),
              HasKind(ErrorKind::kConfigUnknown));
}

TEST(PlanArgsTest, PresetNeedsAWorldSizeAndNothingBesideIt) {
  const auto no_size = ParsePlanArgs({"--preset", "vllm"});
  EXPECT_THAT(no_size, HasKind(ErrorKind::kConfigInvalid));
  EXPECT_THAT(std::string(no_size.status().message()), HasSubstr("--world-size 0"));
  EXPECT_THAT(ParsePlanArgs({"--preset", "vllm", "--world-size", "2", "--mesh", "dp=2"}),
              HasKind(ErrorKind::kConfigInvalid));
  EXPECT_THAT(ParsePlanArgs({"--preset", "vllm", "--world-size", "2", "-f", "job.yaml"}),
              HasKind(ErrorKind::kConfigInvalid));
}

TEST(PlanArgsTest, WeightsAreThoseOfTheRuleUnlessGiven) {
  EXPECT_THAT(Parsed({"--mesh", "dp=2"}).weights, HasSubstr("tp,pp,ep"));
  EXPECT_EQ(Parsed({"--mesh", "dp=2", "--moves-weights", "sp"}).weights, "sp");
  EXPECT_THAT(Parsed({"--mesh", "dp=2", "--moves-weights", "none"}).weights, IsEmpty());
}

TEST(PlanArgsTest, HelpNamesThePresetFlag) {
  EXPECT_THAT(Parsed({"--help"}).help, HasSubstr("--preset"));
  EXPECT_THAT(Parsed({"--preset", "vllm", "--help"}).help, HasSubstr("--preset"));
}

TEST(PlanArgsTest, JobThatCannotBeIsRefusedByTheRuleItBreaks) {
  EXPECT_THAT(PlanOutput(Parsed({"--mesh", "dp=2,tp=2", "--world-size", "8"})),
              HasKind(ErrorKind::kProductMismatch));
  EXPECT_THAT(PlanOutput(Parsed({"--mesh", "dp=2", "--from", "tests/cli/plan/none.yaml"})),
              HasKind(ErrorKind::kConfigInvalid));
  EXPECT_THAT(PlanOutput(Parsed({"--mesh", "dp=2", "--from", "tests/cli/plan/wan.yaml",
                                 "--moves-weights", "tp,,sp"})),
              HasKind(ErrorKind::kInvalidName));
  EXPECT_THAT(PlanOutput(Parsed({})), HasKind(ErrorKind::kConfigInvalid));
}

TEST(PlanArgsTest, WorldTooLargeToListIsRefused) {
  const auto text =
      PlanOutput(Parsed({"--mesh", "dp=1024,cfg=2,pp=8,sp=8,tp=8", "--world-size", "1048576"}));
  EXPECT_THAT(text, HasKind(ErrorKind::kLimitExceeded));
  EXPECT_THAT(std::string(text.status().message()), HasSubstr("1048576 ranks x 6 kinds"));
}

TEST(PlanArgsTest, ParameterThatThePresetLacksIsRefused) {
  EXPECT_THAT(PlanOutput(Parsed({"--preset", "vllm", "--world-size", "4", "--tensor-size", "2"})),
              HasKind(ErrorKind::kUnknownName));
  EXPECT_THAT(PlanOutput(Parsed({"--preset", "vlm", "--world-size", "4"})),
              HasKind(ErrorKind::kUnknownName));
}

}  // namespace
}  // namespace muster::cli
