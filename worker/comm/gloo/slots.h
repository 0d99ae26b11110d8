#ifndef MUSTER_WORKER_COMM_GLOO_SLOTS_H_
#define MUSTER_WORKER_COMM_GLOO_SLOTS_H_

#include <cstdint>

#include "worker/comm/gloo/wire.h"

// The slots that operations use of a mesh, beside its own and those of building: by which a message
// is told from all others between two ranks.
namespace muster {

// The first slot of the collective `sequence`, whose ranks compare what they called.
constexpr uint64_t CollectiveSlot(uint64_t sequence) {
  return (uint64_t{1} << 62U) | (sequence << 24U);
}

// The first of two slots of the message `sequence` between two ranks, in the direction from the
// lower to the higher one or back: both sides send headers for both directions.
constexpr uint64_t MessageSlot(uint64_t sequence, bool upwards) {
  return (uint64_t{1} << 61U) | (uint64_t{upwards} << 60U) | (sequence << 4U);
}

// The first slot of a collective whose ranks do not compare what they called. It depends on all
// that they would compare, so that ranks that called different things wait for each other in vain
// instead of taking what is not meant for them.
uint64_t UncheckedSlot(const Call& header);

// The slot of a message whose ranks do not compare what they called.
uint64_t UncheckedMessageSlot(const Call& header, bool upwards);

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_SLOTS_H_
