#include "common/base/monitor.h"

#include "common/base/clock_reading.h"

namespace muster {

void Monitor::Wait() {
  std::unique_lock<std::mutex> lock(mu_, std::adopt_lock);
  changed_.wait(lock);
  lock.release();  // The caller still holds it.
}

bool Monitor::WaitUntil(MonotonicTime deadline) {
  std::unique_lock<std::mutex> lock(mu_, std::adopt_lock);
  const std::cv_status status = changed_.wait_until(lock, ToSteadyClock(deadline));
  lock.release();
  return status == std::cv_status::no_timeout;
}

}  // namespace muster
