#ifndef MUSTER_WORKER_CORE_REPORT_H_
#define MUSTER_WORKER_CORE_REPORT_H_

#include "common/session/session.h"
#include "worker/core/agent_state.h"
#include "worker/core/move.h"

// Telling the coordinator everything that the worker is, has and has seen.
namespace muster::worker {

// The whole report as things stand, without a number.
Report BuildReport(const AgentState& state);

// The next report, numbered: it counts as sent from now on.
Report TakeReport(Move& move);

// Sends a report if there is an open stream and a reason: what it says changed since the newest
// one, the newest one may have been lost, or a heartbeat is due. A change of `doing` alone is no
// reason: users change operations far too often; it rides on the next report.
void SendReportIfNeeded(Move& move);

}  // namespace muster::worker

#endif  // MUSTER_WORKER_CORE_REPORT_H_
