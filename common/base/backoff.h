#ifndef MUSTER_COMMON_BASE_BACKOFF_H_
#define MUSTER_COMMON_BASE_BACKOFF_H_

#include <cstdint>

#include "absl/time/time.h"
#include "common/base/random.h"

namespace muster {

// How pauses between attempts grow.
struct BackoffPolicy {
  absl::Duration first = absl::Milliseconds(100);  // Above zero.
  absl::Duration longest = absl::Seconds(10);      // At least `first`.
  int64_t growth = 2;                              // Each pause over the one before; at least 1.
  int64_t jitter_percent = 50;  // 0..100: the part of a pause that chance may take away.
};

// The pause before attempt `attempt` + 1, after `attempt` >= 1 that did not succeed.
//
// Without jitter: first, first * growth, first * growth^2 ... up to `longest`. Chance shortens each
// by up to jitter_percent, so that many who failed together do not come back together.
absl::Duration BackoffPause(const BackoffPolicy& policy, int64_t attempt, Random& random);

}  // namespace muster

#endif  // MUSTER_COMMON_BASE_BACKOFF_H_
