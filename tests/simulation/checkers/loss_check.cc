#include "tests/simulation/checkers/loss_check.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "coordinator/core/liveness.h"
#include "tests/simulation/describe.h"

namespace muster::sim {
namespace {

using coordinator::Job;
using coordinator::State;
using coordinator::Worker;

// The worker whose stream of now is `connection`; null if it is none's.
const Worker* OwnerOf(ConnectionId connection, const State& state) {
  const auto owner = state.connections.find(connection);
  if (owner == state.connections.end()) return nullptr;
  const auto job = state.jobs.find(owner->second.job);
  if (job == state.jobs.end()) return nullptr;
  const auto worker = job->second.workers.find(owner->second.worker);
  const bool holds = worker != job->second.workers.end() && worker->second.connection == connection;
  return holds ? &worker->second : nullptr;
}

}  // namespace

void LossCheck::OnRunStarted(MonotonicTime now) {
  began_ = now;
  listening_since_ = now;
  last_tick_.reset();
  heard_.clear();
  names_.clear();
  resets_.clear();
  many_until_ = now;
}

void LossCheck::BeforeStep(const coordinator::Event& event, const State& state, MonotonicTime now) {
  contested_.clear();
  for (const auto& [uid, job] : state.jobs) {
    for (const auto& [id, contest] : job.contests) {
      contested_[{job.spec->name, id}] = job.workers.at(id).incarnation;
    }
  }
  if (const auto* hello = std::get_if<coordinator::HelloReceived>(&event)) {
    if (!state.serving) return;
    NameHolder(hello->hello, now);
    const auto job = state.names.find(hello->hello.job);
    if (job != state.names.end()) NotePeerResets(hello->hello.report, state.jobs.at(job->second));
  } else if (const auto* report = std::get_if<coordinator::ReportReceived>(&event)) {
    const auto owner = state.connections.find(report->connection);
    if (owner == state.connections.end()) return;
    heard_[report->report.incarnation].last = now;
    const auto job = state.jobs.find(owner->second.job);
    if (job != state.jobs.end()) NotePeerResets(report->report, job->second);
  } else if (const auto* reset = std::get_if<coordinator::StreamReset>(&event)) {
    const Worker* worker = OwnerOf(reset->connection, state);
    if (worker != nullptr) OnReset(worker->incarnation, state.connections.size() - 1, now);
  } else if (const auto* leave = std::get_if<coordinator::LeaveReceived>(&event)) {
    heard_[leave->incarnation].left = true;
  } else if (const auto* exit = std::get_if<coordinator::ExitReported>(&event)) {
    heard_[exit->incarnation].exited = true;
  } else if (std::holds_alternative<coordinator::Tick>(event)) {
    const absl::Duration longest = state.tick_interval * coordinator::kMissedTicksMax;
    if (last_tick_.has_value() && now - *last_tick_ > longest) listening_since_ = now;
    last_tick_ = now;
  }
}

void LossCheck::NameHolder(const Hello& hello, MonotonicTime now) {
  const auto [name, first] = names_.emplace(std::pair(hello.job, hello.worker), hello.incarnation);
  if (first || name->second == hello.incarnation) return;
  for (const Incarnation rival : {name->second, hello.incarnation}) {
    if (!heard_[rival].rival_at.has_value()) heard_[rival].rival_at = now;
  }
  name->second = hello.incarnation;
}

// `streams` are left. Many resets at once are the coordinator's own fault.
void LossCheck::OnReset(Incarnation incarnation, size_t streams, MonotonicTime now) {
  Heard& heard = heard_[incarnation];
  heard.reset_at = now;
  heard.reset_with_many = now < many_until_;
  if (heard.reset_with_many) return;
  resets_.push_back(now);
  while (now - resets_.front() > coordinator::kMassResetSpan) resets_.pop_front();
  const size_t all = streams + resets_.size();
  if (resets_.size() < coordinator::kMassResetMin ||
      resets_.size() * 100 <= all * coordinator::kMassResetPercent) {
    return;
  }
  resets_.clear();
  many_until_ = now + coordinator::kMassResetSpan;
  for (auto& [other, suspect] : heard_) {
    if (!suspect.reset_at.has_value()) continue;
    suspect.reset_at = now;
    suspect.reset_with_many = true;
  }
}

// A worker is heard again if the stream of its Hello was kept.
void LossCheck::AfterStep(const coordinator::Event& event, const State& state, MonotonicTime now) {
  const auto* hello = std::get_if<coordinator::HelloReceived>(&event);
  if (hello == nullptr) return;
  const bool kept =
      state.connections.contains(hello->connection) || state.waiting.contains(hello->connection);
  if (!kept) return;
  Heard& heard = heard_[hello->hello.incarnation];
  heard.last = now;
  heard.reset_at.reset();
}

void LossCheck::NotePeerResets(const Report& report, const Job& job) {
  if (!job.committed.has_value()) return;
  const auto& members = job.committed->membership.members;
  for (const GlobalRank peer : report.reset_peers) {
    const auto rank = static_cast<size_t>(peer.value);
    if (rank >= members.size()) continue;
    heard_[members[rank].incarnation].reset_by_peers.insert(report.incarnation);
  }
}

bool LossCheck::WasAsked(const Job& job, const Heard& heard, MonotonicTime now) const {
  // The journal's members are known by name before they said anything.
  if (!heard.last.has_value()) return true;
  return heard.rival_at.has_value() && now - *heard.rival_at >= job.deadlines.ping;
}

bool LossCheck::IsReset(const Job& job, const Heard& heard, MonotonicTime now) const {
  const size_t peers = heard.reset_by_peers.size();
  if (!heard.reset_at.has_value()) return !heard.last.has_value() && peers >= 2;
  const absl::Duration grace =
      heard.reset_with_many ? job.deadlines.lease : job.deadlines.reattach_grace;
  return peers >= 1 || now - *heard.reset_at >= grace;
}

bool LossCheck::IsSilent(const Job& job, const Heard& heard, MonotonicTime now) const {
  if (!heard.last.has_value()) return now - began_ >= job.deadlines.reattach_window;
  return now - std::max(*heard.last, listening_since_) >= job.deadlines.lease;
}

bool LossCheck::IsJust(const Job& job, const Worker& worker, const Heard& heard,
                       MonotonicTime now) const {
  switch (*worker.loss) {
    case LossCause::kExit:
      return heard.exited;
    case LossCause::kSuperseded:
      return WasAsked(job, heard, now);
    case LossCause::kLeft: {
      const bool too_late = !job.committed.has_value() && heard.last.has_value() &&
                            now - worker.joined_at >= job.deadlines.join;
      return heard.left || too_late;
    }
    case LossCause::kReset:
      return IsReset(job, heard, now);
    case LossCause::kSilence:
      return IsSilent(job, heard, now);
    case LossCause::kEarlier:  // Said of an epoch, never of a worker.
      return false;
  }
  return false;
}

void LossCheck::OnLost(const coordinator::Note& note, const State& state, MonotonicTime now) {
  const auto uid = state.names.find(note.job);
  if (uid == state.names.end()) return;
  const Job& job = state.jobs.at(uid->second);
  static const Heard kNothing;
  const auto heard_of = [this](Incarnation incarnation) -> const Heard& {
    const auto heard = heard_.find(incarnation);
    return heard == heard_.end() ? kNothing : heard->second;
  };
  // The winner of a contest takes the loser's place in the same step.
  const auto contested = contested_.find({note.job, note.worker});
  const auto worker = job.workers.find(note.worker);
  const bool replaced = worker == job.workers.end() || !worker->second.loss.has_value();
  std::string cause = "being replaced";
  if (replaced) {
    if (contested == contested_.end()) return;
    const Heard& heard = heard_of(contested->second);
    if (WasAsked(job, heard, now) || heard.exited || heard.left || IsSilent(job, heard, now) ||
        IsReset(job, heard, now)) {
      return;
    }
  } else {
    if (IsJust(job, worker->second, heard_of(worker->second.incarnation), now)) return;
    cause = Name(*worker->second.loss);
  }
  verdict_.Break("nobody is lost without cause",
                 absl::StrCat(note.worker, " of job ", note.job, " counts as lost by ", cause, ": ",
                              note.text));
}

}  // namespace muster::sim
