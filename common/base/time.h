#ifndef MUSTER_COMMON_BASE_TIME_H_
#define MUSTER_COMMON_BASE_TIME_H_

#include <compare>

#include "absl/time/time.h"

namespace muster {

// A reading of this process's own monotonic clock. Only differences of two readings mean something,
// and only durations cross the wire.
struct MonotonicTime {
  absl::Duration since_start = absl::ZeroDuration();

  friend bool operator==(const MonotonicTime&, const MonotonicTime&) = default;
  friend std::strong_ordering operator<=>(const MonotonicTime& a, const MonotonicTime& b) {
    if (a.since_start < b.since_start) return std::strong_ordering::less;
    if (b.since_start < a.since_start) return std::strong_ordering::greater;
    return std::strong_ordering::equal;
  }
  friend MonotonicTime operator+(MonotonicTime t, absl::Duration d) {
    return MonotonicTime{t.since_start + d};
  }
  friend MonotonicTime operator-(MonotonicTime t, absl::Duration d) {
    return MonotonicTime{t.since_start - d};
  }
  friend absl::Duration operator-(MonotonicTime a, MonotonicTime b) {
    return a.since_start - b.since_start;
  }
};

}  // namespace muster

#endif  // MUSTER_COMMON_BASE_TIME_H_
