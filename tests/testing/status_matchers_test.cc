#include "tests/testing/status_matchers.h"

#include <memory>

#include "gtest/gtest.h"

namespace muster {
namespace {

using testing::DescribeMatcher;
using testing::Eq;
using testing::ExplainMatchResult;
using testing::HasSubstr;
using testing::Not;
using testing::Pointee;
using testing::StringMatchResultListener;

absl::Status Lost() {
  return MakeError(absl::StatusCode::kUnavailable, "rank 5 was lost",
                   {.kind = ErrorKind::kMemberLost});
}

TEST(StatusMatchersTest, IsOkLooksAtStatusesAndResults) {
  EXPECT_THAT(absl::OkStatus(), IsOk());
  EXPECT_THAT(absl::StatusOr<int>(4), IsOk());
  EXPECT_THAT(Lost(), Not(IsOk()));
  EXPECT_THAT(absl::StatusOr<int>(Lost()), Not(IsOk()));
}

TEST(StatusMatchersTest, StatusIsComparesTheCodeAndOnRequestTheText) {
  EXPECT_THAT(Lost(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(Lost(), Not(StatusIs(absl::StatusCode::kAborted)));
  EXPECT_THAT(absl::StatusOr<int>(Lost()),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("5")));
  EXPECT_THAT(Lost(), Not(StatusIs(absl::StatusCode::kUnavailable, HasSubstr("6"))));
  EXPECT_THAT(Lost(), Not(StatusIs(absl::StatusCode::kAborted, HasSubstr("5"))));
  EXPECT_THAT(absl::StatusOr<int>(4), StatusIs(absl::StatusCode::kOk));
}

TEST(StatusMatchersTest, HasKindComparesTheKindOfTheDetail) {
  EXPECT_THAT(Lost(), HasKind(ErrorKind::kMemberLost));
  EXPECT_THAT(absl::StatusOr<int>(Lost()), HasKind(ErrorKind::kMemberLost));
  EXPECT_THAT(Lost(), Not(HasKind(ErrorKind::kMemberSuspect)));
  EXPECT_THAT(absl::UnavailableError(""), Not(HasKind(ErrorKind::kUnknown)));
  EXPECT_THAT(absl::OkStatus(), Not(HasKind(ErrorKind::kUnknown)));
}

TEST(StatusMatchersTest, IsOkAndHoldsLooksInside) {
  EXPECT_THAT(absl::StatusOr<int>(4), IsOkAndHolds(4));
  EXPECT_THAT(absl::StatusOr<int>(4), Not(IsOkAndHolds(5)));
  EXPECT_THAT(absl::StatusOr<int>(Lost()), Not(IsOkAndHolds(4)));
  EXPECT_THAT(absl::StatusOr<std::unique_ptr<int>>(std::make_unique<int>(6)),
              IsOkAndHolds(Pointee(6)));
}

TEST(StatusMatchersTest, AMismatchSaysWhatItSaw) {
  StringMatchResultListener listener;
  EXPECT_FALSE(ExplainMatchResult(IsOk(), Lost(), &listener));
  EXPECT_THAT(listener.str(), HasSubstr("rank 5 was lost"));

  StringMatchResultListener kinds;
  EXPECT_FALSE(ExplainMatchResult(HasKind(ErrorKind::kStaleEpoch), Lost(), &kinds));
  EXPECT_THAT(kinds.str(), HasSubstr("member_lost"));

  EXPECT_EQ(DescribeMatcher<absl::Status>(HasKind(ErrorKind::kStaleEpoch)),
            "is of the kind stale_epoch");
  EXPECT_EQ(DescribeMatcher<absl::StatusOr<int>>(IsOkAndHolds(Eq(4))),
            "is OK and holds a value that is equal to 4");
}

}  // namespace
}  // namespace muster
