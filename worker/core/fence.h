#ifndef MUSTER_WORKER_CORE_FENCE_H_
#define MUSTER_WORKER_CORE_FENCE_H_

#include "common/base/ids.h"
#include "common/session/session.h"
#include "worker/core/agent_state.h"

// The one place that tells what belongs to now from what belongs to another time, another process
// or another coordinator.
namespace muster::worker {

enum class FenceResult {
  kAdopt,      // Newer than all we know.
  kDuplicate,  // What we know already.
  kIgnore,     // For another incarnation, or older than what we know.
  kLowerTerm,  // Of a coordinator that was started again since.
  kNotYet,     // Of an unknown store or job, while the last of the known one is being freed.
  kStranger,   // Of an unknown store or job, while something of the known one is held.
};

// What to do with an assignment. Within one store, the pair (term, revision) orders all of them; a
// store that is not the known one means that the coordinator lost its state, and is followed only
// by a worker that holds nothing.
FenceResult JudgeAssignment(const AgentState& state, const Assignment& assignment);

// Tells whether an event of stream `session` is about the stream of now. One that is dialing
// counts.
bool IsCurrentStream(const AgentState& state, SessionNumber session);

// Tells whether something is held that another coordinator's job must not be mixed with.
bool HoldsAnything(const AgentState& state);

// Tells whether all that is held is on its way out, so that HoldsAnything() will soon be false.
bool HoldsOnlyFreeing(const AgentState& state);

// The holding of `epoch`, which nullptr says is not there: an answer about it is late and ignored.
// Valid until the next holding is added or removed.
HeldEpoch* FindHeld(AgentState& state, Epoch epoch);

// The epoch in which users work; nullptr if there is none.
HeldEpoch* FindActive(AgentState& state);

// Tells whether `epoch` may be entered: an attempt is made once, whatever became of it, and at most
// kHoldingsMax epochs are held.
bool MayEnter(const AgentState& state, Epoch epoch);

}  // namespace muster::worker

#endif  // MUSTER_WORKER_CORE_FENCE_H_
