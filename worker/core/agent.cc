#include "worker/core/agent.h"

#include <utility>
#include <variant>

#include "common/base/check.h"
#include "worker/core/connection.h"
#include "worker/core/endings.h"
#include "worker/core/epochs.h"
#include "worker/core/fence.h"
#include "worker/core/freeing.h"
#include "worker/core/move.h"
#include "worker/core/report.h"
#include "worker/core/verdicts.h"

namespace muster::worker {
namespace {

void OnDoingChanged(Move& move, const DoingChanged& event) { move.state.doing = event.doing; }

void OnTracesChanged(Move& move, const TracesChanged& event) { move.state.traces = event.traces; }

void OnProcessGone(Move& move, const ProcessGone& event) {
  if (!move.state.probed.contains(event.incarnation)) return;
  move.state.proved_dead.insert(event.incarnation);
}

void OnTick(Move& move) {
  move.state.last_tick = move.now;
  CheckFreeingDeadlines(move);
  if (move.state.phase != AgentPhase::kRunning) return;
  ExpireWaiting(move);
  CheckEpochDeadlines(move);
  CheckJoinDeadline(move);
  RedialWhenDue(move);
}

// One line for each kind of event.
struct Dispatch {
  Move& move;

  void operator()(const StreamOpened& event) const { OnStreamOpened(move, event); }
  void operator()(const StreamClosed& event) const { OnStreamClosed(move, event); }
  void operator()(const AssignmentReceived& event) const { OnAssignmentReceived(move, event); }
  void operator()(const EndpointsOpened& event) const { OnEndpointsOpened(move, event); }
  void operator()(const GroupBuilt& event) const { OnGroupBuilt(move, event); }
  void operator()(const BuildFailed& event) const { OnBuildFailed(move, event); }
  void operator()(const GroupFreed& event) const { OnGroupFreed(move, event); }
  void operator()(const EndpointsClosed& event) const { OnEndpointsClosed(move, event); }
  void operator()(const PeerReset& event) const { OnPeerReset(move, event); }
  void operator()(const OperationFailed& event) const { OnOperationFailed(move, event); }
  void operator()(const DoingChanged& event) const { OnDoingChanged(move, event); }
  void operator()(const TracesChanged& event) const { OnTracesChanged(move, event); }
  void operator()(const ProcessGone& event) const { OnProcessGone(move, event); }
  void operator()(const LeaveRequested&) const { OnLeaveRequested(move); }
  void operator()(const Tick&) const { OnTick(move); }
};

// A stranded agent follows nobody any more, but what it holds may still be used and can be freed.
bool ConcernsStranded(const Event& event) {
  return std::holds_alternative<LeaveRequested>(event) ||
         std::holds_alternative<OperationFailed>(event);
}

}  // namespace

Agent::Agent(Options options, MonotonicTime now) {
  MUSTER_CHECK(options.incarnation.value != 0, "an incarnation is never 0");
  state_.options = std::move(options);
  state_.started = now;
  state_.last_tick = now;
  state_.link.detached_since = now;
}

std::vector<Effect> Agent::Start(MonotonicTime now) {
  std::vector<Effect> effects;
  Move move{state_, now, effects};
  state_.last_tick = now;
  Dial(move);
  return effects;
}

std::vector<Effect> Agent::Step(const Event& event, MonotonicTime now) {
  std::vector<Effect> effects;
  Move move{state_, now, effects};
  if (state_.phase == AgentPhase::kFinished) return effects;
  if (state_.phase == AgentPhase::kStranded && !ConcernsStranded(event)) return effects;

  NoticeSleep(move);
  std::visit(Dispatch{move}, event);
  if (state_.phase == AgentPhase::kRunning && state_.assignment.has_value()) {
    if (state_.assignment->deleted) {
      EndDeleted(move);
    } else {
      FollowAssignment(move);
    }
  }
  FinishWhenFree(move);
  SendReportIfNeeded(move);
  return effects;
}

}  // namespace muster::worker
