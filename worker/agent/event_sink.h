#ifndef MUSTER_WORKER_AGENT_EVENT_SINK_H_
#define MUSTER_WORKER_AGENT_EVENT_SINK_H_

#include <functional>

#include "worker/core/events.h"

namespace muster::worker {

// Hands an event to the control thread. Any thread, any time; never blocks. Events that come when
// the control thread has ended are dropped.
using EventSink = std::function<void(Event)>;

}  // namespace muster::worker

#endif  // MUSTER_WORKER_AGENT_EVENT_SINK_H_
