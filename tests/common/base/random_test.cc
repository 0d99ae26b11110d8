#include "common/base/random.h"

#include <array>
#include <limits>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster {
namespace {

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();

TEST(RandomTest, OneSeedGivesOneSequence) {
  Random a(71);
  Random b(71);
  Random c(72);

  for (int i = 0; i < 100; ++i) {
    const uint64_t drawn = a.Next();
    EXPECT_EQ(drawn, b.Next());
    EXPECT_NE(drawn, c.Next());
  }
}

TEST(RandomTest, TheSequenceIsTheStandardOne) {
  // The C++ standard names this value, so a seed means the same with every library.
  Random random(5489);
  uint64_t last = 0;
  for (int i = 0; i < 10000; ++i) last = random.Next();

  EXPECT_EQ(last, 9981545732273789042u);
}

TEST(RandomTest, UniformHitsEveryNumberAboutEquallyOften) {
  Random random(3);
  std::array<int, 7> hits = {};
  for (int i = 0; i < 70000; ++i) ++hits.at(random.Uniform(7));

  // 10000 expected each; the standard deviation is 93.
  for (const int count : hits) EXPECT_NEAR(count, 10000, 600);
}

TEST(RandomTest, UniformOfALargeRangeIsNotBent) {
  // Two thirds of what 64 bits can say: without dropping draws, the lower half would come twice as
  // often as the upper one.
  constexpr uint64_t kThird = std::numeric_limits<uint64_t>::max() / 3;
  Random random(11);
  int lower = 0;
  for (int i = 0; i < 10000; ++i) lower += random.Uniform(2 * kThird) < kThird ? 1 : 0;

  EXPECT_NEAR(lower, 5000, 300);
}

TEST(RandomTest, UniformOfOneIsZero) {
  Random random(4);
  EXPECT_EQ(random.Uniform(1), 0u);
}

TEST(RandomTest, BetweenReachesBothEndsAndNothingElse) {
  Random random(5);
  std::set<int64_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(random.Between(-2, 1));

  EXPECT_THAT(seen, testing::ElementsAre(-2, -1, 0, 1));
}

TEST(RandomTest, BetweenTakesTheWholeType) {
  Random random(6);
  bool negative = false;
  bool positive = false;
  for (int i = 0; i < 100; ++i) {
    const int64_t drawn = random.Between(kLowest, kHighest);
    negative |= drawn < 0;
    positive |= drawn > 0;
  }

  EXPECT_TRUE(negative && positive);
  EXPECT_EQ(random.Between(kLowest, kLowest), kLowest);
  EXPECT_EQ(random.Between(kHighest, kHighest), kHighest);
}

TEST(RandomTest, ChanceIsAPercentage) {
  Random random(7);
  int often = 0;
  for (int i = 0; i < 10000; ++i) {
    EXPECT_FALSE(random.Chance(0));
    EXPECT_TRUE(random.Chance(100));
    often += random.Chance(30) ? 1 : 0;
  }

  EXPECT_NEAR(often, 3000, 280);
}

TEST(RandomTest, AForkIsUntouchedByItsOrigin) {
  Random origin(8);
  Random twin(8);
  Random fork = origin.Fork();
  Random fork_of_twin = twin.Fork();
  origin.Next();

  EXPECT_EQ(fork.Next(), fork_of_twin.Next());
  EXPECT_NE(fork.Next(), origin.Next());
}

TEST(RandomDeathTest, AnEmptyChoiceEndsTheProcess) {
  Random random(9);
  EXPECT_DEATH(random.Uniform(0), "nothing to choose from");
  EXPECT_DEATH(random.Between(1, 0), "the range is empty");
}

TEST(RandomTest, TheSystemGivesDifferentNumbers) {
  std::set<uint64_t> drawn;
  for (int i = 0; i < 100; ++i) {
    drawn.insert(SystemSeed());
    drawn.insert(DrawNonZero64());
  }

  EXPECT_EQ(drawn.size(), 200u);
  EXPECT_FALSE(drawn.contains(0));
}

}  // namespace
}  // namespace muster
