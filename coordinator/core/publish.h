#ifndef MUSTER_COORDINATOR_CORE_PUBLISH_H_
#define MUSTER_COORDINATOR_CORE_PUBLISH_H_

#include "coordinator/core/state.h"

// What workers are told, and when. The rest of the machine only says whose assignment changed.
namespace muster::coordinator {

// The assignment of one worker changed; of all workers of a job.
void MarkDirty(Context& context, Job& job, Worker& worker);
void MarkAllDirty(Context& context, Job& job);

// Sends each changed assignment once. Called at the end of every step.
void FlushPublishes(Context& context);

// Sends again what was not acknowledged for a heartbeat.
void ResendUnacknowledged(Context& context);

// Tells the workers of a job that waits what it waits for, when that changes, at most once an
// `interval`.
void TellNews(Context& context, Job& job, absl::Duration interval);

// Everything `worker` should be now, but for the revision.
Assignment BuildAssignment(const State& state, const Job& job, const Worker& worker);

// Why `job` makes no progress, for people; empty if nothing is missing.
std::string WaitingFor(const Job& job);

// Ranks that nobody holds, by the seats as they are or, before they are allotted, as they would be
// if the workers present were all.
std::vector<GlobalRank> MissingRanks(const Job& job);

// While no epoch stands: lost workers that held a seat which is vacant now, by rank; then those
// that were lost before they had one, with the rank that they wanted, else 0.
// Who left is not lost.
std::vector<LostMember> AwaitedMembers(const Job& job);

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_CORE_PUBLISH_H_
