#include "coordinator/core/liveness.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "coordinator/core/publish.h"
#include "coordinator/core/transition.h"

namespace muster::coordinator {
namespace {

const char* CauseText(LossCause cause) {
  switch (cause) {
    case LossCause::kExit:
      return "its process ended";
    case LossCause::kSuperseded:
      return "a newer process took its identity";
    case LossCause::kLeft:
      return "it left";
    case LossCause::kReset:
      return "its stream was reset and it did not come back";
    case LossCause::kSilence:
      return "nothing was heard from it";
    case LossCause::kEarlier:
      return "its epoch was over before this coordinator started";
  }
  return "";
}

// Ends the stream of a lost worker. A process that was replaced or left must not come back; one
// that was only silent may, as a member of the next epoch.
void CloseLost(Context& context, Job& job, Worker& worker, LossCause cause) {
  if (worker.connection.value == 0) return;
  const bool may_return = cause == LossCause::kReset || cause == LossCause::kSilence;
  ErrorDetail detail;
  detail.kind = may_return ? ErrorKind::kMemberLost : ErrorKind::kStaleIncarnation;
  detail.job = job.spec->name;
  detail.workers = {worker.id};
  if (job.committed.has_value()) detail.epoch = job.committed->epoch;
  context.effects.push_back(CloseStream{
      worker.connection,
      MakeError(may_return ? absl::StatusCode::kUnavailable : absl::StatusCode::kFailedPrecondition,
                absl::StrCat("worker '", worker.id, "' of job '", job.spec->name,
                             "' counts as lost: ", CauseText(cause)),
                detail)});
  context.state.connections.erase(worker.connection);
  worker.connection = ConnectionId();
}

void Disconnect(Job& job, Worker& worker, Presence presence) {
  if (worker.presence == Presence::kConnected) --job.connected;
  worker.presence = presence;
}

// Whether another member has seen a connection to this one reset.
bool SeenResetByPeers(const Job& job, const Worker& worker, size_t reporters) {
  if (!job.committed.has_value()) return false;
  const auto rank = job.committed->membership.RankOf(worker.id, worker.incarnation);
  if (!rank.has_value()) return false;
  const auto seen = job.committed->resets.find(*rank);
  return seen != job.committed->resets.end() && seen->second.size() >= reporters;
}

// Gives everyone a fresh window.
void ForgiveAll(Context& context, std::string_view why) {
  for (auto& [uid, job] : context.state.jobs) {
    for (auto& [id, worker] : job.workers) {
      worker.last_heard = std::max(worker.last_heard, context.now);
      if (worker.presence == Presence::kSuspect) {
        worker.patience_until = context.now + job.deadlines.lease;
      } else if (worker.presence == Presence::kAwaited) {
        worker.patience_until = context.now + job.deadlines.reattach_window;
      }
    }
    AddNote(context, job, {NoteKind::kOwnFault, "", Epoch(), std::nullopt, "", std::string(why)});
  }
}

// Counts a reset; tells whether resets are so many at once that the fault is ours.
bool IsOwnFault(Context& context) {
  State& state = context.state;
  std::deque<MonotonicTime>& resets = state.resets;
  if (context.now < state.own_fault_until) return true;
  resets.push_back(context.now);
  while (context.now - resets.front() > kMassResetSpan) resets.pop_front();
  const size_t streams = state.connections.size() + resets.size();
  if (resets.size() < kMassResetMin || resets.size() * 100 <= streams * kMassResetPercent) {
    return false;
  }
  resets.clear();
  state.own_fault_until = context.now + kMassResetSpan;
  ForgiveAll(context, "many streams were reset at once: everyone gets a fresh window");
  return true;
}

void JudgeWorker(Context& context, Job& job, Worker& worker) {
  switch (worker.presence) {
    case Presence::kConnected:
    case Presence::kDetached:
      if (context.now - worker.last_heard >= job.deadlines.lease) {
        Lose(context, job, worker, LossCause::kSilence);
      }
      return;
    case Presence::kSuspect:
      if (context.now >= worker.patience_until) Lose(context, job, worker, LossCause::kReset);
      return;
    case Presence::kAwaited:
      if (context.now >= worker.patience_until) Lose(context, job, worker, LossCause::kSilence);
      return;
    case Presence::kLost:
      return;
  }
}

// Remembers who went before there were seats: the others wait for it.
void NoteLostEarly(Job& job, const Worker& worker, LostMember lost) {
  const bool seated = std::find(job.seats.begin(), job.seats.end(), worker.id) != job.seats.end();
  if (job.committed.has_value() || seated || lost.cause == LossCause::kLeft) return;
  lost.rank = worker.wanted_rank.value_or(GlobalRank());
  std::erase_if(job.lost_early, [&](const LostMember& old) { return old.worker == worker.id; });
  job.lost_early.push_back(std::move(lost));
  if (job.lost_early.size() > kLostEarlyMax) job.lost_early.erase(job.lost_early.begin());
}

// Forgets lost workers that nothing refers to: no seat, no epoch.
void ForgetStrangers(Job& job) {
  std::erase_if(job.workers, [&](const auto& entry) {
    const auto& [id, worker] = entry;
    if (worker.presence != Presence::kLost) return false;
    const bool seated = std::find(job.seats.begin(), job.seats.end(), id) != job.seats.end();
    const bool member = job.committed.has_value() && job.committed->membership.ranks.contains(id);
    const bool attempting = job.attempt.has_value() && job.attempt->membership.ranks.contains(id);
    return !seated && !member && !attempting && !job.contests.contains(id);
  });
}

}  // namespace

void SetConnected(Context& context, Job& job, Worker& worker, ConnectionId connection) {
  if (worker.presence != Presence::kConnected) ++job.connected;
  if (worker.presence == Presence::kLost) ++job.live;
  worker.presence = Presence::kConnected;
  worker.loss.reset();
  BuryZombie(job, worker.incarnation);
  worker.connection = connection;
  worker.last_heard = context.now;
  context.state.connections[connection] = {job.uid, worker.id};
  MarkDirty(context, job, worker);
}

void Suspect(Context& context, Job& job, Worker& worker) {
  const bool own_fault = IsOwnFault(context);
  Disconnect(job, worker, Presence::kSuspect);
  worker.connection = ConnectionId();
  worker.patience_until =
      context.now + (own_fault ? job.deadlines.lease : job.deadlines.reattach_grace);
  AddNote(context, job,
          {NoteKind::kWorkerSuspected, "", Epoch(), std::nullopt, worker.id, "stream reset"});
  if (SeenResetByPeers(job, worker, 1)) Lose(context, job, worker, LossCause::kReset);
}

void Lose(Context& context, Job& job, Worker& worker, LossCause cause, std::string_view evidence) {
  if (worker.presence == Presence::kLost) return;
  CloseLost(context, job, worker, cause);
  Disconnect(job, worker, Presence::kLost);
  --job.live;
  worker.loss = cause;
  const bool ended = cause == LossCause::kExit || cause == LossCause::kLeft;
  if (!ended && !worker.device.uuid.empty()) {
    const MonotonicTime until = worker.last_heard + job.deadlines.lease + job.deadlines.margin;
    job.zombies.push_back({worker.id, worker.incarnation, worker.host, worker.device, until});
  }
  AddNote(context, job,
          {NoteKind::kWorkerLost, "", Epoch(), std::nullopt, worker.id,
           absl::StrCat(CauseText(cause), evidence.empty() ? "" : ": ", std::string(evidence))});
  LostMember lost = DescribeLoss(context, worker, cause);
  NoteLostEarly(job, worker, lost);
  DropMember(context, job, std::move(lost));
}

void OnPeerResets(Context& context, Job& job, const Worker& reporter) {
  if (!job.committed.has_value() || reporter.report.reset_peers.empty()) return;
  Committed& committed = *job.committed;
  const auto rank = committed.membership.RankOf(reporter.id, reporter.incarnation);
  if (!rank.has_value()) return;
  for (const GlobalRank peer : reporter.report.reset_peers) {
    if (peer.value < 0 || peer.value >= std::ssize(committed.membership.members)) continue;
    if (!committed.resets[peer].insert(*rank).second) continue;
    const CommittedMember& member = committed.membership.members[static_cast<size_t>(peer.value)];
    Worker* accused = FindWorker(job, member.worker, member.incarnation);
    if (accused == nullptr) continue;
    const bool second_signal =
        accused->presence == Presence::kSuspect ||
        (accused->presence == Presence::kAwaited && SeenResetByPeers(job, *accused, 2));
    if (second_signal) Lose(context, job, *accused, LossCause::kReset);
  }
}

void BuryZombie(Job& job, Incarnation incarnation) {
  std::erase_if(job.zombies,
                [&](const Zombie& zombie) { return zombie.incarnation == incarnation; });
}

void JudgeLiveness(Context& context) {
  State& state = context.state;
  const bool paused =
      state.ticked && context.now - state.last_tick > state.tick_interval * kMissedTicksMax;
  state.last_tick = context.now;
  state.ticked = true;
  if (paused) ForgiveAll(context, "the coordinator paused: everyone gets a fresh window");
  for (auto& [uid, job] : state.jobs) {
    for (auto& [id, worker] : job.workers) JudgeWorker(context, job, worker);
    std::erase_if(job.zombies, [&](const Zombie& zombie) { return context.now >= zombie.until; });
    ForgetStrangers(job);
  }
}

}  // namespace muster::coordinator
