#include "worker/comm/lanes.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace muster {

LanePool::LanePool(std::function<void()> on_thread_start)
    : on_thread_start_(std::move(on_thread_start)) {}

LanePool::~LanePool() {
  std::vector<std::thread> threads;
  {
    MonitorLock lock(&monitor_);
    stopping_ = true;
    threads.swap(threads_);
    monitor_.NotifyAll();
  }
  for (std::thread& thread : threads) thread.join();
}

absl::Status LanePool::Schedule(Lane* lane) {
  MonitorLock lock(&monitor_);
  if (idle_ == 0) {
    try {
      threads_.emplace_back([this] { RunThread(); });
    } catch (const std::system_error& error) {
      return absl::ResourceExhaustedError(
          absl::StrCat("no thread for an operation beside ", threads_.size(), ": ", error.what()));
    }
    ++idle_;
  }
  --idle_;
  runnable_.push_back(lane);
  monitor_.NotifyAll();
  return absl::OkStatus();
}

void LanePool::RunThread() {
  on_thread_start_();
  MonitorLock lock(&monitor_);
  while (true) {
    while (!stopping_ && runnable_.empty()) monitor_.Wait();
    if (runnable_.empty()) return;
    Lane* const lane = runnable_.front();
    runnable_.pop_front();
    monitor_.Unlock();
    while (lane->RunOne()) {
    }
    monitor_.Lock();
    ++idle_;
  }
}

Lane::~Lane() {
  MonitorLock lock(&monitor_);
  while (!entries_.empty()) monitor_.Wait();
}

absl::Status Lane::Post(MonotonicTime deadline, std::function<void()> operation) {
  MonitorLock lock(&monitor_);
  entries_.push_back({deadline, std::move(operation)});
  if (entries_.size() > 1) return absl::OkStatus();  // A thread is at it.
  absl::Status scheduled = pool_->Schedule(this);
  if (!scheduled.ok()) entries_.pop_back();
  return scheduled;
}

MonotonicTime Lane::EarliestDeadline() const {
  MonotonicTime earliest{absl::InfiniteDuration()};
  MonitorLock lock(&monitor_);
  for (const Entry& entry : entries_) earliest = std::min(earliest, entry.deadline);
  return earliest;
}

bool Lane::RunOne() {
  std::function<void()> operation;
  {
    MonitorLock lock(&monitor_);
    operation = std::move(entries_.front().operation);
  }
  operation();
  operation = nullptr;
  MonitorLock lock(&monitor_);
  entries_.pop_front();
  monitor_.NotifyAll();
  return !entries_.empty();
}

}  // namespace muster
