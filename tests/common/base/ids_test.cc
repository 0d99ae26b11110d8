#include "common/base/ids.h"

#include <sstream>
#include <type_traits>

#include "absl/hash/hash.h"
#include "common/base/time.h"
#include "gtest/gtest.h"

namespace muster {
namespace {

static_assert(!std::is_convertible_v<GlobalRank, GroupRank>);
static_assert(!std::is_constructible_v<GlobalRank, GroupRank>);
static_assert(!std::is_convertible_v<int32_t, GlobalRank>);
static_assert(!std::is_convertible_v<GlobalRank, int32_t>);

TEST(IdsTest, AFreshIdIsZero) { EXPECT_EQ(Epoch(), Epoch(0)); }

TEST(IdsTest, IdsAreOrderedByValue) {
  EXPECT_LT(Epoch(2), Epoch(10));
  EXPECT_GT(GlobalRank(0), GlobalRank(-1));
  EXPECT_NE(Term(4), Term(5));
}

TEST(IdsTest, PrintingGivesTheBareNumber) {
  std::ostringstream out;
  out << GlobalRank(7) << ' ' << Incarnation(18446744073709551615u);

  EXPECT_EQ(out.str(), "7 18446744073709551615");
  EXPECT_EQ(ToString(Epoch(-3)), "-3");
}

TEST(IdsTest, EqualIdsHashAlikeAndOthersApart) {
  EXPECT_EQ(absl::HashOf(GlobalRank(7)), absl::HashOf(GlobalRank(7)));
  EXPECT_NE(absl::HashOf(GlobalRank(7)), absl::HashOf(GlobalRank(8)));
}

TEST(MonotonicTimeTest, DifferencesAndSumsGoTogether) {
  const MonotonicTime start{absl::Seconds(5)};
  const MonotonicTime later = start + absl::Milliseconds(250);

  EXPECT_EQ(later - start, absl::Milliseconds(250));
  EXPECT_EQ(later - absl::Milliseconds(250), start);
  EXPECT_LT(start, later);
  EXPECT_GE(later, later);
}

}  // namespace
}  // namespace muster
