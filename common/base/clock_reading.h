#ifndef MUSTER_COMMON_BASE_CLOCK_READING_H_
#define MUSTER_COMMON_BASE_CLOCK_READING_H_

#include <chrono>

#include "common/base/time.h"

namespace muster {

// Reads the monotonic clock of the machine, counted from the first reading in this process. For
// Clock and Monitor; everything else is given a Clock or a reading.
MonotonicTime ReadMonotonicClock();

// The same point in time for the waits of the standard library. Times too far away for it become
// the farthest that it can wait for.
std::chrono::steady_clock::time_point ToSteadyClock(MonotonicTime time);

}  // namespace muster

#endif  // MUSTER_COMMON_BASE_CLOCK_READING_H_
