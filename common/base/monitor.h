#ifndef MUSTER_COMMON_BASE_MONITOR_H_
#define MUSTER_COMMON_BASE_MONITOR_H_

#include <condition_variable>
#include <mutex>

#include "absl/base/thread_annotations.h"
#include "common/base/time.h"

namespace muster {

// A mutex and one condition, whose timed waits follow the monotonic clock.
//
// To be used in place of absl::Mutex and absl::CondVar, for two reasons. Timed waits of the
// packaged Abseil follow the wall clock: setting the time of the machine back would lengthen every
// deadline by as much. And it is not built for ThreadSanitizer, which then takes what its mutex
// guards for unguarded.
//
// Thread safety: any thread, any time. Waits may end without a notification, so they belong in a
// loop that checks what is waited for.
class ABSL_LOCKABLE Monitor {
 public:
  Monitor() = default;
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mu_.lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mu_.unlock(); }

  // Lets others lock until NotifyAll().
  void Wait() ABSL_EXCLUSIVE_LOCKS_REQUIRED(this);

  // The same, at most until `deadline` of the monotonic clock. Gives false once it is reached.
  bool WaitUntil(MonotonicTime deadline) ABSL_EXCLUSIVE_LOCKS_REQUIRED(this);

  // Ends all waits that are under way. May be called with or without the lock.
  void NotifyAll() { changed_.notify_all(); }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
};

// Holds a Monitor for the length of a scope.
class ABSL_SCOPED_LOCKABLE MonitorLock {
 public:
  explicit MonitorLock(Monitor* monitor) ABSL_EXCLUSIVE_LOCK_FUNCTION(monitor) : monitor_(monitor) {
    monitor_->Lock();
  }
  ~MonitorLock() ABSL_UNLOCK_FUNCTION() { monitor_->Unlock(); }
  MonitorLock(const MonitorLock&) = delete;
  MonitorLock& operator=(const MonitorLock&) = delete;

 private:
  Monitor* const monitor_;
};

}  // namespace muster

#endif  // MUSTER_COMMON_BASE_MONITOR_H_
