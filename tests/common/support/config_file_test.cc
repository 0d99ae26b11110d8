#include "common/support/config_file.h"

#include <cstdio>
#include <fstream>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster {

bool operator==(const FileValue& a, const FileValue& b) {
  return a.text == b.text && a.line == b.line;
}

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr char kKind[] = "CoordinatorConfiguration";

class ConfigFileTest : public testing::Test {
 protected:
  ~ConfigFileTest() override { std::remove(path_.c_str()); }

  absl::StatusOr<std::map<std::string, FileValue>> Read(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return ReadConfigFile(path_, kKind);
  }

  // Expects that `text` is refused with `line` and `what` in the message.
  void ExpectRefused(const std::string& text, const std::string& line, const std::string& what) {
    const auto result = Read(text);
    EXPECT_THAT(result, HasKind(ErrorKind::kConfigInvalid)) << text;
    EXPECT_THAT(result, StatusIs(absl::StatusCode::kInvalidArgument,
                                 AllOf(HasSubstr(absl::StrCat("file ", path_, line, ": ")),
                                       HasSubstr(what))))
        << text;
  }

  const std::string path_ =
      absl::StrCat(testing::TempDir(), "config_file_test_", DrawNonZero64(), ".yaml");
};

TEST_F(ConfigFileTest, PlainValuesComeWithTheirLines) {
  const auto values = Read(
      "# a comment\n"
      "apiVersion: muster/v1\n"
      "kind: CoordinatorConfiguration\n"
      "recovery: 30s\n"
      "\n"
      "listen: \"gpu-1:7070\"\n"
      "jobs-max: 16\n");

  EXPECT_THAT(values, IsOkAndHolds(ElementsAre(Pair("jobs-max", FileValue{"16", 7}),
                                               Pair("listen", FileValue{"gpu-1:7070", 6}),
                                               Pair("recovery", FileValue{"30s", 4}))));
}

TEST_F(ConfigFileTest, AKeyWithoutValueIsEmpty) {
  for (const char* text : {"job:\n", "job: ~\n", "job: \"\"\n", "job: null\n"}) {
    EXPECT_THAT(Read(text), IsOkAndHolds(ElementsAre(Pair("job", FileValue{"", 1})))) << text;
  }
}

TEST_F(ConfigFileTest, WhatIsNotOneMappingIsRefused) {
  for (const char* text : {"", "# nothing\n", "- a\n- b\n", "just words\n", "a: 1\n---\nb: 2\n"}) {
    ExpectRefused(text, "", "want one mapping");
  }
}

TEST_F(ConfigFileTest, WhatIsNotYamlIsRefusedWithTheLine) {
  ExpectRefused("job: wan\nlisten: [1, 2\n", ":3", "is not YAML");
  ExpectRefused("job: wan\n\tlisten: x\n", ":2", "is not YAML");
}

TEST_F(ConfigFileTest, ListsAndMappingsAreNoValues) {
  ExpectRefused("job: wan\nlisten: [1, 2]\n", ":2", "key 'listen': want a plain value");
  ExpectRefused("listen: {port: 7070}\n", ":1", "key 'listen': want a plain value");
  ExpectRefused("[a, b]: c\n", ":1", "a key is not a plain word");
}

TEST_F(ConfigFileTest, AKeyTwiceIsRefused) {
  ExpectRefused("job: wan\nrecovery: 30s\njob: lm\n", ":3", "key 'job' appears twice");
}

TEST_F(ConfigFileTest, AnotherKindOrVersionIsRefused) {
  ExpectRefused("job: wan\nkind: Job\n", ":2", "kind is 'Job', want 'CoordinatorConfiguration'");
  ExpectRefused("apiVersion: muster/v2\n", ":1", "apiVersion is 'muster/v2', want 'muster/v1'");
}

TEST_F(ConfigFileTest, AFileThatIsNotThereIsNamed) {
  EXPECT_THAT(ReadConfigFile("/nowhere/muster.yaml", kKind),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/nowhere/muster.yaml")));
  EXPECT_THAT(ReadConfigFile(testing::TempDir(), kKind), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(ConfigFileTest, AFileBeyondTheLimitIsRefused) {
  std::string text = "job: wan\n#";
  text.resize(kConfigFileMaxBytes, 'x');
  EXPECT_THAT(Read(text), IsOk());
  ExpectRefused(text + "x", "", "is larger than 1048576 bytes");
}

}  // namespace
}  // namespace muster
