#ifndef MUSTER_COORDINATOR_CORE_TRACING_H_
#define MUSTER_COORDINATOR_CORE_TRACING_H_

#include <string>
#include <vector>

#include "coordinator/core/state.h"
#include "coordinator/core/verdict.h"

// Gathering what the members of a group saw of its operations, while one of them is in trouble.
namespace muster::coordinator {

// A report of `worker` came with other troubles than the one before: asks the members of those
// groups for their traces, or lets them be.
void OnTroubles(Context& context, Job& job);

// The groups in trouble that `worker` is to tell about.
std::vector<std::string> TracedGroupsOf(const Job& job, const Worker& worker);

// One verdict for each group in trouble of which there is something to say.
std::vector<Verdict> Verdicts(const Job& job, MonotonicTime now);

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_CORE_TRACING_H_
