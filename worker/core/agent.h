#ifndef MUSTER_WORKER_CORE_AGENT_H_
#define MUSTER_WORKER_CORE_AGENT_H_

#include <vector>

#include "common/base/time.h"
#include "worker/core/agent_state.h"
#include "worker/core/effects.h"
#include "worker/core/events.h"

namespace muster::worker {

// All decisions of one worker between its coordinator and its communicators.
//
// The life of one epoch here:
//
//   prepare(E)            endpoints open     build(E)            last group built
//   ---------> kPreparing ----------> kPrepared ----> kBuilding ----------> kBuilt
//                  |                     |               |                  |    |
//                  +------ failure, deadline ------------+        committed |    |
//                                        v                                  v    |
//                                     kFailed            member lost     kActive |
//                                        |          kEnded <------------   |     |
//                  rollback(E) or        |             |   another epoch   |     |
//                  no longer listed      v             v   is committed    v     |
//                                     kFreeing <---------------------------------+
//
// In kBuilt nothing but the coordinator's verdict moves it, unless the worker itself ends. An epoch
// that was freed is never entered again.
//
// Pure: no thread, clock, file or socket; the same state, event and time always give the same state
// and effects. A copy is an agent of its own. The caller carries out the effects in order, with no
// lock held, and feeds back what they lead to. Once an epoch's CloseEndpoints is answered, no other
// answer about that epoch may follow.
//
// Thread safety: none; one thread owns it.
class Agent {
 public:
  using Options = AgentOptions;

  // Ends the process if `options.incarnation` is 0.
  Agent(Options options, MonotonicTime now);

  // The first dial. Called once, before any Step().
  std::vector<Effect> Start(MonotonicTime now);

  // `now` never goes back. After Finish no event has an effect, but for two while epochs are held:
  // LeaveRequested frees them and gives another Finish, and OperationFailed is answered.
  std::vector<Effect> Step(const Event& event, MonotonicTime now);

  const AgentState& state() const { return state_; }

 private:
  AgentState state_;
};

}  // namespace muster::worker

#endif  // MUSTER_WORKER_CORE_AGENT_H_
