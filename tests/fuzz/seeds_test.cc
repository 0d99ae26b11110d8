// The seeds of the fuzzer, each played once with any compiler: those called good-* lead to a
// layout, those called bad-* are refused.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/fuzz/plan_job.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> Seeds() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(MUSTER_SEEDS)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class SeedTest : public testing::TestWithParam<std::string> {};

TEST_P(SeedTest, IsPlannedOrRefusedAsItsNameSays) {
  std::stringstream text;
  text << std::ifstream(fs::path(MUSTER_SEEDS) / GetParam(), std::ios::binary).rdbuf();
  const absl::StatusOr<Layout> layout = PlanJob(text.str());
  ASSERT_TRUE(GetParam().rfind("good-", 0) == 0 || GetParam().rfind("bad-", 0) == 0);
  EXPECT_EQ(layout.ok(), GetParam().rfind("good-", 0) == 0) << layout.status();
}

INSTANTIATE_TEST_SUITE_P(Files, SeedTest, testing::ValuesIn(Seeds()), [](const auto& seed) {
  std::string name = seed.param;
  for (char& c : name) {
    if (c == '.' || c == '-') c = '_';
  }
  return name;
});

}  // namespace
}  // namespace muster
