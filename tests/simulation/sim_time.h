#ifndef MUSTER_TESTS_SIMULATION_SIM_TIME_H_
#define MUSTER_TESTS_SIMULATION_SIM_TIME_H_

#include <cstdint>

#include "absl/time/time.h"
#include "common/base/time.h"

namespace muster::sim {

// The time that the simulated world agrees on, in microseconds since it began. No process sees it.
using Micros = int64_t;

inline Micros ToMicros(absl::Duration duration) { return absl::ToInt64Microseconds(duration); }

// The monotonic clock of one process: it began at some reading and runs a little fast or slow.
class ProcessClock {
 public:
  ProcessClock() = default;

  // Shows `first_reading` at true time 0 and `permille` thousandths of a second each second.
  ProcessClock(Micros first_reading, int64_t permille)
      : first_reading_(first_reading), permille_(permille) {}

  MonotonicTime At(Micros true_time) const {
    return MonotonicTime{absl::Microseconds(first_reading_ + true_time * permille_ / 1000)};
  }

  // How much true time passes while this clock advances by `local`, rounded up.
  Micros TrueSpan(absl::Duration local) const { return ToMicros(local) * 1000 / permille_ + 1; }

 private:
  Micros first_reading_ = 0;
  int64_t permille_ = 1000;
};

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_SIM_TIME_H_
