#ifndef MUSTER_COORDINATOR_RUNTIME_LOOP_LANE_H_
#define MUSTER_COORDINATOR_RUNTIME_LOOP_LANE_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "coordinator/core/events.h"

namespace muster::coordinator {

enum class LaneKind { kReport, kReset, kCut, kExit, kJournaled, kTick };

// What an event says something about, for events whose newest one says it all: of two that wait
// with equal keys, the older is not missed. Everything else has no two equal keys, so nothing is
// lost.
struct LaneKey {
  LaneKind kind = LaneKind::kTick;
  uint64_t number = 0;  // Connection, incarnation or write.
  std::string job;      // Of an exit.
  std::string worker;   // Of an exit.

  friend auto operator<=>(const LaneKey&, const LaneKey&) = default;
};

// The key of `event`; nothing if it can be refused, which goes for requests, Hellos and leaves:
// whoever sent one hears of the refusal and can send it again.
std::optional<LaneKey> LaneKeyOf(const Event& event);

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_RUNTIME_LOOP_LANE_H_
