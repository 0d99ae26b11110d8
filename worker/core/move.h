#ifndef MUSTER_WORKER_CORE_MOVE_H_
#define MUSTER_WORKER_CORE_MOVE_H_

#include <utility>
#include <vector>

#include "common/base/time.h"
#include "worker/core/agent_state.h"
#include "worker/core/effects.h"

namespace muster::worker {

// One move of the agent: what it changes, when, and what it wants done so far.
struct Move {
  AgentState& state;
  MonotonicTime now;
  std::vector<Effect>& effects;

  // Appends an effect; those before it are done first.
  void Emit(Effect effect) { effects.push_back(std::move(effect)); }
};

}  // namespace muster::worker

#endif  // MUSTER_WORKER_CORE_MOVE_H_
