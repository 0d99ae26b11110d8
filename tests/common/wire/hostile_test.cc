// Bytes that no peer of ours would send: whatever they are, reading them ends with a value that can
// be written and read again, or with a refusal.

#include <string>

#include "common/wire/assignment.h"
#include "common/wire/error.h"
#include "common/wire/report.h"
#include "gmock/gmock.h"
#include "google/protobuf/stubs/logging.h"
#include "gtest/gtest.h"
#include "tests/common/wire/random_values.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

constexpr int kMutations = 3000;

// Changes, removes or repeats a few bytes.
std::string Mutate(Random& random, std::string bytes) {
  for (int64_t left = random.Between(1, 6); left > 0 && !bytes.empty(); --left) {
    const auto place = static_cast<size_t>(random.Uniform(bytes.size()));
    switch (random.Uniform(4)) {
      case 0:
        bytes[place] = static_cast<char>(random.Uniform(256));
        break;
      case 1:
        bytes[place] = static_cast<char>(bytes[place] ^ (1 << random.Uniform(8)));
        break;
      case 2:
        bytes.erase(place, static_cast<size_t>(random.Between(1, 8)));
        break;
      default:
        bytes.insert(place, bytes.substr(place, static_cast<size_t>(random.Between(1, 8))));
        break;
    }
  }
  return bytes;
}

// Reads mutations of what `draw` gives; tells how many were read without an error.
template <typename Message, typename Draw>
int ReadMutations(uint64_t seed, Draw draw) {
  const google::protobuf::LogSilencer quiet;  // About text that is no UTF-8.
  Random random(seed);
  int accepted = 0;
  for (int i = 0; i < kMutations; ++i) {
    Message wire;
    if (!wire.ParseFromString(Mutate(random, ToProto(draw(random)).SerializeAsString()))) continue;
    const auto value = FromProto(wire);
    if (!value.ok()) {
      EXPECT_TRUE(DetailOf(value.status()).has_value()) << "mutation " << i << " of seed " << seed;
      continue;
    }
    ++accepted;
    EXPECT_THAT(FromProto(ToProto(*value)), IsOk()) << "mutation " << i << " of seed " << seed;
  }
  return accepted;
}

TEST(WireHostileTest, MutatedHellosAreReadOrRefused) {
  const int accepted = ReadMutations<v1::Hello>(51, RandomHello);
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, kMutations);
}

TEST(WireHostileTest, MutatedReportsAreReadOrRefused) {
  const int accepted = ReadMutations<v1::Report>(52, RandomReport);
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, kMutations);
}

TEST(WireHostileTest, MutatedAssignmentsAreReadOrRefused) {
  const int accepted = ReadMutations<v1::Assignment>(53, RandomAssignment);
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, kMutations);
}

TEST(WireHostileTest, MutatedErrorsAreReadOrRefused) {
  const int accepted = ReadMutations<v1::ErrorDetail>(54, RandomErrorDetail);
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, kMutations);
}

TEST(WireHostileTest, NoBytesOfDetailsHideACode) {
  Random random(55);
  for (int i = 0; i < kMutations; ++i) {
    std::string bytes(static_cast<size_t>(random.Uniform(64)), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.Uniform(256));
    EXPECT_THAT(DecodeStatus(14, "gone", bytes), StatusIs(absl::StatusCode::kUnavailable));
  }
}

}  // namespace
}  // namespace muster
