#ifndef MUSTER_COORDINATOR_CORE_INVARIANTS_H_
#define MUSTER_COORDINATOR_CORE_INVARIANTS_H_

#include <string>
#include <vector>

#include "coordinator/core/state.h"

namespace muster::coordinator {

// What is wrong with a state that the machine should never be in, one sentence each; empty if
// nothing is. For tests and the simulator: costs O(state).
std::vector<std::string> Violations(const State& state);

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_CORE_INVARIANTS_H_
