#ifndef MUSTER_TESTS_SIMULATION_TRACE_H_
#define MUSTER_TESTS_SIMULATION_TRACE_H_

#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string_view>

#include "tests/simulation/sim_time.h"

namespace muster::sim {

// Kinds of things that a run records.
enum class Mark : uint64_t {
  kCoordinatorEvent = 1,
  kCoordinatorEffect,
  kAgentEvent,
  kAgentEffect,
  kFault,
  kStep,
};

// What happened in a run: always as a hash, which two runs of one seed must share, and as text if
// somebody wants to read it.
class Trace {
 public:
  // Text goes to `out`; none is made if it is null.
  explicit Trace(std::ostream* out = nullptr) : out_(out) {}

  void Record(Micros now, Mark mark, std::initializer_list<uint64_t> values) {
    Mix(static_cast<uint64_t>(now));
    Mix(static_cast<uint64_t>(mark));
    for (const uint64_t value : values) Mix(value);
  }

  // Whether Say() has a reader. Making text is slow: ask first.
  bool on() const { return out_ != nullptr; }

  // Writes one line: the time in seconds, then `text`.
  void Say(Micros now, std::string_view text);

  uint64_t hash() const { return hash_; }

 private:
  void Mix(uint64_t value) {
    hash_ = (hash_ ^ value) * 0x9E3779B97F4A7C15u;
    hash_ ^= hash_ >> 29;
  }

  std::ostream* out_;
  uint64_t hash_ = 0x6D75737465722121u;
};

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_TRACE_H_
