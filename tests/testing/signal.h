#ifndef MUSTER_TESTS_TESTING_SIGNAL_H_
#define MUSTER_TESTS_TESTING_SIGNAL_H_

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/clock_reading.h"
#include "common/base/monitor.h"

namespace muster {

// Something that happens once on one thread of a test and is waited for on others.
//
// What happened before Give() is seen after the wait, by ThreadSanitizer too: the packaged Abseil
// is not built for it, so absl::Notification hides the order of things from it.
//
// Thread safety: any thread, any time.
class Signal {
 public:
  void Give() {
    MonitorLock lock(&monitor_);
    given_ = true;
    monitor_.NotifyAll();
  }

  // Waits until the signal is given. False if `patience` is over before; the default is long enough
  // for any machine under load, so that only a defect waits for it.
  [[nodiscard]] bool Comes(absl::Duration patience = absl::Seconds(30)) {
    const MonotonicTime deadline = ReadMonotonicClock() + patience;
    MonitorLock lock(&monitor_);
    bool in_time = true;
    while (!given_ && in_time) in_time = monitor_.WaitUntil(deadline);
    return given_;
  }

 private:
  Monitor monitor_;
  bool given_ ABSL_GUARDED_BY(monitor_) = false;
};

}  // namespace muster

#endif  // MUSTER_TESTS_TESTING_SIGNAL_H_
