#include "common/layout/checks.h"

#include <optional>

#include "common/base/error_detail.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/common/layout/layout_examples.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

TEST(CheckDividesTest, EvenPartsPass) {
  EXPECT_THAT(CheckHeadsDivide(24, {"ulysses", 8}), IsOk());
  EXPECT_THAT(CheckHeadsDivide(8, {"ulysses", 8}), IsOk());
  EXPECT_THAT(CheckSequenceDivides(4096, {"sp", 16}), IsOk());
  EXPECT_THAT(CheckDivides("layers", 30, {"pp", 1}), IsOk());
}

TEST(CheckDividesTest, RemainderIsRefusedWithTheEquation) {
  const absl::Status heads = CheckHeadsDivide(24, {"ulysses", 5});
  EXPECT_THAT(heads, HasKind(ErrorKind::kHeadsNotDivisible));
  EXPECT_EQ(heads.message(), "24 heads over ulysses 5: 24 = 5 x 4 + 4, want no remainder");

  const absl::Status sequence = CheckSequenceDivides(4097, {"sp", 2});
  EXPECT_THAT(sequence, HasKind(ErrorKind::kSequenceNotDivisible));
  EXPECT_EQ(sequence.message(),
            "4097 tokens of the sequence over sp 2: 4097 = 2 x 2048 + 1, want no remainder");

  const absl::Status layers = CheckDivides("layers", 3, {"pp", 4});
  EXPECT_THAT(layers, HasKind(ErrorKind::kNotDivisible));
  EXPECT_EQ(layers.message(), "3 layers over pp 4: 3 = 4 x 0 + 3, want no remainder");
}

TEST(CheckDividesTest, SizesBelowOneAreRefused) {
  EXPECT_THAT(CheckHeadsDivide(0, {"tp", 2}), HasKind(ErrorKind::kZeroSize));
  EXPECT_THAT(CheckHeadsDivide(-4, {"tp", 2}), HasKind(ErrorKind::kNegativeSize));
  EXPECT_THAT(CheckSequenceDivides(8, {"sp", 0}), HasKind(ErrorKind::kZeroSize));
  EXPECT_THAT(CheckDivides("layers", 8, {"pp", -1}), HasKind(ErrorKind::kNegativeSize));
}

TEST(CheckCoversTest, GroupsThatHoldEveryRankPass) {
  const ExplicitGroups groups = {.name = "g", .ranks = {Ranks({5, 3}), Ranks({4, 6})}};
  EXPECT_THAT(CheckCovers(groups, {.first = 3, .count = 4}), IsOk());
}

TEST(CheckCoversTest, EveryRankLeftOutIsNamed) {
  const ExplicitGroups groups = {.name = "g", .ranks = {Ranks({0, 1}), Ranks({4})}};

  const absl::Status status = CheckCovers(groups, {.first = 0, .count = 7});

  EXPECT_THAT(status, HasKind(ErrorKind::kRankNotInAnyGroup));
  EXPECT_EQ(status.message(), "groups 'g': ranks 2-3, 5-6 of 7 in none, want every rank in one");
  EXPECT_EQ(DetailOf(status)->ranks, Ranks({2, 3, 5, 6}));
}

}  // namespace
}  // namespace muster
