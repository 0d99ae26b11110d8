// Job files that were damaged at random: each is read or refused, and none ends the process.

#include <string>
#include <vector>

#include "common/base/error_detail.h"
#include "common/base/random.h"
#include "common/jobfile/jobfile.h"
#include "common/wire/job_spec.h"
#include "gtest/gtest.h"
#include "tests/common/jobfile/example_job.h"

namespace muster {
namespace {

constexpr int kFiles = 2000;

// What files are made of, besides letters.
constexpr std::string_view kPieces[] = {":",        ": ",
                                        "\n",       "\n  ",
                                        "- ",       "[",
                                        "]",        "{",
                                        "}",        ",",
                                        "\"",       "'",
                                        "#",        "&a ",
                                        "*a",       "!x ",
                                        "!2",       "!!int ",
                                        "|\n",      ">\n",
                                        "? ",       "~",
                                        "null",     "---\n",
                                        "...\n",    "%YAML 1.2\n",
                                        "<<: ",     "0x10",
                                        "-1",       "99999999999",
                                        "1e999",    "=",
                                        "\t",       "\r",
                                        "\\",       "\xff",
                                        "\xc3\xa9", "\xef\xbb\xbf",
                                        "@",        "`",
                                        "%"};

void Damage(Random& random, std::string& file) {
  const auto place = static_cast<size_t>(random.Uniform(file.size() + 1));
  const auto length = static_cast<size_t>(random.Between(1, 12));
  switch (random.Uniform(5)) {
    case 0:
      file.insert(place, kPieces[random.Uniform(std::size(kPieces))]);
      break;
    case 1:
      file.erase(place, length);
      break;
    case 2:
      file.insert(place, file.substr(random.Uniform(file.size() + 1), length * 4));
      break;
    case 3:
      file.insert(place, 1, static_cast<char>(random.Uniform(256)));
      break;
    default:
      file.resize(std::max(place, file.size() / 2));
      break;
  }
}

TEST(JobFileMutationTest, DamagedFilesAreReadOrRefused) {
  int read = 0;
  for (uint64_t seed = 0; seed < kFiles; ++seed) {
    Random random(seed);
    std::string file(kExampleJob);
    for (int64_t left = random.Between(1, 4); left > 0; --left) Damage(random, file);
    SCOPED_TRACE(testing::Message() << "seed " << seed << "\n" << file);

    const absl::StatusOr<v1::JobSpec> spec = ParseJobFile(file, "wan.yaml");

    if (spec.ok()) {
      ++read;
      std::string bytes;
      EXPECT_TRUE(spec->SerializeToString(&bytes));
      v1::JobSpec again;
      EXPECT_TRUE(again.ParseFromString(bytes));
      FromProto(again).status().IgnoreError();
    } else {
      EXPECT_EQ(spec.status().code(), absl::StatusCode::kInvalidArgument);
      EXPECT_EQ(spec.status().message().substr(0, 9), "wan.yaml:");
      EXPECT_TRUE(DetailOf(spec.status()).has_value());
    }
  }
  EXPECT_GT(read, kFiles / 50);
  EXPECT_LT(read, kFiles);
}

}  // namespace
}  // namespace muster
