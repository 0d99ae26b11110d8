#include "common/rpc/identity.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster {
namespace {

using testing::Optional;

TEST(IdentityTest, EveryRoleHasItsUri) {
  EXPECT_EQ(IdentityUri("td", {Role::kCoordinator, "", ""}), "spiffe://td/muster/coordinator");
  EXPECT_EQ(IdentityUri("td", {Role::kAdmin, "", ""}), "spiffe://td/muster/admin");
  EXPECT_EQ(IdentityUri("td", {Role::kWorker, "wan", ""}), "spiffe://td/muster/job/wan");
  EXPECT_EQ(IdentityUri("td", {Role::kWorker, "wan", "dit-0/gpu-6"}),
            "spiffe://td/muster/job/wan/worker/dit-0/gpu-6");
}

TEST(IdentityTest, UrisAreReadAsTheyAreWritten) {
  for (const Identity& identity :
       {Identity{Role::kCoordinator, "", ""}, Identity{Role::kAdmin, "", ""},
        Identity{Role::kWorker, "wan", ""}, Identity{Role::kWorker, "lm", "w3"},
        Identity{Role::kWorker, "lm", "a b,URI:c%2f/\xc3\xa9\x01"}}) {
    EXPECT_THAT(ParseIdentity(IdentityUri("a.b", identity)), Optional(identity));
  }
}

TEST(IdentityTest, BytesThatEndANameAreEscaped) {
  EXPECT_EQ(IdentityUri("td", {Role::kWorker, "j", "a,URI:b"}),
            "spiffe://td/muster/job/j/worker/a%2cURI%3ab");
}

TEST(IdentityTest, OtherUrisAreNoIdentity) {
  for (const char* uri :
       {"", "spiffe://", "spiffe:///muster/admin", "spiffe://td", "spiffe://td/admin",
        "https://td/muster/admin", "spiffe://td/muster/admin/", "spiffe://td/muster/Admin",
        "spiffe://td/muster/job/", "spiffe://td/muster/job//worker/w",
        "spiffe://td/muster/job/j/worker/", "spiffe://td/muster/job/j/worker",
        "spiffe://td/muster/job/j/w", "spiffe://td/muster/job/j/worker/a%2",
        "spiffe://td/muster/job/j/worker/a%zz", "spiffe://td/x/muster/admin"}) {
    EXPECT_EQ(ParseIdentity(uri), std::nullopt) << uri;
  }
}

TEST(IdentityTest, OneCoordinatorAmongTheNamesIsEnough) {
  EXPECT_TRUE(NamesCoordinator({"https://x", "spiffe://td/muster/coordinator"}));
  EXPECT_FALSE(
      NamesCoordinator({"spiffe://td/muster/admin", "spiffe://td/muster/job/coordinator"}));
  EXPECT_FALSE(NamesCoordinator({}));
}

}  // namespace
}  // namespace muster
