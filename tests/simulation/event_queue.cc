#include "tests/simulation/event_queue.h"

#include <algorithm>
#include <utility>

namespace muster::sim {

void EventQueue::At(Micros when, Action action) {
  heap_.push_back({std::max(when, now_), sequence_++, std::move(action)});
  std::push_heap(heap_.begin(), heap_.end(), IsLater);
}

bool EventQueue::RunNext() {
  if (heap_.empty()) return false;
  std::pop_heap(heap_.begin(), heap_.end(), IsLater);
  const Entry entry = std::move(heap_.back());
  heap_.pop_back();
  now_ = entry.when;
  entry.action();
  return true;
}

}  // namespace muster::sim
