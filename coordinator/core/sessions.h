#ifndef MUSTER_COORDINATOR_CORE_SESSIONS_H_
#define MUSTER_COORDINATOR_CORE_SESSIONS_H_

#include "coordinator/core/state.h"

// Streams: who is behind each, and what comes through them.
namespace muster::coordinator {

void OnHello(Context& context, const HelloReceived& event);
void OnReport(Context& context, const ReportReceived& event);
void OnStreamReset(Context& context, const StreamReset& event);
void OnStreamCut(Context& context, const StreamCut& event);
void OnLeave(Context& context, const LeaveReceived& event);
void OnExit(Context& context, const ExitReported& event);

// Lets in those who waited for `job` to be created.
void AdmitWaiting(Context& context, Job& job);

// What becomes due by time: contests for an identity, and joins that took too long.
void JudgeContests(Context& context, Job& job);
void JudgeJoins(Context& context, Job& job);
void JudgeWaiting(Context& context);

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_CORE_SESSIONS_H_
