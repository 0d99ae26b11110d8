#ifndef MUSTER_COORDINATOR_CORE_SEATS_H_
#define MUSTER_COORDINATOR_CORE_SEATS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/session/session.h"

// Who gets which seat. Pure: the same workers give the same table, in whatever order they came.
namespace muster::coordinator {

// One worker that could take a seat.
struct Candidate {
  WorkerId id;
  std::optional<GlobalRank> wanted_rank;
  std::string host_id;
  std::string hostname;
  int32_t device_index = -1;
};

// Fills the empty seats of `seats` (by rank; empty text means vacant) with `candidates`, none of
// whom holds one, and gives the new table. Seats stay vacant if there are too few candidates;
// candidates are left over if there are too few seats.
//
// A candidate that wants a vacant rank gets it. The others fill what is left, ascending, in this
// order: hosts by name as people count (n2 before n10), then by host id; on one host by device
// index; then by worker id as people count. A wanted rank that is taken is ignored.
std::vector<WorkerId> AllotSeats(std::vector<WorkerId> seats, std::vector<Candidate> candidates);

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_CORE_SEATS_H_
