#ifndef MUSTER_COMMON_BASE_CLOCK_H_
#define MUSTER_COMMON_BASE_CLOCK_H_

#include <cstdint>
#include <functional>
#include <map>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "common/base/ids.h"
#include "common/base/monitor.h"
#include "common/base/time.h"

namespace muster {

// Names one RunAt() of one clock. Never used twice.
using TimerId = TaggedId<struct TimerIdTag, uint64_t>;

// Where a shell gets its time from: RealClock in a process, ManualClock in a test. Cores have no
// clock; they are handed the reading.
//
// Thread safety: every method may be called from any thread, also from inside a callback.
class Clock {
 public:
  virtual ~Clock() = default;

  virtual MonotonicTime Now() const = 0;

  // Runs `callback` once, at `when` or as soon after as the clock's thread is free; a time that has
  // passed means at once, but not inside this call. Callbacks run one at a time, ordered by time
  // and then by registration, with no lock of the clock held. They must not block: the next one
  // waits for them.
  virtual TimerId RunAt(MonotonicTime when, std::function<void()> callback) = 0;

  // Takes a callback back. When this returns, the callback of `timer` neither runs nor will run, so
  // what it refers to may go. Blocks while the callback runs, except inside that callback itself. A
  // timer that has run or is unknown is no error.
  virtual void Cancel(TimerId timer) = 0;
};

// The monotonic clock of the machine, with a thread of its own for callbacks.
//
// Lifetime: the destructor waits for a running callback and drops those not yet due. It must not be
// called from a callback.
class RealClock final : public Clock {
 public:
  RealClock();
  ~RealClock() override;
  RealClock(const RealClock&) = delete;
  RealClock& operator=(const RealClock&) = delete;

  MonotonicTime Now() const override;
  TimerId RunAt(MonotonicTime when, std::function<void()> callback) override;
  void Cancel(TimerId timer) override;

 private:
  // Due time, then order of registration.
  using Key = std::pair<MonotonicTime, TimerId>;

  void RunTimers();

  Monitor monitor_;
  std::map<Key, std::function<void()>> due_ ABSL_GUARDED_BY(monitor_);
  std::map<TimerId, MonotonicTime> when_ ABSL_GUARDED_BY(monitor_);  // Of every entry of due_.
  TimerId last_ ABSL_GUARDED_BY(monitor_);
  TimerId running_ ABSL_GUARDED_BY(monitor_);  // 0: no callback runs.
  bool stopping_ ABSL_GUARDED_BY(monitor_) = false;
  std::thread thread_;
};

}  // namespace muster

#endif  // MUSTER_COMMON_BASE_CLOCK_H_
