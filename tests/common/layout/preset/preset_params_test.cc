#include "common/layout/preset/preset_params.h"

#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using absl::StatusCode;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

PresetSpec Spec(std::vector<PresetParam> params) {
  return {.name = "xdit", .params = std::move(params)};
}

std::vector<std::vector<int64_t>> Values(const std::vector<std::vector<GlobalRank>>& lists) {
  std::vector<std::vector<int64_t>> values;
  for (const auto& list : lists) {
    values.emplace_back();
    for (const GlobalRank rank : list) values.back().push_back(rank.value);
  }
  return values;
}

TEST(PresetParamsTest, GivesValuesByNameAndType) {
  const PresetSpec spec = Spec({{"a", int64_t{-7}},
                                {"b", true},
                                {"c", std::string("tp-dp")},
                                {"d", std::string(" [ 3 ,-4]")},
                                {"e", std::string("[[5, 2] ,[], [9]]")}});
  PresetParams params(spec);

  EXPECT_EQ(params.Int("a"), -7);
  EXPECT_EQ(params.Int("a", 3), -7);
  EXPECT_TRUE(params.Flag("b", false));
  EXPECT_EQ(params.Text("c"), "tp-dp");
  EXPECT_THAT(*params.Ints("d"), ElementsAre(3, -4));
  EXPECT_THAT(Values(*params.RankLists("e")),
              ElementsAre(ElementsAre(5, 2), ElementsAre(), ElementsAre(9)));
  EXPECT_THAT(params.Finish(), IsOk());
}

TEST(PresetParamsTest, GivesNothingOrTheFallbackForAbsentOnes) {
  const PresetSpec spec = Spec({});
  PresetParams params(spec);

  EXPECT_EQ(params.Int("a"), std::nullopt);
  EXPECT_EQ(params.Int("a", 3), 3);
  EXPECT_TRUE(params.Flag("b", true));
  EXPECT_EQ(params.Text("c"), std::nullopt);
  EXPECT_EQ(params.Ints("d"), std::nullopt);
  EXPECT_EQ(params.RankLists("e"), std::nullopt);
  EXPECT_THAT(params.Finish(), IsOk());
}

TEST(PresetParamsTest, HyphensInNamesMeanUnderscores) {
  const PresetSpec spec = Spec({{"tensor-parallel-size", int64_t{4}}});
  PresetParams params(spec);

  EXPECT_EQ(params.Int("tensor_parallel_size"), 4);
  EXPECT_THAT(params.Finish(), IsOk());
}

TEST(PresetParamsTest, EmptyListsAreLists) {
  const PresetSpec spec = Spec({{"d", std::string("[]")}, {"e", std::string("[ ]")}});
  PresetParams params(spec);

  EXPECT_THAT(*params.Ints("d"), ElementsAre());
  EXPECT_THAT(*params.RankLists("e"), ElementsAre());
}

TEST(PresetParamsTest, WrongTypesAreRefusedWithTheValue) {
  struct Case {
    PresetParam param;
    const char* shown;
    void (*ask)(PresetParams& params);
  };
  const auto as_int = [](PresetParams& params) { params.Int("a", 1); };
  const auto as_flag = [](PresetParams& params) { params.Flag("a", false); };
  const auto as_text = [](PresetParams& params) { params.Text("a"); };
  const auto as_ints = [](PresetParams& params) { params.Ints("a"); };
  const auto as_ranks = [](PresetParams& params) { params.RankLists("a"); };
  const Case cases[] = {
      {{"a", std::string("two")}, "'a' is 'two', want a whole number", as_int},
      {{"a", 2.5}, "'a' is 2.5, want a whole number", as_int},
      {{"a", true}, "'a' is true, want a whole number", as_int},
      {{"a", int64_t{1}}, "'a' is 1, want true or false", as_flag},
      {{"a", false}, "'a' is false, want a text", as_text},
      {{"a", int64_t{2}}, "'a' is 2, want a list of whole numbers", as_ints},
      {{"a", std::string("2, 4")}, "'a' is '2, 4', want a list of", as_ints},
      {{"a", std::string("[2, 4")}, "'a' is '[2, 4', want a list of", as_ints},
      {{"a", std::string("[2,]")}, "'a' is '[2,]', want a list of", as_ints},
      {{"a", std::string("[2] 3")}, "'a' is '[2] 3', want a list of", as_ints},
      {{"a", std::string("[2 4]")}, "'a' is '[2 4]', want a list of", as_ints},
      {{"a", std::string("[x]")}, "'a' is '[x]', want a list of", as_ints},
      {{"a", std::string("[[2]]")}, "'a' is '[[2]]', want a list of", as_ints},
      {{"a", std::string("[1, 2]")}, "'a' is '[1, 2]', want lists of ranks", as_ranks},
      {{"a", std::string("[[2147483648]]")}, "want lists of ranks", as_ranks},
      {{"a", std::string("[[-2147483649]]")}, "want lists of ranks", as_ranks},
      {{"a", int64_t{3}}, "'a' is 3, want lists of ranks", as_ranks},
  };
  for (const Case& c : cases) {
    const PresetSpec spec = Spec({c.param});
    PresetParams params(spec);
    c.ask(params);
    EXPECT_THAT(params.Finish(),
                StatusIs(StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("preset 'xdit': parameter "), HasSubstr(c.shown))));
    EXPECT_THAT(params.Finish(), HasKind(ErrorKind::kInvalidRequest));
  }
}

TEST(PresetParamsTest, NamesThatNobodyAskedForAreRefusedWithThoseKnown) {
  const PresetSpec spec = Spec({{"b", int64_t{1}}, {"x", int64_t{2}}});
  PresetParams params(spec);
  params.Int("a");
  params.Flag("b", false);

  EXPECT_THAT(params.Finish(), StatusIs(StatusCode::kInvalidArgument,
                                        HasSubstr("has no parameter 'x', want one of: a, b")));
  EXPECT_THAT(params.Finish(), HasKind(ErrorKind::kUnknownName));
}

TEST(PresetParamsTest, NamesGivenTwiceAreRefused) {
  const PresetSpec spec = Spec({{"ring_degree", int64_t{1}}, {"ring-degree", int64_t{1}}});
  PresetParams params(spec);
  params.Int("ring_degree");

  EXPECT_THAT(params.Finish(), HasKind(ErrorKind::kDuplicateName));
}

TEST(PresetParamsTest, MoreParametersThanTheLimitAreRefused) {
  PresetSpec spec = Spec({});
  for (int i = 0; i <= kPresetParamsMax; ++i) {
    spec.params.push_back({"p" + std::to_string(i), int64_t{i}});
  }
  EXPECT_THAT(PresetParams(spec).Finish(), HasKind(ErrorKind::kLimitExceeded));
}

}  // namespace
}  // namespace muster
