#include "common/base/clock_reading.h"

#include <algorithm>

#include "absl/time/time.h"

namespace muster {
namespace {

using SteadyClock = std::chrono::steady_clock;

SteadyClock::time_point FirstReading() {
  static const SteadyClock::time_point first = SteadyClock::now();
  return first;
}

}  // namespace

MonotonicTime ReadMonotonicClock() {
  const SteadyClock::time_point first = FirstReading();
  return MonotonicTime{absl::FromChrono(SteadyClock::now() - first)};
}

SteadyClock::time_point ToSteadyClock(MonotonicTime time) {
  // Far beyond any deadline, and far from where the arithmetic of time points overflows.
  constexpr absl::Duration kFarthest = absl::Hours(24 * 365 * 100);
  const absl::Duration bounded = std::clamp(time.since_start, -kFarthest, kFarthest);
  return FirstReading() + absl::ToChronoNanoseconds(bounded);
}

}  // namespace muster
