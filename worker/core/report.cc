#include "worker/core/report.h"

#include <utility>

namespace muster::worker {
namespace {

// Before the coordinator said how often it wants to hear from us.
constexpr absl::Duration kFirstHeartbeat = absl::Seconds(1);

absl::Duration HeartbeatOf(const AgentState& state) {
  return state.assignment.has_value() ? state.assignment->deadlines.heartbeat : kFirstHeartbeat;
}

Holding HoldingOf(const HeldEpoch& held) {
  Holding holding;
  holding.epoch = held.epoch;
  holding.state = held.state;
  holding.failure = held.failure;
  if (held.state == HoldingState::kPrepared) holding.endpoints = held.endpoints;
  return holding;
}

// The same traces, but for how long ago it all was.
std::vector<GroupTrace> WithoutAges(std::vector<GroupTrace> traces) {
  for (GroupTrace& trace : traces) {
    for (OperationRecord& record : trace.records) record.age = absl::ZeroDuration();
  }
  return traces;
}

// Tells whether two reports say the same, but for what changes all the time.
bool SayTheSame(Report a, const Report& b) {
  a.number = b.number;
  a.doing = b.doing;
  if (WithoutAges(std::move(a.traces)) != WithoutAges(b.traces)) return false;
  a.traces = b.traces;
  return a == b;
}

}  // namespace

Report BuildReport(const AgentState& state) {
  Report report;
  report.incarnation = state.options.incarnation;
  if (state.assignment.has_value()) {
    report.store = state.assignment->store;
    report.term = state.assignment->term;
    report.revision = state.assignment->revision;
    report.job = state.assignment->job;
  }
  for (const HeldEpoch& held : state.holdings) report.holdings.push_back(HoldingOf(held));
  report.leaks = state.leaks;
  report.reset_peers.assign(state.reset_peers.begin(), state.reset_peers.end());
  report.proved_dead.assign(state.proved_dead.begin(), state.proved_dead.end());
  report.pong = state.pong;
  report.doing = state.doing;
  report.traces = state.traces;
  return report;
}

Report TakeReport(Move& move) {
  Report report = BuildReport(move.state);
  report.number = ++move.state.reports;
  move.state.last_report = report;
  move.state.report_owed = false;
  move.state.report_due = move.now + HeartbeatOf(move.state);
  return report;
}

void SendReportIfNeeded(Move& move) {
  AgentState& state = move.state;
  if (state.link.state != LinkState::kOpen) return;
  const bool reason = state.report_owed || !state.last_report.has_value() ||
                      move.now >= state.report_due ||
                      !SayTheSame(BuildReport(state), *state.last_report);
  if (reason) move.Emit(SendReport{state.link.session, TakeReport(move)});
}

}  // namespace muster::worker
