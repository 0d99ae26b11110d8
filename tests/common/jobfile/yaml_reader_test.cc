#include "common/jobfile/yaml_reader.h"

#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

YamlNode Plain(std::string_view text) {
  YamlNode node;
  node.kind = YamlNode::Kind::kText;
  node.text = std::string(text);
  return node;
}

TEST(YamlReaderTest, NearestWordTakesFewestChanges) {
  constexpr std::string_view kWords[] = {"worldSize", "spares", "meshes", "groups"};
  EXPECT_EQ(NearestWord("world_size", kWords), "worldSize");
  EXPECT_EQ(NearestWord("WORLDSIZE", kWords), "worldSize");
  EXPECT_EQ(NearestWord("mesh", kWords), "meshes");
  EXPECT_EQ(NearestWord("groop", kWords), "groups");
  EXPECT_EQ(NearestWord("shares", kWords), "spares");
}

TEST(YamlReaderTest, OtherCaseIsNearerThanAnotherLetter) {
  constexpr std::string_view kWords[] = {"hast", "Host"};
  EXPECT_EQ(NearestWord("host", kWords), "Host");
}

TEST(YamlReaderTest, TimesAreReadWithTheirUnits) {
  YamlReader reader("f");
  EXPECT_EQ(reader.Time(Plain("30s"), "t"), absl::Seconds(30));
  EXPECT_EQ(reader.Time(Plain("500ms"), "t"), absl::Milliseconds(500));
  EXPECT_EQ(reader.Time(Plain("2m"), "t"), absl::Minutes(2));
  EXPECT_EQ(reader.Time(Plain("1h30m"), "t"), absl::Minutes(90));
  EXPECT_EQ(reader.Time(Plain("0"), "t"), absl::ZeroDuration());
  EXPECT_THAT(reader.status(), IsOk());
}

TEST(YamlReaderTest, FirstErrorIsKept) {
  YamlReader reader("f");
  reader.Integer(Plain("x"), "first");
  reader.Integer(Plain("y"), "second");
  EXPECT_THAT(reader.status(), StatusIs(StatusCode::kInvalidArgument, HasSubstr("first")));
}

TEST(YamlReaderTest, MissingKeyIsRefusedOnlyWhenNeeded) {
  YamlReader reader("f");
  YamlNode node;
  node.kind = YamlNode::Kind::kMap;
  YamlMap map(reader, node, "spec", {"a"});
  EXPECT_EQ(map.Find("a"), nullptr);
  EXPECT_THAT(reader.status(), IsOk());
  EXPECT_EQ(map.Need("a"), nullptr);
  EXPECT_THAT(reader.status(),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("spec.a is missing")));
}

}  // namespace
}  // namespace muster
