#include "common/base/natural_order.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::Key;

// Ascending. Every pair is compared both ways, so the list also tests transitivity.
const std::vector<std::string> kAscending = {
    "",
    "0",
    "00",
    "1",
    "01",
    "001",
    "2",
    "10",
    "10a",
    "18446744073709551615",
    "18446744073709551616",
    "100000000000000000000000",
    "A1",
    "a",
    "a-1",
    "a0",
    "a1b2",
    "a1b02",
    "a01b2",
    "a01b02",
    "a1b3",
    "a2",
    "a10",
    "aa",
    "gpu-2",
    "gpu-2-1",
    "gpu-02-1",
    "gpu-2-10",
    "gpu-10-1",
    "n2",
    "n10",
    "\x80",
};

TEST(NaturalOrderTest, EveryPairOfTheListComparesAsItStands) {
  for (size_t i = 0; i < kAscending.size(); ++i) {
    for (size_t j = 0; j < kAscending.size(); ++j) {
      EXPECT_EQ(CompareNatural(kAscending[i], kAscending[j]), i <=> j)
          << "'" << kAscending[i] << "' and '" << kAscending[j] << "'";
    }
  }
}

TEST(NaturalOrderTest, ContainersSortByIt) {
  const std::map<std::string, int, NaturalLess> hosts = {{"n10", 1}, {"n9", 2}, {"n1", 3}};

  EXPECT_THAT(hosts, ElementsAre(Key("n1"), Key("n9"), Key("n10")));
  EXPECT_TRUE(hosts.contains(std::string_view("n9")));
}

}  // namespace
}  // namespace muster
