#ifndef MUSTER_COORDINATOR_CORE_LOAD_H_
#define MUSTER_COORDINATOR_CORE_LOAD_H_

#include "absl/status/statusor.h"
#include "coordinator/core/state.h"

namespace muster::coordinator {

// The state that a journal leads to. Members of committed epochs are awaited: nobody is declared
// lost before the re-attach window ends. What was reserved and not committed is aborted.
//
// Gives kDataLoss, naming the record by its place, if records contradict each other.
absl::StatusOr<State> LoadState(const JournalContents& contents, MonotonicTime now);

// A job as it is right after its acceptance, put into `state`.
Job& CreateJob(State& state, const JobAccepted& record, MonotonicTime now);

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_CORE_LOAD_H_
