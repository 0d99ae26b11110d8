#include "common/base/backoff.h"

#include <algorithm>

#include "common/base/check.h"

namespace muster {

absl::Duration BackoffPause(const BackoffPolicy& policy, int64_t attempt, Random& random) {
  MUSTER_CHECK(policy.first > absl::ZeroDuration(), "the first pause is empty");
  MUSTER_CHECK(policy.longest >= policy.first, "the longest pause is shorter than the first");
  MUSTER_CHECK(policy.growth >= 1, "pauses would shrink");
  MUSTER_CHECK(policy.jitter_percent >= 0 && policy.jitter_percent <= 100,
               "jitter is not a percentage");
  MUSTER_CHECK(attempt >= 1, "there was no attempt to pause after");

  absl::Duration pause = policy.first;
  if (policy.growth > 1) {
    for (int64_t i = 1; i < attempt && pause < policy.longest; ++i) pause *= policy.growth;
  }
  pause = std::min(pause, policy.longest);
  const int64_t jitter_ns = absl::ToInt64Nanoseconds(pause * policy.jitter_percent / 100);
  return pause - absl::Nanoseconds(random.Between(0, jitter_ns));
}

}  // namespace muster
