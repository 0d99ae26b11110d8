#ifndef MUSTER_WORKER_CORE_INVARIANTS_H_
#define MUSTER_WORKER_CORE_INVARIANTS_H_

#include <string>
#include <vector>

#include "worker/core/agent_state.h"

namespace muster::worker {

// What is wrong with `state` as it must be between two events; one sentence each. Empty for every
// state that an agent can reach.
std::vector<std::string> Violations(const AgentState& state);

}  // namespace muster::worker

#endif  // MUSTER_WORKER_CORE_INVARIANTS_H_
