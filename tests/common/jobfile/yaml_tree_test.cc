#include "common/jobfile/yaml_tree.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using absl::StatusCode;
using testing::HasSubstr;
using testing::StartsWith;

TEST(YamlTreeTest, ValuesKeepTheirKindTextAndPlace) {
  const absl::StatusOr<YamlNode> root = ParseYaml("a: 1\nb: [x, \"y\", ~]\n", "f");

  ASSERT_THAT(root, IsOk());
  ASSERT_EQ(root->kind, YamlNode::Kind::kMap);
  ASSERT_EQ(root->entries.size(), 2u);
  EXPECT_EQ(root->entries[0].key, "a");
  EXPECT_EQ(root->entries[0].value.text, "1");
  EXPECT_FALSE(root->entries[0].value.quoted);
  EXPECT_EQ(root->entries[1].place, (YamlPlace{.line = 2, .column = 1}));
  const YamlNode& list = root->entries[1].value;
  ASSERT_EQ(list.kind, YamlNode::Kind::kList);
  EXPECT_EQ(list.place, (YamlPlace{.line = 2, .column = 4}));
  ASSERT_EQ(list.items.size(), 3u);
  EXPECT_EQ(list.items[1].text, "y");
  EXPECT_TRUE(list.items[1].quoted);
  EXPECT_EQ(list.items[1].place, (YamlPlace{.line = 2, .column = 8}));
  EXPECT_EQ(list.items[2].kind, YamlNode::Kind::kNull);
}

TEST(YamlTreeTest, KeyTwiceInOneMapIsRefusedWithBothLines) {
  const absl::Status status = ParseYaml("a: 1\nb: 2\na: 3\n", "f").status();
  EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument,
                               StartsWith("f:3:1: the key 'a' is here again after line 1")));
  EXPECT_THAT(status, HasKind(ErrorKind::kDuplicateName));
}

TEST(YamlTreeTest, SameKeyInTwoMapsIsFine) {
  EXPECT_THAT(ParseYaml("- {a: 1, b: {a: 2}}\n- {a: 3}\n", "f"), IsOk());
}

TEST(YamlTreeTest, AnchorsAliasesAndTagsAreRefused) {
  const char* files[] = {"a: &x 1\n",        "a: &x [1]\n",       "a: &x {b: 1}\n",
                         "a: &x 1\nb: *x\n", "a: !!int 1\n",      "a: !mine [1]\n",
                         "a: &x\n",          "&x a: 1\n",         "!!map {a: 1}\n",
                         "a: !<tag:x> 1\n",  "a: !!binary aGk=\n"};
  for (const char* file : files) {
    EXPECT_THAT(ParseYaml(file, "f"), HasKind(ErrorKind::kInvalidRequest)) << file;
  }
}

TEST(YamlTreeTest, BombOfAliasesIsRefused) {
  std::string file = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    absl::StrAppend(&file, "a", i, ": &a", i, " [");
    for (int j = 0; j < 9; ++j) absl::StrAppend(&file, j == 0 ? "" : ", ", "*a", i - 1);
    absl::StrAppend(&file, "]\n");
  }
  EXPECT_THAT(ParseYaml(file, "f"), StatusIs(StatusCode::kInvalidArgument, HasSubstr("anchor")));
}

TEST(YamlTreeTest, NestingUpToTheLimitIsRead) {
  const auto nested = [](int depth) {
    return std::string(static_cast<size_t>(depth), '[') +
           std::string(static_cast<size_t>(depth), ']');
  };
  EXPECT_THAT(ParseYaml(nested(kYamlDepthMax), "f"), IsOk());
  EXPECT_THAT(ParseYaml(nested(kYamlDepthMax + 1), "f"), HasKind(ErrorKind::kLimitExceeded));
}

TEST(YamlTreeTest, HundredThousandBracketsEndInAnError) {
  for (const char* bracket : {"[", "{", "- ", "? ", "[{a: "}) {
    std::string file;
    for (int i = 0; i < 100000; ++i) file.append(bracket);
    EXPECT_THAT(ParseYaml(file, "f"), StatusIs(StatusCode::kInvalidArgument)) << bracket;
  }
}

TEST(YamlTreeTest, KeysThatAreNoTextAreRefused) {
  for (const char* file : {"? [a]\n: 1\n", "? {a: 1}\n: 1\n", "~: 1\n", ": 1\n"}) {
    EXPECT_THAT(ParseYaml(file, "f"), StatusIs(StatusCode::kInvalidArgument)) << file;
  }
}

TEST(YamlTreeTest, WhatIsNoYamlIsRefusedWithItsLine) {
  EXPECT_THAT(ParseYaml("a: 1\nb: [1, 2\nc: 3\n", "f"),
              StatusIs(StatusCode::kInvalidArgument, StartsWith("f:3:")));
  for (const char* file : {"a: \"open", "a: \"open\n", "a: 'open\n\n", "a: \"open\nb: 2\n  \n"}) {
    EXPECT_THAT(ParseYaml(file, "f"), StatusIs(StatusCode::kInvalidArgument, HasSubstr("not YAML")))
        << file;
  }
}

TEST(YamlTreeTest, BytesThatAreNoUtf8AreRefused) {
  EXPECT_THAT(ParseYaml("a: \xff\n", "f"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("UTF-8")));
  EXPECT_THAT(ParseYaml("a: \xc3\xa9\n", "f"), IsOk());
}

}  // namespace
}  // namespace muster
