#ifndef MUSTER_COORDINATOR_CORE_TRANSITION_H_
#define MUSTER_COORDINATOR_CORE_TRANSITION_H_

#include <string>
#include <vector>

#include "coordinator/core/state.h"

// How an epoch comes to be and how it ends:
//
//   kReserving --journalled--> kPreparing --all prepared--> kBuilding --all built--> kCommitting
//                                  |                            |                        |
//                                  +------- Rollback() ---------+                    journalled
//                                                |                                       |
//                               kRollingBack --all freed--> (none)                   Committed
//
// Nobody is told of an epoch before its reservation is journalled, nor of its commit before that
// is. Once the commit is handed to the journal there is no way back: what happens then happens to
// the committed epoch.
namespace muster::coordinator {

// The seats that the next attempt would have: holders keep theirs, workers that may fill vacant
// ones do. A holder that is lost keeps its seat until there is somebody to fill it.
std::vector<WorkerId> SeatsForAttempt(const Job& job);

// Starts an attempt if the job needs an epoch and everyone it takes is there; else notes in
// `job.held` what holds it, if that is not plain absence.
void TryStartAttempt(Context& context, Job& job);

// `worker` has reported: moves whatever waits for it.
void AdvanceMember(Context& context, Job& job, const Worker& worker);

// Ends an attempt that is not committed. Everyone is told, and the attempt is over when all have
// given everything back. Does nothing if there is none or its fate is the journal's.
void Rollback(Context& context, Job& job, const std::string& cause);

// A member is gone: rolls back the attempt it is in and ends the committed epoch it is in, telling
// every member at once.
void DropMember(Context& context, Job& job, const LostMember& lost);

// Attempts whose deadline has come.
void JudgeAttemptDeadline(Context& context, Job& job);

// Answers of the journal.
void OnReserved(Context& context, const EpochReserved& record, JournalResult result);
void OnCommitted(Context& context, const EpochCommitted& record, JournalResult result);

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_CORE_TRANSITION_H_
