#ifndef MUSTER_WORKER_CORE_FREEING_H_
#define MUSTER_WORKER_CORE_FREEING_H_

#include "absl/status/status.h"
#include "worker/core/events.h"
#include "worker/core/move.h"

// Giving back what an epoch has: wake everybody, then one step after the other, newest group first,
// endpoints last. Local and bounded: a step that is not answered in time is reported as a leak, and
// the next one follows.
namespace muster::worker {

// Starts it, unless it is under way. Operations and builds of the epoch end with `status`. An epoch
// that users worked in has the retire deadline for all of it, others have the abort deadline; one
// step has the abort deadline at most.
void StartFreeing(Move& move, HeldEpoch& held, const absl::Status& status);

void OnGroupFreed(Move& move, const GroupFreed& event);
void OnEndpointsClosed(Move& move, const EndpointsClosed& event);

// Gives up what was not answered in time.
void CheckFreeingDeadlines(Move& move);

// Drops the holdings that are freed.
void ForgetFreed(AgentState& state);

}  // namespace muster::worker

#endif  // MUSTER_WORKER_CORE_FREEING_H_
