#include "common/support/config_value.h"

#include "gtest/gtest.h"

namespace muster {
namespace {

TEST(ConfigValueTest, WholeNumbersWithinTheirRangeAreRead) {
  int64_t value = 0;
  EXPECT_EQ(ReadInt("-5", {-5, 16}, &value), "");
  EXPECT_EQ(value, -5);
  EXPECT_EQ(ReadInt("16", {-5, 16}, &value), "");
  EXPECT_EQ(value, 16);
  EXPECT_EQ(ReadInt("9223372036854775807", {}, &value), "");
  EXPECT_EQ(value, 9223372036854775807);
}

TEST(ConfigValueTest, OtherNumbersAreRefusedAndLeaveTheValue) {
  int64_t value = 77;
  for (const char* text : {"", " 1", "1 ", "+1", "1.0", "1e3", "0x10", "one", "-", "1_000"}) {
    EXPECT_EQ(ReadInt(text, {}, &value), "is not a whole number") << text;
  }
  EXPECT_EQ(ReadInt("9223372036854775808", {}, &value), "is a number too large to hold");
  EXPECT_EQ(ReadInt("0", {1, 16}, &value), "is too small");
  EXPECT_EQ(ReadInt("17", {1, 16}, &value), "is too large");
  EXPECT_EQ(value, 77);
}

TEST(ConfigValueTest, DurationsNeedAUnit) {
  absl::Duration value;
  EXPECT_EQ(ReadDuration("1m30s", {}, &value), "");
  EXPECT_EQ(value, absl::Seconds(90));
  EXPECT_EQ(ReadDuration("250ms", {}, &value), "");
  EXPECT_EQ(value, absl::Milliseconds(250));
  EXPECT_EQ(ReadDuration("1.5h", {}, &value), "");
  EXPECT_EQ(value, absl::Minutes(90));
  EXPECT_EQ(ReadDuration("30", {}, &value), "has no unit");
  EXPECT_EQ(ReadDuration("0.5", {}, &value), "has no unit");
  EXPECT_EQ(value, absl::Minutes(90));
}

TEST(ConfigValueTest, OtherDurationsAreRefused) {
  absl::Duration value = absl::Seconds(7);
  const DurationRange range = {absl::Seconds(1), absl::Hours(1)};
  for (const char* text : {"", "s", "1 s", "1s ", "1x", "ten seconds"}) {
    EXPECT_EQ(ReadDuration(text, range, &value), "is not a duration") << text;
  }
  EXPECT_EQ(ReadDuration("999ms", range, &value), "is too short");
  EXPECT_EQ(ReadDuration("-5s", {}, &value), "is too short");
  EXPECT_EQ(ReadDuration("61m", range, &value), "is too long");
  EXPECT_EQ(ReadDuration("inf", range, &value), "is too long");
  EXPECT_EQ(value, absl::Seconds(7));
  EXPECT_EQ(ReadDuration("1s", range, &value), "");
  EXPECT_EQ(ReadDuration("1h", range, &value), "");
}

TEST(ConfigValueTest, OnlyTwoWordsAreTruthValues) {
  bool value = false;
  EXPECT_EQ(ReadBool("true", &value), "");
  EXPECT_TRUE(value);
  for (const char* text : {"", "1", "0", "yes", "no", "True", "FALSE"}) {
    EXPECT_EQ(ReadBool(text, &value), "is neither true nor false") << text;
  }
  EXPECT_TRUE(value);
  EXPECT_EQ(ReadBool("false", &value), "");
  EXPECT_FALSE(value);
}

TEST(ConfigValueTest, ChoicesAreTakenAsTheyAreWritten) {
  std::string value = "old";
  EXPECT_EQ(ReadChoice("text", {"json", "text"}, &value), "");
  EXPECT_EQ(value, "text");
  for (const char* text : {"", "Json", "tex", "json,text"}) {
    EXPECT_EQ(ReadChoice(text, {"json", "text"}, &value), "is none of the choices") << text;
  }
  EXPECT_EQ(value, "text");
}

TEST(ConfigValueTest, RangesAreDescribedByTheLimitsTheyHave) {
  EXPECT_EQ(Describe(IntRange()), "a whole number");
  EXPECT_EQ(Describe(IntRange{.least = 1}), "a whole number of 1 or more");
  EXPECT_EQ(Describe(IntRange{.most = 16}), "a whole number of 16 or less");
  EXPECT_EQ(Describe(IntRange{1, 16}), "a whole number from 1 to 16");
  EXPECT_EQ(Describe(DurationRange()), "a duration, such as 30s, 1m30s or 250ms");
  EXPECT_EQ(Describe(DurationRange{absl::Seconds(1), absl::Hours(1)}),
            "a duration from 1s to 1h, such as 30s, 1m30s or 250ms");
}

}  // namespace
}  // namespace muster
