#ifndef MUSTER_COMMON_BASE_EVENT_RING_H_
#define MUSTER_COMMON_BASE_EVENT_RING_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "common/base/check.h"

namespace muster {

// The newest `capacity` things that happened. An older one is dropped for a newer one, and counted.
//
// A value: copying copies the content. Thread safety: one thread at a time.
template <typename T>
class EventRing {
 public:
  // `capacity` is at least 1.
  explicit EventRing(size_t capacity) : capacity_(capacity) {
    MUSTER_CHECK(capacity_ >= 1, "a ring needs room for an event");
  }

  void Push(T event) {
    if (events_.size() == capacity_) {
      events_.pop_front();
      ++dropped_;
    }
    events_.push_back(std::move(event));
  }

  // Those still held, oldest first. The event at index i is number dropped() + i of all events ever
  // pushed, counted from 0.
  const std::deque<T>& events() const { return events_; }

  // How many were pushed out by newer ones.
  uint64_t dropped() const { return dropped_; }

 private:
  size_t capacity_;
  std::deque<T> events_;
  uint64_t dropped_ = 0;
};

}  // namespace muster

#endif  // MUSTER_COMMON_BASE_EVENT_RING_H_
