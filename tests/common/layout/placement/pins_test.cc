#include "common/layout/placement/pins.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(PinsTest, LinesAreReadAndOrderedByRank) {
  const std::vector<Pin> wanted = {
      {.rank = GlobalRank(0), .host = "gpu-1", .device_index = 3},
      {.rank = GlobalRank(2), .host = "gpu-7"},
      {.rank = GlobalRank(5), .host = "gpu-1", .device_index = 0},
  };
  EXPECT_THAT(ParsePins("# rank host device\n5 gpu-1 0\n\n  2\tgpu-7  # any device\r\n0 gpu-1 3",
                        "pins.txt", 6),
              IsOkAndHolds(wanted));
}

TEST(PinsTest, NothingPinsNothing) {
  EXPECT_THAT(ParsePins("", "pins.txt", 1), IsOkAndHolds(std::vector<Pin>()));
}

TEST(PinsTest, RefusalsSayTheLineAndTheRule) {
  const struct {
    std::string text;
    ErrorKind kind;
    std::string message;
  } cases[] = {
      {"0", ErrorKind::kInvalidRequest, "1 words"},
      {"0 n1 2 3", ErrorKind::kInvalidRequest, "4 words"},
      {"-1 n1", ErrorKind::kInvalidRequest, "rank '-1'"},
      {"01 n1", ErrorKind::kInvalidRequest, "rank '01'"},
      {"0 n1 gpu", ErrorKind::kInvalidRequest, "device 'gpu'"},
      {"4 n1", ErrorKind::kIndexOutOfLayout, "rank 4, want a rank below 4"},
      {"99999999999 n1", ErrorKind::kInvalidRequest, "rank '99999999999'"},
      {"1 n1\n1 n2", ErrorKind::kDuplicateRank, "rank 1 a second time"},
      {"1 n1 0\n3 n1 0", ErrorKind::kDuplicateRank, "for rank 3, which has rank 1"},
      {"0 " + std::string(254, 'n'), ErrorKind::kLimitExceeded, "254 bytes"},
  };
  for (const auto& each : cases) {
    const auto pins = ParsePins("2 n9\n" + each.text, "pins.txt", 4);
    EXPECT_THAT(pins, HasKind(each.kind)) << each.text;
    EXPECT_THAT(std::string(pins.status().message()), HasSubstr(each.message));
    EXPECT_THAT(std::string(pins.status().message()), StartsWith("pins.txt:"));
  }
}

TEST(PinsTest, ErrorNamesTheLineAsAnEditorCountsIt) {
  EXPECT_THAT(std::string(ParsePins("0 n1\n\n# more\n1\n", "p", 4).status().message()),
              StartsWith("p:4: "));
}

}  // namespace
}  // namespace muster
