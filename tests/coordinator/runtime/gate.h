#ifndef MUSTER_TESTS_COORDINATOR_RUNTIME_GATE_H_
#define MUSTER_TESTS_COORDINATOR_RUNTIME_GATE_H_

#include "absl/base/thread_annotations.h"
#include "common/base/monitor.h"

namespace muster::coordinator {

// Something that happens once and that others wait for. May go as soon as a Wait() has returned.
//
// Thread safety: any thread. ThreadSanitizer sees it, unlike the locks of the packaged Abseil.
class Gate {
 public:
  void Open() {
    MonitorLock lock(&monitor_);
    open_ = true;
    monitor_.NotifyAll();
  }

  // Blocks until Open() was called.
  void Wait() {
    MonitorLock lock(&monitor_);
    while (!open_) monitor_.Wait();
  }

 private:
  Monitor monitor_;
  bool open_ ABSL_GUARDED_BY(monitor_) = false;
};

}  // namespace muster::coordinator

#endif  // MUSTER_TESTS_COORDINATOR_RUNTIME_GATE_H_
