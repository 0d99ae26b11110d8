#ifndef MUSTER_COMMON_BASE_MAILBOX_H_
#define MUSTER_COMMON_BASE_MAILBOX_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/base/check.h"
#include "common/base/clock_reading.h"
#include "common/base/error_detail.h"
#include "common/base/monitor.h"

namespace muster {

// What one Drain() found.
enum class Drained {
  kSome,     // One entry or more.
  kNothing,  // The time was up.
  kClosed,   // Closed, and everything posted before was drained.
};

// Entries of type T on their way from many threads to one, in two lanes.
//
// The bounded lane holds up to `capacity` entries and refuses more. The coalescing lane holds at
// most one entry for each key of type K, the newest, and is never full: what is posted there says
// how things stand, so an older entry of the same key is not missed. Liveness goes there, so that a
// flood of requests can neither delay nor drop it.
//
// Order: entries of both lanes come out in order of arrival. A coalesced entry has the place of the
// first entry that it replaced.
//
// Lifetime: open until Close(), then entries are refused, but those already there still come out.
//
// Thread safety: Drain() from one thread; everything else from any thread, any time.
//
// Blocking: only Drain().
template <typename K, typename T>
class Mailbox {
 public:
  // `name` is for error messages. `capacity` is at least 1.
  Mailbox(std::string name, size_t capacity) : name_(std::move(name)), capacity_(capacity) {
    MUSTER_CHECK(capacity_ >= 1, "a mailbox needs room for an entry");
  }

  // Puts `entry` into the bounded lane.
  //
  // Errors:
  //   kResourceExhausted  `capacity` entries wait already (mailbox_full); try again later
  //   kUnavailable        closed
  absl::Status Post(T entry) {
    MonitorLock lock(&monitor_);
    if (closed_) {
      return absl::UnavailableError(absl::StrCat("mailbox '", name_, "' is closed"));
    }
    if (bounded_ >= capacity_) return FullError();
    ++bounded_;
    entries_.push_back(std::move(entry));
    monitor_.NotifyAll();
    return absl::OkStatus();
  }

  // Puts `entry` into the coalescing lane, where it replaces the one of `key` if that still waits.
  // Dropped once the mailbox is closed.
  void PostCoalesced(K key, T entry) {
    MonitorLock lock(&monitor_);
    if (closed_) return;
    const auto [place, is_new] = places_.try_emplace(std::move(key), entries_.size());
    if (is_new) {
      entries_.push_back(std::move(entry));
    } else {
      entries_[place->second] = std::move(entry);
    }
    monitor_.NotifyAll();
  }

  // Waits until there is an entry, `timeout` is over or the mailbox is closed, and moves all
  // entries into `out`, whose former content is lost. A timeout of zero does not wait.
  Drained Drain(std::vector<T>* out, absl::Duration timeout) {
    out->clear();
    const MonotonicTime deadline = ReadMonotonicClock() + timeout;
    MonitorLock lock(&monitor_);
    bool in_time = timeout > absl::ZeroDuration();
    while (entries_.empty() && !closed_ && in_time) in_time = monitor_.WaitUntil(deadline);
    if (entries_.empty()) return closed_ ? Drained::kClosed : Drained::kNothing;
    out->swap(entries_);
    places_.clear();
    bounded_ = 0;
    return Drained::kSome;
  }

  // Refuses entries from now on and wakes Drain(). Calling it again changes nothing.
  void Close() {
    MonitorLock lock(&monitor_);
    closed_ = true;
    monitor_.NotifyAll();
  }

 private:
  absl::Status FullError() const {
    return MakeError(absl::StatusCode::kResourceExhausted,
                     absl::StrCat("mailbox '", name_, "': all ", capacity_, " places are taken"),
                     {.kind = ErrorKind::kMailboxFull, .remedy = "Try again after a pause."});
  }

  const std::string name_;
  const size_t capacity_;
  Monitor monitor_;
  std::vector<T> entries_ ABSL_GUARDED_BY(monitor_);      // Of both lanes, in order of arrival.
  std::map<K, size_t> places_ ABSL_GUARDED_BY(monitor_);  // Of the coalesced ones in entries_.
  size_t bounded_ ABSL_GUARDED_BY(monitor_) = 0;          // Entries of the bounded lane.
  bool closed_ ABSL_GUARDED_BY(monitor_) = false;
};

}  // namespace muster

#endif  // MUSTER_COMMON_BASE_MAILBOX_H_
