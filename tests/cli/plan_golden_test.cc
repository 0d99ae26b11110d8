// What `muster plan` prints, held to files that are written to be read.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/plan_args.h"
#include "cli/plan_output.h"

namespace muster::cli {
namespace {

// A file of tests/cli/plan/ and the arguments that lead to it. Tests run from the root of the tree.
struct Golden {
  std::string file;
  std::string arguments;
};

std::vector<Golden> AllGolden() {
  const std::string wan = "-f tests/cli/plan/wan.yaml";
  const std::string to_sp2 = "--from tests/cli/plan/wan.yaml -f tests/cli/plan/wan-sp2.yaml";
  const std::string to_small = "--from tests/cli/plan/wan.yaml -f tests/cli/plan/wan-small.yaml";
  const std::string omni =
      "--preset vllm-omni --world-size 16 --tensor-parallel-size 2 "
      "--ulysses-degree=2 --cfg-parallel-size 2";
  return {
      {"wan.table", wan},
      {"wan.json", wan + " -o json"},
      {"wan.yaml.out", wan + " -o yaml"},
      {"wan.dot", wan + " -o dot"},
      {"mesh.table", "--mesh dp=2,tp=2 --job tiny --no-headers"},
      {"vllm-omni.table", omni},
      {"wan-sp2.table", to_sp2},
      {"wan-sp2.json", to_sp2 + " -o json"},
      {"wan-sp2.yaml.out", to_sp2 + " -o yaml"},
      {"wan-sp2.dot", to_sp2 + " -o dot"},
      {"wan-sp2-stateless.table", to_sp2 + " --moves-weights none"},
      {"wan-small.table", to_small},
      {"wan-same.table", wan + " --from tests/cli/plan/wan.yaml"},
  };
}

class PlanGoldenTest : public testing::TestWithParam<Golden> {};

// A file that differs is rewritten if MUSTER_UPDATE_GOLDEN is set; read the difference then.
TEST_P(PlanGoldenTest, PrintsAsWritten) {
  const std::string path = absl::StrCat("tests/cli/plan/", GetParam().file);
  std::stringstream written;
  written << std::ifstream(path).rdbuf();
  const auto options = ParsePlanArgs(absl::StrSplit(GetParam().arguments, ' '));
  ASSERT_TRUE(options.ok()) << options.status();
  const absl::StatusOr<std::string> text = PlanOutput(*options);
  ASSERT_TRUE(text.ok()) << text.status();
  if (std::getenv("MUSTER_UPDATE_GOLDEN") != nullptr) {
    if (*text != written.str()) std::ofstream(path) << *text;
    return;
  }
  EXPECT_EQ(*text, written.str()) << "run ./dev golden and read what changed in " << path;
}

INSTANTIATE_TEST_SUITE_P(Files, PlanGoldenTest, testing::ValuesIn(AllGolden()),
                         [](const auto& golden) {
                           std::string name = golden.param.file;
                           for (char& c : name) {
                             if (c == '.' || c == '-') c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace muster::cli
