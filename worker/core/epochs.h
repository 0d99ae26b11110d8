#ifndef MUSTER_WORKER_CORE_EPOCHS_H_
#define MUSTER_WORKER_CORE_EPOCHS_H_

#include "worker/core/events.h"
#include "worker/core/move.h"

// Bringing what is held to what the assignment says: enter, build, activate, end, free.
namespace muster::worker {

// Does what the newest assignment, which there must be, asks for and is possible now; called after
// every event. Does nothing twice.
void FollowAssignment(Move& move);

void OnEndpointsOpened(Move& move, const EndpointsOpened& event);
void OnGroupBuilt(Move& move, const GroupBuilt& event);
void OnBuildFailed(Move& move, const BuildFailed& event);

// Fails what could not prepare or build in time. Without a coordinator for too long, frees what was
// never reported as built, and tells those who wait for a verdict that nobody knows it.
void CheckEpochDeadlines(Move& move);

// Tells those who wait for `held`, which is in doubt, that nobody knows the verdict; once.
void TellDoubt(Move& move, HeldEpoch& held);

}  // namespace muster::worker

#endif  // MUSTER_WORKER_CORE_EPOCHS_H_
