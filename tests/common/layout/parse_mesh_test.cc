#include "common/layout/parse_mesh.h"

#include <string>

#include "common/layout/layout.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

TEST(ParseMeshTest, ReadsDimsSlowestFirst) {
  const MeshSpec wanted = {.name = "main", .dims = {{"dp", 2}, {"cfg-sp", 4}, {"tp", 1}}};
  EXPECT_THAT(ParseMesh("dp=2,cfg-sp=4,tp=1"), IsOkAndHolds(wanted));
}

TEST(ParseMeshTest, SkipsSpacesAroundNamesAndSizes) {
  const MeshSpec wanted = {.name = "main", .dims = {{"dp", 2}, {"tp", 3}}};
  EXPECT_THAT(ParseMesh(" dp = 2 , tp=3 "), IsOkAndHolds(wanted));
}

TEST(ParseMeshTest, OneDimIsAMesh) {
  const MeshSpec wanted = {.name = "main", .dims = {{"tp", 8}}};
  EXPECT_THAT(ParseMesh("tp=8"), IsOkAndHolds(wanted));
}

TEST(ParseMeshTest, RefusesOtherForms) {
  for (const char* text :
       {"", " ", ",", "dp", "dp=2,", ",dp=2", "dp=2,,tp=2", "=2", "dp=", "dp=two", "dp=2.0",
        "dp=2=2", "dp=2 2", "dp=99999999999", "dp 2", "dp=2;tp=2"}) {
    EXPECT_THAT(ParseMesh(text), HasKind(ErrorKind::kInvalidRequest)) << "'" << text << "'";
  }
}

TEST(ParseMeshTest, MessageNamesTheItemAndTheReason) {
  EXPECT_THAT(ParseMesh("dp=2,tp").status().message(), "dimension 'tp': no '=', want NAME=SIZE");
  EXPECT_THAT(ParseMesh("dp=2,=3").status().message(),
              "dimension '=3': no name before '=', want NAME=SIZE");
  EXPECT_THAT(ParseMesh("dp=x,tp=2").status().message(),
              "dimension 'dp=x': size 'x', want a whole number of at most 32 bits");
}

TEST(ParseMeshTest, RefusesTextAboveTheLimit) {
  std::string text = "tp=2";
  text.append(kMeshTextBytesMax - text.size(), ' ');
  EXPECT_THAT(ParseMesh(text), IsOk());
  EXPECT_THAT(ParseMesh(text + " "), HasKind(ErrorKind::kLimitExceeded));
}

// What has the right form but makes no layout is refused with the layout.
TEST(ParseMeshTest, LeavesSizesAndNamesToTheLayout) {
  struct Case {
    const char* text;
    ErrorKind kind;
  };
  for (const Case& c :
       {Case{"dp=0,tp=2", ErrorKind::kZeroSize}, Case{"dp=-1,tp=2", ErrorKind::kNegativeSize},
        Case{"DP=1,tp=2", ErrorKind::kInvalidName}, Case{"tp=1,tp=2", ErrorKind::kDuplicateName},
        Case{"dp=2,tp=2", ErrorKind::kProductMismatch}}) {
    const absl::StatusOr<MeshSpec> mesh = ParseMesh(c.text);
    ASSERT_THAT(mesh, IsOk()) << c.text;
    EXPECT_THAT(Layout::Create({.world_size = 2, .meshes = {*mesh}}), HasKind(c.kind)) << c.text;
  }
}

}  // namespace
}  // namespace muster
