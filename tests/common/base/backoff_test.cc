#include "common/base/backoff.h"

#include <set>

#include "gtest/gtest.h"

namespace muster {
namespace {

constexpr BackoffPolicy kSteady = {.first = absl::Milliseconds(100),
                                   .longest = absl::Milliseconds(950),
                                   .growth = 3,
                                   .jitter_percent = 0};

TEST(BackoffTest, WithoutJitterPausesGrowUpToTheLongest) {
  Random random(1);

  EXPECT_EQ(BackoffPause(kSteady, 1, random), absl::Milliseconds(100));
  EXPECT_EQ(BackoffPause(kSteady, 2, random), absl::Milliseconds(300));
  EXPECT_EQ(BackoffPause(kSteady, 3, random), absl::Milliseconds(900));
  EXPECT_EQ(BackoffPause(kSteady, 4, random), absl::Milliseconds(950));
  EXPECT_EQ(BackoffPause(kSteady, 1'000'000'000'000, random), absl::Milliseconds(950));
}

TEST(BackoffTest, GrowthOfOneKeepsThePause) {
  Random random(2);
  BackoffPolicy policy = kSteady;
  policy.growth = 1;

  EXPECT_EQ(BackoffPause(policy, 1'000'000'000'000, random), absl::Milliseconds(100));
}

TEST(BackoffTest, JitterShortensAndSpreads) {
  Random random(3);
  BackoffPolicy policy = kSteady;
  policy.jitter_percent = 40;
  std::set<absl::Duration> pauses;
  for (int i = 0; i < 1000; ++i) pauses.insert(BackoffPause(policy, 2, random));

  EXPECT_GE(*pauses.begin(), absl::Milliseconds(180));
  EXPECT_LT(*pauses.begin(), absl::Milliseconds(190));
  EXPECT_GT(*pauses.rbegin(), absl::Milliseconds(290));
  EXPECT_LE(*pauses.rbegin(), absl::Milliseconds(300));
  EXPECT_GT(pauses.size(), 990u);
}

TEST(BackoffTest, OneSeedGivesOneRowOfPauses) {
  Random a(4);
  Random b(4);
  const BackoffPolicy policy;

  for (int attempt = 1; attempt < 20; ++attempt) {
    EXPECT_EQ(BackoffPause(policy, attempt, a), BackoffPause(policy, attempt, b));
  }
}

TEST(BackoffDeathTest, APolicyThatCannotBeEndsTheProcess) {
  Random random(5);
  BackoffPolicy policy = kSteady;
  policy.longest = absl::Milliseconds(99);
  EXPECT_DEATH(BackoffPause(policy, 1, random), "shorter than the first");
  policy = kSteady;
  policy.jitter_percent = 101;
  EXPECT_DEATH(BackoffPause(policy, 1, random), "not a percentage");
  EXPECT_DEATH(BackoffPause(kSteady, 0, random), "no attempt");
}

}  // namespace
}  // namespace muster
