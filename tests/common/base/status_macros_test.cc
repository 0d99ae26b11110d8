#include "common/base/status_macros.h"

#include <memory>
#include <string>

#include "common/base/error_detail.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

absl::Status Forward(const absl::Status& status, int& evaluations, bool& passed) {
  MUSTER_RETURN_IF_ERROR((++evaluations, status));
  passed = true;
  return absl::OkStatus();
}

absl::StatusOr<std::string> ForwardIntoResult(const absl::Status& status) {
  MUSTER_RETURN_IF_ERROR(status);
  return "done";
}

absl::StatusOr<int> Doubled(absl::StatusOr<std::unique_ptr<int>> input) {
  MUSTER_ASSIGN_OR_RETURN(const std::unique_ptr<int> owned, std::move(input));
  int result = 0;
  MUSTER_ASSIGN_OR_RETURN(result, absl::StatusOr<int>(*owned * 2));
  return result;
}

TEST(StatusMacrosTest, OkGoesOn) {
  int evaluations = 0;
  bool passed = false;

  EXPECT_THAT(Forward(absl::OkStatus(), evaluations, passed), IsOk());

  EXPECT_TRUE(passed);
  EXPECT_EQ(evaluations, 1);
}

TEST(StatusMacrosTest, AnErrorReturnsAtOnceWithItsDetail) {
  int evaluations = 0;
  bool passed = false;
  const absl::Status error = MakeError(absl::StatusCode::kNotFound, "no job 'wan'",
                                       {.kind = ErrorKind::kUnknownJob, .job = "wan"});

  const absl::Status returned = Forward(error, evaluations, passed);

  EXPECT_EQ(returned, error);
  EXPECT_THAT(returned, HasKind(ErrorKind::kUnknownJob));
  EXPECT_FALSE(passed);
  EXPECT_EQ(evaluations, 1);
}

TEST(StatusMacrosTest, AnErrorFitsAFunctionWithAResult) {
  EXPECT_THAT(ForwardIntoResult(absl::OkStatus()), IsOkAndHolds("done"));
  EXPECT_THAT(ForwardIntoResult(absl::AbortedError("")), StatusIs(absl::StatusCode::kAborted));
}

TEST(StatusMacrosTest, AValueIsMovedOut) {
  EXPECT_THAT(Doubled(std::make_unique<int>(21)), IsOkAndHolds(42));
}

TEST(StatusMacrosTest, AResultWithoutValueReturnsItsStatus) {
  const absl::Status error = MakeError(absl::StatusCode::kUnavailable, "rank 5 was lost",
                                       {.kind = ErrorKind::kMemberLost, .ranks = {GlobalRank(5)}});

  EXPECT_EQ(Doubled(error).status(), error);
}

}  // namespace
}  // namespace muster
