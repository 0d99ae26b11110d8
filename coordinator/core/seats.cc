#include "coordinator/core/seats.h"

#include <utility>

namespace muster::coordinator {

std::vector<WorkerId> AllotSeats(std::vector<WorkerId> seats, std::vector<Candidate> candidates) {
  return PlaceWorkers(std::move(seats), std::move(candidates), PlacementRule());
}

}  // namespace muster::coordinator
