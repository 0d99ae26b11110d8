#include "common/base/clock.h"

#include "common/base/clock_reading.h"

namespace muster {

RealClock::RealClock() : thread_([this] { RunTimers(); }) {}

RealClock::~RealClock() {
  {
    MonitorLock lock(&monitor_);
    stopping_ = true;
    monitor_.NotifyAll();
  }
  thread_.join();
}

MonotonicTime RealClock::Now() const { return ReadMonotonicClock(); }

TimerId RealClock::RunAt(MonotonicTime when, std::function<void()> callback) {
  MonitorLock lock(&monitor_);
  ++last_.value;
  due_.emplace(Key(when, last_), std::move(callback));
  when_.emplace(last_, when);
  monitor_.NotifyAll();
  return last_;
}

void RealClock::Cancel(TimerId timer) {
  std::function<void()> taken;  // Destroyed after the lock: it may own things that use the clock.
  MonitorLock lock(&monitor_);
  const auto found = when_.find(timer);
  if (found != when_.end()) {
    const auto entry = due_.find(Key(found->second, timer));
    taken = std::move(entry->second);
    due_.erase(entry);
    when_.erase(found);
    return;
  }
  if (std::this_thread::get_id() == thread_.get_id()) return;
  while (running_ == timer && timer != TimerId()) monitor_.Wait();
}

void RealClock::RunTimers() {
  MonitorLock lock(&monitor_);
  while (!stopping_) {
    if (due_.empty()) {
      monitor_.Wait();
      continue;
    }
    const Key first = due_.begin()->first;
    if (ReadMonotonicClock() < first.first) {
      monitor_.WaitUntil(first.first);
      continue;
    }
    std::function<void()> callback = std::move(due_.begin()->second);
    due_.erase(due_.begin());
    when_.erase(first.second);
    running_ = first.second;
    monitor_.Unlock();
    callback();
    callback = nullptr;  // Before the lock, like the callback itself.
    monitor_.Lock();
    running_ = TimerId();
    monitor_.NotifyAll();
  }
}

}  // namespace muster
