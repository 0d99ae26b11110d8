#include "common/support/text_table.h"

#include "gtest/gtest.h"

namespace muster {
namespace {

TextTable Groups() {
  TextTable table({{"Group"}, {"size", Align::kRight}, {"CONDITION"}});
  table.AddRow({"train/dit.sp#0", "2", "Ready"});
  table.AddRow({"train/dit.tp#1", "4096", "Building: waiting for rank 6"});
  return table;
}

TEST(TextTableTest, ColumnsLineUpAndLinesHaveNoTrailingSpaces) {
  EXPECT_EQ(Groups().Render(),
            "GROUP           SIZE  CONDITION\n"
            "train/dit.sp#0     2  Ready\n"
            "train/dit.tp#1  4096  Building: waiting for rank 6\n");
}

TEST(TextTableTest, HiddenHeadersTakeNoRoom) {
  TextTable table({{"A LONG HEADER"}, {"B"}});
  table.AddRow({"w-1", "x"});
  table.AddRow({"w-10", "y"});

  EXPECT_EQ(table.Render(Headers::kHide),
            "w-1   x\n"
            "w-10  y\n");
}

TEST(TextTableTest, WithoutRowsThereAreHeaders) {
  const TextTable table({{"RANK", Align::kRight}, {"WORKER"}});

  EXPECT_EQ(table.Render(), "RANK  WORKER\n");
  EXPECT_EQ(table.Render(Headers::kHide), "");
}

TEST(TextTableTest, AnEmptyCellSaysNone) {
  TextTable table({{"WORKER"}, {"GROUPS"}});
  table.AddRow({"", ""});

  EXPECT_EQ(table.Render(),
            "WORKER  GROUPS\n"
            "<none>  <none>\n");
}

TEST(TextTableTest, WidthsCountLettersNotBytes) {
  TextTable table({{"HOST"}, {"GPU"}});
  table.AddRow(
      {"k\xC3\xBC"
       "che",
       "0"});
  table.AddRow({"kitchen", "1"});

  EXPECT_EQ(table.Render(),
            "HOST     GPU\n"
            "k\xC3\xBC"
            "che    0\n"
            "kitchen  1\n");
}

TEST(TextTableTest, ARowStaysOneLine) {
  TextTable table({{"REASON"}});
  table.AddRow({"first\nsecond\tthird\x1B[31m"});

  EXPECT_EQ(table.Render(Headers::kHide), "first second third [31m\n");
}

TEST(TextTableDeathTest, ARowOfAnotherLengthEndsTheProcess) {
  TextTable table({{"A"}, {"B"}});
  EXPECT_DEATH(table.AddRow({"only one"}), "a cell for each column");
}

TEST(FormatAgeTest, TheTwoLargestUnitsAreShown) {
  EXPECT_EQ(FormatAge(absl::Seconds(41)), "41s");
  EXPECT_EQ(FormatAge(absl::Seconds(192)), "3m12s");
  EXPECT_EQ(FormatAge(absl::Hours(2) + absl::Minutes(11) + absl::Seconds(59)), "2h11m");
  EXPECT_EQ(FormatAge(absl::Hours(24 * 5 + 3) + absl::Minutes(59)), "5d3h");
}

TEST(FormatAgeTest, ASmallerUnitOfZeroIsLeftOut) {
  EXPECT_EQ(FormatAge(absl::Seconds(60)), "1m");
  EXPECT_EQ(FormatAge(absl::Hours(2) + absl::Seconds(59)), "2h");
  EXPECT_EQ(FormatAge(absl::Hours(24) + absl::Minutes(59)), "1d");
}

TEST(FormatAgeTest, LimitsBetweenUnits) {
  EXPECT_EQ(FormatAge(absl::Milliseconds(59'999)), "59s");
  EXPECT_EQ(FormatAge(absl::Seconds(3599)), "59m59s");
  EXPECT_EQ(FormatAge(absl::Seconds(86399)), "23h59m");
}

TEST(FormatAgeTest, OddOnesAreReadable) {
  EXPECT_EQ(FormatAge(absl::ZeroDuration()), "0s");
  EXPECT_EQ(FormatAge(absl::Milliseconds(999)), "0s");
  EXPECT_EQ(FormatAge(-absl::Seconds(5)), "0s");
  EXPECT_EQ(FormatAge(absl::InfiniteDuration()), "<none>");
}

}  // namespace
}  // namespace muster
