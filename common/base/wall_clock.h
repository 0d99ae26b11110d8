#ifndef MUSTER_COMMON_BASE_WALL_CLOCK_H_
#define MUSTER_COMMON_BASE_WALL_CLOCK_H_

#include <string>

#include "absl/time/time.h"

namespace muster {

// The time of day. For logs and for what people read; never for a decision, since it can be set.
absl::Time ReadWallClock();

// `time` in UTC to the millisecond: "2026-03-02T10:15:04.218Z".
std::string FormatWallClock(absl::Time time);

}  // namespace muster

#endif  // MUSTER_COMMON_BASE_WALL_CLOCK_H_
