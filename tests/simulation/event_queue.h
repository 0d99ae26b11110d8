#ifndef MUSTER_TESTS_SIMULATION_EVENT_QUEUE_H_
#define MUSTER_TESTS_SIMULATION_EVENT_QUEUE_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "tests/simulation/sim_time.h"

namespace muster::sim {

// What will happen, ordered by true time and, at one time, by when it was asked for. Time stands
// still between two actions.
class EventQueue {
 public:
  using Action = std::function<void()>;

  Micros now() const { return now_; }

  // Runs `action` at `when`, or now if that is past.
  void At(Micros when, Action action);

  void After(Micros delay, Action action) { At(now_ + delay, std::move(action)); }

  // Moves time to the next action and runs it. False if there is none.
  bool RunNext();

 private:
  struct Entry {
    Micros when = 0;
    uint64_t sequence = 0;
    Action action;
  };
  static bool IsLater(const Entry& a, const Entry& b) {
    return a.when != b.when ? a.when > b.when : a.sequence > b.sequence;
  }

  Micros now_ = 0;
  uint64_t sequence_ = 0;
  std::vector<Entry> heap_;  // By IsLater: the next one is in front.
};

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_EVENT_QUEUE_H_
