#ifndef MUSTER_WORKER_CORE_DUMP_H_
#define MUSTER_WORKER_CORE_DUMP_H_

#include <string>
#include <string_view>

#include "common/session/session.h"
#include "worker/core/agent_state.h"

namespace muster::worker {

// "built", "active": the word of HoldingState without its k, in lower case.
std::string_view HoldingStateName(HoldingState state);

// For traces: one line about the agent, then one indented line per held epoch, each ended by a
// newline. Says no time, so that the same decisions give the same text.
//
//   agent w2 running stream=3 open attached at=store:1 term:2 rev:9 waiting_ops=1
//     epoch 4 active rank=2 built=3/3 gates=open
std::string Dump(const AgentState& state);

}  // namespace muster::worker

#endif  // MUSTER_WORKER_CORE_DUMP_H_
