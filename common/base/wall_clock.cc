#include "common/base/wall_clock.h"

#include "absl/time/clock.h"

namespace muster {

absl::Time ReadWallClock() { return absl::Now(); }

std::string FormatWallClock(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", time, absl::UTCTimeZone());
}

}  // namespace muster
