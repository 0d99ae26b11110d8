#ifndef MUSTER_COMMON_BASE_CHECK_H_
#define MUSTER_COMMON_BASE_CHECK_H_

#include <string_view>

namespace muster::internal {

// Prints "FILE:LINE: check failed: CONDITION: MESSAGE" as one line on stderr, then aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition,
                              std::string_view message);

}  // namespace muster::internal

// Ends the process unless `condition` holds. On in every build. For what can only be false through
// a mistake in our own code; wrong input is answered with a status instead.
//
// `message` is anything that converts to std::string_view. It is evaluated only on failure.
#define MUSTER_CHECK(condition, message) \
  ((condition) ? static_cast<void>(0)    \
               : ::muster::internal::CheckFailed(__FILE__, __LINE__, #condition, (message)))

#endif  // MUSTER_COMMON_BASE_CHECK_H_
