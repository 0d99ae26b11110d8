#ifndef MUSTER_COMMON_BASE_STATUS_MACROS_H_
#define MUSTER_COMMON_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Both macros work in functions that return absl::Status or any absl::StatusOr. Payloads of the
// status are kept.

// Evaluates `expression`, an absl::Status, once. Returns it from the enclosing function unless it
// is OK.
#define MUSTER_RETURN_IF_ERROR(expression)           \
  do {                                               \
    ::absl::Status muster_status_ = (expression);    \
    if (!muster_status_.ok()) return muster_status_; \
  } while (false)

// Evaluates `expression`, an absl::StatusOr, once. Returns its status from the enclosing function
// if it holds no value, else moves the value into `target`: a declaration or anything that can be
// assigned. More than one statement, so not for the body of an `if` without braces.
#define MUSTER_ASSIGN_OR_RETURN(target, expression) \
  MUSTER_INTERNAL_ASSIGN_OR_RETURN(MUSTER_INTERNAL_JOIN(muster_or_, __LINE__), target, expression)

#define MUSTER_INTERNAL_JOIN(a, b) MUSTER_INTERNAL_JOIN_EXPANDED(a, b)
#define MUSTER_INTERNAL_JOIN_EXPANDED(a, b) a##b
#define MUSTER_INTERNAL_ASSIGN_OR_RETURN(result, target, expression) \
  auto result = (expression);                                        \
  if (!result.ok()) return std::move(result).status();               \
  target = std::move(result).value()

#endif  // MUSTER_COMMON_BASE_STATUS_MACROS_H_
