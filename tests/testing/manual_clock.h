#ifndef MUSTER_TESTS_TESTING_MANUAL_CLOCK_H_
#define MUSTER_TESTS_TESTING_MANUAL_CLOCK_H_

#include <algorithm>
#include <functional>
#include <map>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/monitor.h"

namespace muster {

// A clock that stands still until a test moves it, so that hours pass in no time.
//
// Moving it runs what falls due on the thread that moves it: ordered by time and then by
// registration, with Now() at the time each callback was meant for. A callback registered for a
// time that has passed waits for the next move, which may be one of zero.
//
// Thread safety: as Clock; Advance() from one thread at a time, and not from a callback.
class ManualClock final : public Clock {
 public:
  MonotonicTime Now() const override {
    MonitorLock lock(&monitor_);
    return now_;
  }

  TimerId RunAt(MonotonicTime when, std::function<void()> callback) override {
    MonitorLock lock(&monitor_);
    ++last_.value;
    timers_.emplace(last_, Timer{std::max(when, now_), std::move(callback)});
    return last_;
  }

  void Cancel(TimerId timer) override {
    std::function<void()> taken;  // Destroyed after the lock.
    MonitorLock lock(&monitor_);
    if (const auto found = timers_.find(timer); found != timers_.end()) {
      taken = std::move(found->second.callback);
      timers_.erase(found);
    }
    if (mover_ == std::this_thread::get_id()) return;
    while (running_ == timer && timer != TimerId()) monitor_.Wait();
  }

  // Moves the clock by `by`, not below zero, running everything that falls due on the way.
  void Advance(absl::Duration by) {
    MonitorLock lock(&monitor_);
    mover_ = std::this_thread::get_id();
    const MonotonicTime target = now_ + by;
    for (auto next = First(); next != timers_.end() && next->second.when <= target;
         next = First()) {
      now_ = next->second.when;
      running_ = next->first;
      std::function<void()> callback = std::move(next->second.callback);
      timers_.erase(next);
      monitor_.Unlock();
      callback();
      callback = nullptr;
      monitor_.Lock();
      running_ = TimerId();
      monitor_.NotifyAll();
    }
    now_ = target;
    mover_ = std::thread::id();
  }

  // How many callbacks wait for their time.
  size_t pending() const {
    MonitorLock lock(&monitor_);
    return timers_.size();
  }

 private:
  struct Timer {
    MonotonicTime when;
    std::function<void()> callback;
  };
  using Timers = std::map<TimerId, Timer>;

  // The earliest; of several at one time, the one registered first.
  Timers::iterator First() ABSL_EXCLUSIVE_LOCKS_REQUIRED(monitor_) {
    return std::min_element(timers_.begin(), timers_.end(), [](const auto& a, const auto& b) {
      return a.second.when < b.second.when;
    });
  }

  mutable Monitor monitor_;
  MonotonicTime now_ ABSL_GUARDED_BY(monitor_);
  Timers timers_ ABSL_GUARDED_BY(monitor_);
  TimerId last_ ABSL_GUARDED_BY(monitor_);
  TimerId running_ ABSL_GUARDED_BY(monitor_);        // 0: no callback runs.
  std::thread::id mover_ ABSL_GUARDED_BY(monitor_);  // The thread in Advance(), if any.
};

}  // namespace muster

#endif  // MUSTER_TESTS_TESTING_MANUAL_CLOCK_H_
