#include "common/base/check.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace muster {
namespace {

TEST(CheckTest, ATrueConditionDoesNotEvenMakeTheMessage) {
  int messages = 0;
  const auto message = [&messages] { return absl::StrCat("message ", ++messages); };

  MUSTER_CHECK(messages == 0, message());

  EXPECT_EQ(messages, 0);
}

TEST(CheckTest, TheConditionIsEvaluatedOnce) {
  int evaluations = 0;

  MUSTER_CHECK(++evaluations == 1, "evaluated twice");

  EXPECT_EQ(evaluations, 1);
}

TEST(CheckTest, ItIsOneStatement) {
  const bool reached = true;
  if (reached)
    MUSTER_CHECK(reached, "not reached");
  else
    FAIL() << "the else belongs to the if";
}

TEST(CheckDeathTest, AFalseOneSaysWhereAndWhatAndAborts) {
  const int seats = 3;
  EXPECT_EXIT(MUSTER_CHECK(seats > 4, absl::StrCat("only ", seats)),
              testing::KilledBySignal(SIGABRT),
              "check_test\\.cc:[0-9]+: check failed: seats > 4: only 3\n");
}

}  // namespace
}  // namespace muster
