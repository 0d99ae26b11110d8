#include "common/wire/text.h"

#include "gtest/gtest.h"

namespace muster {
namespace {

TEST(TextTest, LettersOfEveryLengthAreUtf8) {
  for (const char* text :
       {"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(IsUtf8(text)) << testing::PrintToString(std::string(text));
    EXPECT_EQ(FitText(text, 8), text);
  }
  EXPECT_TRUE(IsUtf8(std::string_view("\0b", 2)));
}

TEST(TextTest, WhatIsNoLetterIsNotUtf8) {
  for (const char* text :
       {"\x80", "\xbf", "a\xff", "\xc0\xaf", "\xc1\xbf", "\xc2", "\xc2z", "\xe0\x9f\xbf",
        "\xe2\x82", "\xe2\x82z", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\xf0\x9f\x98"}) {
    EXPECT_FALSE(IsUtf8(text)) << testing::PrintToString(std::string(text));
    EXPECT_TRUE(IsUtf8(FitText(text, 8)));
  }
}

TEST(TextTest, BytesThatAreNoLetterBecomeQuestionMarks) {
  EXPECT_EQ(FitText("a\xff\xc3\xa9\xe2\x82z", 100), "a?\xc3\xa9??z");
}

TEST(TextTest, LongTextIsCutAtTheEndOfALetter) {
  EXPECT_EQ(FitText("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(FitText("abcdefghi", 8), "abcde...");
  EXPECT_EQ(FitText("abcd\xc3\xa9gh!", 8), "abcd...");
  EXPECT_EQ(FitText("abcde", 3), "...");
}

}  // namespace
}  // namespace muster
