#ifndef MUSTER_TESTS_TESTING_STATUS_MATCHERS_H_
#define MUSTER_TESTS_TESTING_STATUS_MATCHERS_H_

#include <optional>
#include <string>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/error_detail.h"
#include "gmock/gmock.h"

namespace muster {

namespace internal {

inline const absl::Status& StatusOf(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& result) {
  return result.status();
}

}  // namespace internal

// Matchers of absl::Status and of any absl::StatusOr:
//   EXPECT_THAT(Load(), IsOk());
//   EXPECT_THAT(Load(), IsOkAndHolds(3));
//   EXPECT_THAT(Load(), StatusIs(absl::StatusCode::kNotFound));
//   EXPECT_THAT(Load(), HasKind(ErrorKind::kUnknownJob));

MATCHER(IsOk, negation ? "is not OK" : "is OK") {
  const absl::Status& status = internal::StatusOf(arg);
  *result_listener << "which is " << status.ToString();
  return status.ok();
}

MATCHER_P(StatusIs, code,
          (negation ? "does not have the code " : "has the code ") +
              absl::StatusCodeToString(code)) {
  const absl::Status& status = internal::StatusOf(arg);
  *result_listener << "which is " << status.ToString();
  return status.code() == code;
}

// Also looks at the text, which is for people: only where the text itself is what is tested.
MATCHER_P2(StatusIs, code, message,
           (negation ? "does not have the code " : "has the code ") +
               absl::StatusCodeToString(code) + " and a message that " +
               testing::DescribeMatcher<std::string>(message)) {
  const absl::Status& status = internal::StatusOf(arg);
  *result_listener << "which is " << status.ToString();
  return status.code() == code && testing::Matches(testing::SafeMatcherCast<std::string>(message))(
                                      std::string(status.message()));
}

MATCHER_P(HasKind, kind,
          (negation ? "is not of the kind " : "is of the kind ") + std::string(KindName(kind))) {
  const std::optional<ErrorDetail> detail = DetailOf(internal::StatusOf(arg));
  if (!detail.has_value()) {
    *result_listener << "which has no detail: " << internal::StatusOf(arg).ToString();
    return false;
  }
  *result_listener << "which is of the kind " << KindName(detail->kind);
  return detail->kind == kind;
}

// Matches an absl::StatusOr that holds a value matched by `value`.
MATCHER_P(IsOkAndHolds, value,
          (negation ? "is not OK or holds no value that " : "is OK and holds a value that ") +
              testing::DescribeMatcher<typename std::decay_t<arg_type>::value_type>(value)) {
  if (!arg.ok()) {
    *result_listener << "which is " << arg.status().ToString();
    return false;
  }
  return testing::ExplainMatchResult(value, *arg, result_listener);
}

}  // namespace muster

#endif  // MUSTER_TESTS_TESTING_STATUS_MATCHERS_H_
