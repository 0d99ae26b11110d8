#include "common/jobfile/layout_cases.h"

#include <cstdint>
#include <string>

#include "common/jobfile/run_cases.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kTwoRuns = R"([{"id": "a", "source": "fastvideo", "more": {},
  "params": {"api": "initialize_sequence_parallel_group", "sp": 2, "world_size": 4, "x": null},
  "groups": {"sp": [[0, 1], [2, 3]]}}])";

std::vector<LayoutCase> Parsed(std::string_view json) {
  const auto cases = ParseLayoutCases(json);
  EXPECT_THAT(cases, IsOk());
  return cases.ok() ? *cases : std::vector<LayoutCase>();
}

// The text with the first `from` replaced.
std::string With(std::string_view from, std::string_view to, std::string_view json = kTwoRuns) {
  std::string text(json);
  return text.replace(text.find(from), from.size(), to);
}

TEST(LayoutCasesTest, CasesAreReadWithParametersOfEveryType) {
  const auto cases = Parsed(R"([{"id": "a", "source": "s", "error": "zero_size", "params": {
    "api": "f", "n": -3, "r": 0.5, "b": false, "t": "tp-dp", "list": [true, [1, 2], "tp"]}}])");
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(cases[0].id, "a");
  EXPECT_EQ(cases[0].source, "s");
  EXPECT_EQ(cases[0].api, "f");
  EXPECT_EQ(cases[0].error, "zero_size");
  EXPECT_THAT(cases[0].params, ElementsAre(PresetParam{"b", false},
                                           PresetParam{"list", std::string("[true,[1,2],tp]")},
                                           PresetParam{"n", int64_t{-3}}, PresetParam{"r", 0.5},
                                           PresetParam{"t", std::string("tp-dp")}));
  EXPECT_EQ(cases[0].Int("n", 4), -3);
  EXPECT_EQ(cases[0].Int("t", 4), 4);
  EXPECT_EQ(cases[0].Int("absent", 4), 4);
}

TEST(LayoutCasesTest, ItemsOfListsOfTextsAreGiven) {
  const auto cases = Parsed(R"([{"id": "a", "source": "s", "error": "zero_size", "params": {
    "api": "f", "tokens": ["tp", "dp-cp"], "none": [], "one": ["sp"]}}])");
  EXPECT_THAT(cases[0].Items("tokens"), ElementsAre("tp", "dp-cp"));
  EXPECT_THAT(cases[0].Items("one"), ElementsAre("sp"));
  EXPECT_THAT(cases[0].Items("none"), IsEmpty());
  EXPECT_THAT(cases[0].Items("absent"), IsEmpty());
}

TEST(LayoutCasesTest, GroupsKeepTheirOrder) {
  const auto cases = Parsed(With("[0, 1], [2, 3]", "[3, 1], []"));
  EXPECT_THAT(cases[0].groups.at("sp"),
              ElementsAre(ElementsAre(GlobalRank(3), GlobalRank(1)), IsEmpty()));
}

TEST(LayoutCasesTest, WhatIsNoFileOfCasesIsRefused) {
  const std::pair<std::string, const char*> cases[] = {
      {"{", "no list in JSON"},
      {"{}", "no list in JSON"},
      {"[3]", "item 0 is something else, want a map"},
      {With("\"id\"", "\"ie\""), "item 0.id is something else, want a text"},
      {With("\"fastvideo\"", "4"), "item 0.source is"},
      {With("\"params\"", "\"param\""), "item 0.params is"},
      {With("\"api\"", "\"apo\""), "item 0.api is"},
      {With("\"groups\"", "\"group\""), "item 0.groups is something else, want a map, or 'error'"},
      {With("[[0, 1], [2, 3]]", "3"), "item 0.groups.sp is something else, want a list of groups"},
      {With("[0, 1]", "0"), "item 0.groups.sp is something else, want lists of ranks"},
      {With("[0, 1]", "[0, 1.5]"), "item 0.groups.sp is something else, want ranks"},
      {With("[0, 1]", "[0, 2147483648]"), "item 0.groups.sp is something else, want ranks"},
  };
  for (const auto& [json, message] : cases) {
    const auto parsed = ParseLayoutCases(json);
    EXPECT_THAT(parsed, StatusIs(StatusCode::kInvalidArgument, HasSubstr(message)));
    EXPECT_THAT(parsed, HasKind(ErrorKind::kInvalidRequest)) << json;
  }
  EXPECT_THAT(ParseLayoutCases(std::string(kLayoutCasesBytesMax + 1, ' ')),
              HasKind(ErrorKind::kLimitExceeded));
}

TEST(RunCasesTest, RightAnswersPass) {
  const CasesReport report = RunCases(Parsed(kTwoRuns));
  EXPECT_THAT(report.failures, IsEmpty());
  EXPECT_EQ(report.Summary(), "golden: 1 passed, 0 failed\nstate: 0 deferred\n");
}

TEST(RunCasesTest, WhateverDiffersFailsAndIsShown) {
  const std::pair<std::string, const char*> cases[] = {
      {With("[0, 1], [2, 3]", "[2, 3], [0, 1]"), "a: sp#0 is 0, 1, want 2, 3"},
      {With("[2, 3]", "[3, 2]"), "a: sp#1 is 2, 3, want 3, 2"},
      {With(", [2, 3]", ""), "a: sp has 2 groups, want 1"},
      {With("{\"sp\": [", "{\"tp\": [[9]], \"sp\": ["), "a: there are no groups tp"},
      {With("\"sp\": [[0, 1], [2, 3]]", ""), "a: there are groups sp, want none"},
      {With("\"groups\"", "\"error\": \"not_divisible\", \"groups\""),
       "a: was answered by groups, want not_divisible"},
      {With("\"sp\": 2", "\"sp\": 3"), "a: refused as not_divisible, want groups"},
      {With("\"sp\": 2", "\"sp\": 3, \"y\": 1"), "a: refused as unknown_name, want groups"},
      {With("\"world_size\": 4, ", ""), "a: refused as zero_size, want groups: world_size is 0"},
      {With("initialize_seq", "init_seq"), "a: refused as unknown_name, want groups: the entry"},
      {With("fastvideo", "slowvideo"), "a: refused as unknown_name, want groups: the entry"},
  };
  for (const auto& [json, failure] : cases) {
    const CasesReport report = RunCases(Parsed(json));
    EXPECT_THAT(report.failures, ElementsAre(testing::StartsWith(failure))) << json;
    EXPECT_EQ(report.Summary(), "golden: 0 passed, 1 failed\nstate: 0 deferred\n");
  }
}

TEST(RunCasesTest, ErrorsAreComparedByKind) {
  const auto refused = [](std::string_view source, std::string_view api, std::string_view params,
                          std::string_view error) {
    std::string json = R"([{"id": "a", "source": "SOURCE", "error": "ERROR",
      "params": {"api": "API", "world_size": 6, PARAMS}}])";
    json = With("SOURCE", source, json);
    json = With("API", api, json);
    json = With("PARAMS", params, json);
    return RunCases(Parsed(With("ERROR", error, json))).passed == 1;
  };
  constexpr std::string_view kInit = "initialize_model_parallel";
  EXPECT_TRUE(refused("megatron", kInit, R"("tp": 4)", "not_divisible"));
  EXPECT_FALSE(refused("megatron", kInit, R"("tp": 4)", "rank_not_in_any_group"));
  EXPECT_FALSE(refused("megatron", kInit, R"("tp": 0)", "not_divisible"));
  EXPECT_TRUE(refused("fastvideo", kInit, R"("sp": 4)", "rank_not_in_any_group"));
  EXPECT_FALSE(refused("fastvideo", kInit, R"("sp": 0)", "rank_not_in_any_group"));
}

TEST(RunCasesTest, StateCasesAreCountedApart) {
  for (const char* api :
       {"get_tp_group_before_init", "initialize_model_parallel_twice",
        "init_distributed_environment_other_world", "initialize_model_parallel_without_environment",
        "init_model_parallel_group_unknown_mode", "initialize_model_parallel_with_foreign_dp",
        "patch_tensor_parallel_group_nested", "maybe_init_after_init"}) {
    const auto cases = Parsed(With("initialize_sequence_parallel_group", api));
    EXPECT_TRUE(IsStateCase(cases[0])) << api;
    EXPECT_EQ(RunCases(cases).Summary(), "golden: 0 passed, 0 failed\nstate: 1 deferred\n");
  }
  EXPECT_FALSE(IsStateCase(Parsed(kTwoRuns)[0]));
}

}  // namespace
}  // namespace muster
