#include "common/support/log.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "common/base/error_detail.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

absl::Time TestTime() {
  return absl::FromCivil(absl::CivilSecond(2026, 3, 2, 10, 15, 4), absl::UTCTimeZone()) +
         absl::Milliseconds(218);
}

// Catches the log of the process for the length of a test.
class LogTest : public testing::Test {
 protected:
  LogTest() { Use(LogFormat::kJson); }
  ~LogTest() override { SetUpLog({}); }

  void Use(LogFormat format, LogLevel level = LogLevel::kInfo) {
    SetUpLog({.level = level,
              .format = format,
              .component = "coordinator",
              .out = &out_,
              .now = TestTime});
  }

  // What was logged since the last call.
  std::string Taken() {
    std::string text = out_.str();
    out_.str("");
    return text;
  }

 private:
  std::ostringstream out_;
};

TEST_F(LogTest, JsonHasTheFieldsInTheirFixedOrder) {
  Log(LogLevel::kInfo, "group.epoch_began")
      .With("was", 3)
      .Group("dit.tp#1")
      .Worker("w-2c")
      .Rank(GlobalRank(2))
      .With("cause", "member_lost")
      .Epoch(Epoch(4))
      .Job("train")
      .With("silent_s", 10.2);

  EXPECT_EQ(Taken(),
            R"({"ts":"2026-03-02T10:15:04.218Z","level":"info","event":"group.epoch_began",)"
            R"("component":"coordinator","job":"train","epoch":4,"rank":2,"worker":"w-2c",)"
            R"("group":"dit.tp#1","was":3,"cause":"member_lost","silent_s":10.2})"
            "\n");
}

TEST_F(LogTest, TextHasLevelTimeAndPlaceAndTheSameOrder) {
  Use(LogFormat::kText);
  const int line = __LINE__ + 1;
  Log(LogLevel::kWarning, "group.member_replaced")
      .With("cause", "no answer")
      .Rank(GlobalRank(2))
      .Job("train");

  EXPECT_EQ(Taken(), "W 2026-03-02T10:15:04.218Z log_test.cc:" + std::to_string(line) +
                         " group.member_replaced job=train rank=2 cause=\"no answer\"\n");
}

TEST_F(LogTest, EveryLevelHasItsNameAndLetter) {
  Use(LogFormat::kJson, LogLevel::kDebug);
  const std::vector<std::pair<LogLevel, std::string>> levels = {{LogLevel::kDebug, "debug"},
                                                                {LogLevel::kInfo, "info"},
                                                                {LogLevel::kWarning, "warning"},
                                                                {LogLevel::kError, "error"}};
  for (const auto& [level, name] : levels) {
    EXPECT_EQ(LogLevelName(level), name);
    EXPECT_EQ(ParseLogLevel(name), level);
    Log(level, "test.event");
    EXPECT_THAT(Taken(), HasSubstr("\"level\":\"" + name + "\""));
  }
  EXPECT_EQ(ParseLogLevel("Info"), std::nullopt);
  EXPECT_EQ(ParseLogLevel(""), std::nullopt);
}

TEST_F(LogTest, WhatIsLessUrgentThanTheLevelIsNotWritten) {
  Use(LogFormat::kJson, LogLevel::kWarning);
  Log(LogLevel::kDebug, "test.debug").Job("train");
  Log(LogLevel::kInfo, "test.info").With("key", 1).Error(absl::AbortedError("x"));
  EXPECT_EQ(Taken(), "");

  Log(LogLevel::kWarning, "test.warning");
  EXPECT_THAT(Taken(), HasSubstr("test.warning"));
}

TEST_F(LogTest, TheLevelChangesAtRunTime) {
  Log(LogLevel::kDebug, "test.before");
  SetLogLevel(LogLevel::kDebug);
  EXPECT_EQ(CurrentLogLevel(), LogLevel::kDebug);
  Log(LogLevel::kDebug, "test.during");
  SetLogLevel(LogLevel::kError);
  Log(LogLevel::kWarning, "test.after");

  const std::string text = Taken();
  EXPECT_THAT(text, HasSubstr("test.during"));
  EXPECT_THAT(text, testing::Not(HasSubstr("test.before")));
  EXPECT_THAT(text, testing::Not(HasSubstr("test.after")));
}

TEST_F(LogTest, EveryTypeOfValueIsWrittenAsWhatItIs) {
  Log(LogLevel::kInfo, "test.event")
      .With("text", std::string("a b"))
      .With("view", std::string_view("c"))
      .With("literal", "d")
      .With("yes", true)
      .With("small", int8_t{-7})
      .With("id", Epoch(12))
      .With("duration_s", absl::Milliseconds(1500))
      .With("third", 1.0 / 3)
      .With("nan", std::nan(""))
      .With("infinite_s", absl::InfiniteDuration());

  EXPECT_THAT(Taken(), HasSubstr(R"("text":"a b","view":"c","literal":"d","yes":true,)"
                                 R"("small":-7,"id":12,"duration_s":1.5,)"
                                 R"("third":0.3333333333333333,"nan":"nan","infinite_s":"inf"})"));
}

TEST_F(LogTest, NumbersThatReadersOfJsonWouldRoundAreText) {
  Log(LogLevel::kInfo, "test.event")
      .With("exact", int64_t{9007199254740992})
      .With("exact_negative", int64_t{-9007199254740992})
      .With("beyond", int64_t{9007199254740993})
      .With("lowest", std::numeric_limits<int64_t>::min())
      .With("incarnation", Incarnation(18446744073709551615u));

  EXPECT_THAT(Taken(), HasSubstr(R"("exact":9007199254740992,"exact_negative":-9007199254740992,)"
                                 R"("beyond":"9007199254740993","lowest":"-9223372036854775808",)"
                                 R"("incarnation":"18446744073709551615"})"));
}

TEST_F(LogTest, AnErrorIsWrittenWithItsKind) {
  Log(LogLevel::kError, "test.event")
      .Error(MakeError(absl::StatusCode::kUnavailable, "rank 5 was lost",
                       {.kind = ErrorKind::kMemberLost}));
  EXPECT_THAT(Taken(), HasSubstr(R"("err":"UNAVAILABLE: rank 5 was lost","kind":"member_lost"})"));

  Log(LogLevel::kError, "test.event").Error(absl::NotFoundError("no file"));
  EXPECT_THAT(Taken(), HasSubstr(R"("err":"NOT_FOUND: no file"})"));
}

TEST_F(LogTest, HostileTextStaysOneLineOfValidJson) {
  std::string hostile = "quote\" backslash\\ newline\n return\r tab\t nul";
  hostile.push_back('\0');
  hostile += "bell\x07 delete\x7F \xC3\xA9 \xF0\x9F\x90\xA6 end";

  Log(LogLevel::kInfo, "test.event").Job(hostile).With(hostile, hostile);

  const std::string text = Taken();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  const nlohmann::json parsed = nlohmann::json::parse(text);
  EXPECT_EQ(parsed["job"], hostile);
  EXPECT_EQ(parsed[hostile], hostile);
}

TEST_F(LogTest, BytesThatAreNoTextAreReplaced) {
  // A lone continuation, an overlong slash, half a pair, one beyond the last letter, a cut letter.
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a\x80z", "a\uFFFDz"},
      {"a\xC0\xAFz", "a\uFFFD\uFFFDz"},
      {"a\xE0\x80\xAFz", "a\uFFFD\uFFFD\uFFFDz"},
      {"a\xED\xA0\x80z", "a\uFFFD\uFFFD\uFFFDz"},
      {"a\xF4\x90\x80\x80z", "a\uFFFD\uFFFD\uFFFD\uFFFDz"},
      {"a\xF0\x80\x80\x80z", "a\uFFFD\uFFFD\uFFFD\uFFFDz"},
      {"a\xFFz", "a\uFFFDz"},
      {"a\xE2\x82", "a\uFFFD\uFFFD"},
      {"a\xE2\x82\xACz", "a\u20ACz"},
  };
  for (const auto& [bytes, expected] : cases) {
    Log(LogLevel::kInfo, "test.event").With("key", bytes);
    EXPECT_EQ(nlohmann::json::parse(Taken())["key"], expected);
  }
}

TEST_F(LogTest, LongValuesAreCutBetweenLetters) {
  std::string text(kLogValueMaxBytes - 1, 'x');
  text += "\u20AC\u20AC";
  Log(LogLevel::kInfo, "test.event").With("key", text).With("fits", text.substr(0, 4095) + "y");

  const nlohmann::json parsed = nlohmann::json::parse(Taken());
  EXPECT_EQ(parsed["key"], std::string(kLogValueMaxBytes - 1, 'x') + "\u20AC...");
  EXPECT_EQ(parsed["fits"], std::string(kLogValueMaxBytes - 1, 'x') + "y");
}

TEST_F(LogTest, TextQuotesOnlyWhatWouldBeMisread) {
  Use(LogFormat::kText);
  Log(LogLevel::kInfo, "test.event")
      .With("plain", "wan/dit.sp#1")
      .With("empty", "")
      .With("equals", "a=b")
      .With("line", "a\nb")
      .With("escape", "\x1B[31m");

  EXPECT_THAT(Taken(), HasSubstr(" test.event plain=wan/dit.sp#1 empty=\"\" equals=\"a=b\" "
                                 "line=\"a\\nb\" escape=\"\\u001b[31m\"\n"));
}

TEST_F(LogTest, TextIsNeverTakenForAFormat) {
  Log(LogLevel::kInfo, "test.{}").With("key", "{} {0} %s %v");
  EXPECT_THAT(Taken(), HasSubstr(R"("event":"test.{}","component":"coordinator",)"
                                 R"("key":"{} {0} %s %v"})"));
}

TEST_F(LogTest, LinesOfSeveralThreadsDoNotMix) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 200; ++i) Log(LogLevel::kInfo, "test.event").With("thread", t);
    });
  }
  for (std::thread& thread : threads) thread.join();

  std::vector<int> lines(4, 0);
  for (const absl::string_view line : absl::StrSplit(Taken(), '\n', absl::SkipEmpty())) {
    ++lines.at(nlohmann::json::parse(std::string(line))["thread"].get<size_t>());
  }
  EXPECT_THAT(lines, ElementsAre(200, 200, 200, 200));
}

TEST(LogDefaultTest, WithoutSetUpItIsInfoOnStderr) {
  SetUpLog({});
  testing::internal::CaptureStderr();
  Log(LogLevel::kDebug, "test.debug");
  Log(LogLevel::kInfo, "test.info");
  const std::string text = testing::internal::GetCapturedStderr();

  const nlohmann::json parsed = nlohmann::json::parse(text);
  EXPECT_EQ(parsed["event"], "test.info");
  EXPECT_FALSE(parsed.contains("component"));
}

}  // namespace
}  // namespace muster
