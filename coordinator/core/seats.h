#ifndef MUSTER_COORDINATOR_CORE_SEATS_H_
#define MUSTER_COORDINATOR_CORE_SEATS_H_

#include <vector>

#include "common/layout/placement/placement.h"
#include "common/session/session.h"

// Who gets which seat.
namespace muster::coordinator {

// One worker that could take a seat.
using Candidate = PlacementCandidate;

// Fills the empty seats of `seats` as PlaceWorkers() does by the compact rule.
std::vector<WorkerId> AllotSeats(std::vector<WorkerId> seats, std::vector<Candidate> candidates);

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_CORE_SEATS_H_
