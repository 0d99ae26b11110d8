#include "coordinator/core/publish.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/rank_ranges.h"
#include "coordinator/core/seats.h"
#include "coordinator/core/tracing.h"
#include "coordinator/core/transition.h"

namespace muster::coordinator {
namespace {

// The endpoint that `from` offers to `to` in `group`; empty if it offers none.
std::string EndpointFor(const Attempt& attempt, GlobalRank from, GroupId group, GroupRank to) {
  const auto it = attempt.endpoints.find(from);
  if (it == attempt.endpoints.end()) return "";
  const auto by_group = [](const Endpoint& endpoint, GroupId id) { return endpoint.group < id; };
  auto at = std::lower_bound(it->second.begin(), it->second.end(), group, by_group);
  for (; at != it->second.end() && at->group == group; ++at) {
    if (!at->to.has_value() || *at->to == to) return at->bytes;
  }
  return "";
}

std::vector<Peer> PeersOf(const Job& job, const Attempt& attempt, GlobalRank reader) {
  std::vector<Peer> peers;
  for (const GroupMembership& group : job.layout->GroupsOf(reader)) {
    if (!job.layout->IsBuilt(group.id)) continue;
    const std::vector<GlobalRank> members = job.layout->Members(group.id);
    for (size_t i = 0; i < members.size(); ++i) {
      if (members[i] == reader) continue;
      const size_t at = static_cast<size_t>(members[i].value);
      peers.push_back(Peer{group.id, GroupRank(static_cast<int32_t>(i)), members[i],
                           attempt.membership.members[at].incarnation,
                           EndpointFor(attempt, members[i], group.id, group.rank)});
    }
  }
  return peers;
}

std::optional<AttemptView> ViewFor(const Job& job, const Worker& worker) {
  if (!job.attempt.has_value() || job.attempt->phase == AttemptPhase::kReserving) {
    return std::nullopt;
  }
  const Attempt& attempt = *job.attempt;
  const std::optional<GlobalRank> rank = attempt.membership.RankOf(worker.id, worker.incarnation);
  if (!rank.has_value()) return std::nullopt;

  AttemptView view{attempt.epoch, AttemptStep::kPrepare, *rank, {}};
  if (attempt.phase == AttemptPhase::kRollingBack) view.step = AttemptStep::kRollback;
  if (attempt.phase == AttemptPhase::kBuilding || attempt.phase == AttemptPhase::kCommitting) {
    view.step = AttemptStep::kBuild;
    view.peers = PeersOf(job, attempt, *rank);
  }
  return view;
}

std::vector<ProcessProbe> ProbesFor(const Job& job, const Worker& worker) {
  std::vector<ProcessProbe> probes;
  for (const Zombie& zombie : job.zombies) {
    const bool can_look = zombie.host.boot_id == worker.host.boot_id &&
                          zombie.host.pid_namespace == worker.host.pid_namespace &&
                          zombie.host.pid != 0;
    if (can_look) {
      probes.push_back({zombie.incarnation, zombie.host.pid, zombie.host.process_start});
    }
  }
  return probes;
}

void Send(Context& context, Job& job, Worker& worker) {
  Assignment assignment = BuildAssignment(context.state, job, worker);
  assignment.revision = worker.published;
  worker.published_at = context.now;
  context.effects.push_back(Publish{worker.connection, std::move(assignment)});
}

}  // namespace

void MarkDirty(Context& context, Job& job, Worker& worker) {
  if (worker.dirty) return;
  worker.dirty = true;
  context.state.dirty.emplace_back(job.uid, worker.id);
}

void MarkAllDirty(Context& context, Job& job) {
  for (auto& [id, worker] : job.workers) MarkDirty(context, job, worker);
}

void FlushPublishes(Context& context) {
  State& state = context.state;
  for (const auto& [uid, id] : std::exchange(state.dirty, {})) {
    const auto job = state.jobs.find(uid);
    if (job == state.jobs.end()) continue;
    const auto worker = job->second.workers.find(id);
    if (worker == job->second.workers.end() || !worker->second.dirty) continue;
    worker->second.dirty = false;
    ++state.revision.value;
    worker->second.published = state.revision;
    if (worker->second.presence == Presence::kConnected) {
      Send(context, job->second, worker->second);
    }
  }
}

void ResendUnacknowledged(Context& context) {
  for (auto& [uid, job] : context.state.jobs) {
    for (auto& [id, worker] : job.workers) {
      // What changed since goes out under a number of its own.
      if (worker.presence != Presence::kConnected || worker.dirty) continue;
      if (worker.published.value == 0) continue;
      const bool seen = worker.report.store == context.state.store &&
                        worker.report.term == context.state.term &&
                        worker.report.revision >= worker.published;
      const bool due = context.now - worker.published_at >= job.deadlines.heartbeat;
      if (!seen && due) Send(context, job, worker);
    }
  }
}

void TellNews(Context& context, Job& job, absl::Duration interval) {
  if (context.now < job.next_news_at) return;
  job.next_news_at = context.now + interval;
  std::string news = WaitingFor(job);
  std::vector<LostMember> awaited = AwaitedMembers(job);
  if (news == job.news && awaited == job.awaited) return;
  job.news = std::move(news);
  job.awaited = std::move(awaited);
  MarkAllDirty(context, job);
}

Assignment BuildAssignment(const State& state, const Job& job, const Worker& worker) {
  Assignment assignment;
  assignment.store = state.store;
  assignment.term = state.term;
  assignment.to = worker.incarnation;
  assignment.job = job.uid;
  assignment.deleted = job.deleted;
  assignment.spec = job.spec;
  assignment.generation = job.generation;
  assignment.deadlines = job.deadlines;
  assignment.ping = worker.ping;
  if (job.deleted) return assignment;

  if (job.committed.has_value()) {
    const auto rank = job.committed->membership.RankOf(worker.id, worker.incarnation);
    if (rank.has_value()) {
      assignment.committed = job.committed->epoch;
      assignment.committed_rank = *rank;
      assignment.lost = job.committed->lost;
    }
  }
  assignment.attempt = ViewFor(job, worker);
  assignment.probes = ProbesFor(job, worker);
  assignment.waiting_for = job.news;
  assignment.awaited = job.awaited;
  assignment.traced_groups = TracedGroupsOf(job, worker);
  return assignment;
}

std::string WaitingFor(const Job& job) {
  if (!job.held.empty()) return job.held;
  const bool running = job.committed.has_value() && job.committed->lost.empty();
  if (running || job.attempt.has_value() || job.deleted) return "";
  const std::vector<GlobalRank> missing = MissingRanks(job);
  if (missing.empty()) return "";
  const int32_t world = job.layout->world_size();
  return absl::StrCat(world - std::ssize(missing), " of ", world,
                      " ranks are here, missing: ranks ", FormatIdRanges(missing, 16));
}

std::vector<LostMember> AwaitedMembers(const Job& job) {
  std::vector<LostMember> awaited;
  if ((job.committed.has_value() && job.committed->lost.empty()) || job.deleted) return awaited;
  for (const GlobalRank rank : MissingRanks(job)) {
    const auto at = static_cast<size_t>(rank.value);
    const auto worker = at < job.seats.size() ? job.workers.find(job.seats[at]) : job.workers.end();
    if (worker == job.workers.end() || !worker->second.loss.has_value()) continue;
    if (worker->second.loss == LossCause::kLeft) continue;  // It is not to blame that it went.
    LostMember lost;
    lost.rank = rank;
    lost.worker = worker->second.id;
    lost.hostname = worker->second.host.hostname;
    lost.incarnation = worker->second.incarnation;
    lost.cause = *worker->second.loss;
    awaited.push_back(std::move(lost));
  }
  for (const LostMember& early : job.lost_early) {
    const auto back = job.workers.find(early.worker);
    const bool here = back != job.workers.end() && back->second.presence != Presence::kLost;
    if (!here) awaited.push_back(early);
  }
  return awaited;
}

std::vector<GlobalRank> MissingRanks(const Job& job) {
  const std::vector<WorkerId> seats = SeatsForAttempt(job);
  std::vector<GlobalRank> missing;
  for (size_t rank = 0; rank < seats.size(); ++rank) {
    const auto worker = job.workers.find(seats[rank]);
    if (worker == job.workers.end() || !IsEligible(job, worker->second)) {
      missing.push_back(GlobalRank(static_cast<int32_t>(rank)));
    }
  }
  return missing;
}

}  // namespace muster::coordinator
