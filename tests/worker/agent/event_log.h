#ifndef MUSTER_TESTS_WORKER_AGENT_EVENT_LOG_H_
#define MUSTER_TESTS_WORKER_AGENT_EVENT_LOG_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/clock_reading.h"
#include "common/base/monitor.h"
#include "worker/agent/event_sink.h"

namespace muster::worker {

// Collects what a part of the agent posts. Any thread, any time.
class EventLog {
 public:
  EventSink sink() {
    return [this](Event event) {
      MonitorLock lock(&monitor_);
      events_.push_back(std::move(event));
      monitor_.NotifyAll();
    };
  }

  // Waits until there are `count` events, for at most 30 s, and gives all there are.
  std::vector<Event> WaitFor(size_t count) {
    const MonotonicTime deadline = ReadMonotonicClock() + absl::Seconds(30);
    MonitorLock lock(&monitor_);
    bool in_time = true;
    while (events_.size() < count && in_time) in_time = monitor_.WaitUntil(deadline);
    return events_;
  }

 private:
  Monitor monitor_;
  std::vector<Event> events_ ABSL_GUARDED_BY(monitor_);
};

}  // namespace muster::worker

#endif  // MUSTER_TESTS_WORKER_AGENT_EVENT_LOG_H_
