#include "coordinator/core/transition.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/rank_ranges.h"
#include "coordinator/core/publish.h"
#include "coordinator/core/seats.h"

namespace muster::coordinator {
namespace {

constexpr absl::Duration kFirstBackoff = absl::Milliseconds(100);
constexpr size_t kRangesShownMax = 16;

const Holding* FindHolding(const Job& job, const Worker& worker, Epoch epoch) {
  if (worker.report.job != job.uid) return nullptr;
  for (const Holding& holding : worker.report.holdings) {
    if (holding.epoch == epoch) return &holding;
  }
  return nullptr;
}

// Whether a worker without a seat may get one that lost its holder. Before the first commit anyone
// may. Later a job holds for its members: a spare stays a spare, and only who came after the loss
// was brought for it. In a job without spares there is no other reason to be there.
bool MayFill(const Job& job, const Worker& worker) {
  return !job.committed.has_value() || job.spec->spares == 0 ||
         worker.joined_at >= job.committed->lost_since;
}

// Live workers that still have resources of an epoch that is neither the committed one nor due.
std::vector<GlobalRank> Unfreed(const Job& job, const std::vector<WorkerId>& seats) {
  std::vector<GlobalRank> ranks;
  for (size_t rank = 0; rank < seats.size(); ++rank) {
    const Worker& worker = job.workers.at(seats[rank]);
    for (const Holding& holding : worker.report.holdings) {
      const bool kept = job.committed.has_value() && holding.epoch == job.committed->epoch &&
                        holding.state != HoldingState::kFreeing;
      if (!kept) {
        ranks.push_back(GlobalRank(static_cast<int32_t>(rank)));
        break;
      }
    }
  }
  return ranks;
}

void Hold(Context& context, Job& job, std::string reason) {
  if (job.held == reason) return;
  job.held = std::move(reason);
  if (!job.held.empty()) {
    AddNote(context, job, {NoteKind::kJobHeld, "", job.reserved, std::nullopt, "", job.held});
  }
}

std::set<GlobalRank> AllRanks(const Membership& membership) {
  std::set<GlobalRank> ranks;
  for (int32_t r = 0; r < std::ssize(membership.members); ++r)
    ranks.insert(ranks.end(), GlobalRank(r));
  return ranks;
}

Membership MembershipOf(const Job& job, const std::vector<WorkerId>& seats) {
  Membership membership;
  for (size_t rank = 0; rank < seats.size(); ++rank) {
    const Worker& worker = job.workers.at(seats[rank]);
    membership.members.push_back({worker.id, worker.incarnation, worker.host, worker.device});
    membership.ranks[worker.id] = GlobalRank(static_cast<int32_t>(rank));
  }
  return membership;
}

void StartAttempt(Context& context, Job& job, const std::vector<WorkerId>& seats) {
  Attempt attempt;
  attempt.epoch = Epoch(job.reserved.value + 1);
  attempt.started = context.now;
  attempt.membership = MembershipOf(job, seats);
  for (size_t rank = 0; rank < seats.size(); ++rank) {
    const bool changed = job.seats.empty() || job.seats[rank] != seats[rank];
    if (changed) attempt.grants.push_back({GlobalRank(static_cast<int32_t>(rank)), seats[rank]});
  }
  job.reserved = attempt.epoch;
  Write(context, EpochReserved{job.uid, attempt.epoch, attempt.grants});
  job.attempt = std::move(attempt);
}

void EnterPhase(Context& context, Job& job, AttemptPhase phase, absl::Duration within) {
  job.attempt->phase = phase;
  job.attempt->deadline = context.now + within;
  job.attempt->waiting = AllRanks(job.attempt->membership);
  MarkAllDirty(context, job);
}

void StartCommit(Context& context, Job& job) {
  if (job.delete_pending) return Rollback(context, job, "the job is being deleted");
  job.attempt->phase = AttemptPhase::kCommitting;
  Write(context, EpochCommitted{job.uid, job.attempt->epoch, job.generation,
                                job.attempt->membership.members});
}

void FinishRollback(Context& context, Job& job) {
  const Attempt attempt = std::move(*job.attempt);
  job.attempt.reset();
  AddNote(context, job,
          {NoteKind::kEpochRolledBack, "", attempt.epoch, std::nullopt, "", attempt.cause});
  job.next_attempt_at = context.now + kFirstBackoff * (1 << std::min(job.failed_attempts, 4));
  if (job.failed_attempts >= kAttemptsMax) {
    Hold(context, job,
         absl::StrCat(job.failed_attempts, " attempts failed, the last one: ", attempt.cause));
  }
  MarkAllDirty(context, job);
}

std::string DescribeFailure(const Worker& worker, GlobalRank rank, const BuildFailure& failure) {
  std::string text =
      absl::StrCat("rank ", rank.value, " (worker ", worker.id, " on ", worker.host.hostname,
                   ") could not build ", failure.group.empty() ? "its groups" : failure.group, ": ",
                   failure.reason);
  if (failure.peer.has_value())
    absl::StrAppend(&text, " (accused: rank ", failure.peer->value, ")");
  return text;
}

void AdvanceFormation(Context& context, Job& job, const Worker& worker, GlobalRank rank,
                      const Holding& holding) {
  Attempt& attempt = *job.attempt;
  if (holding.state == HoldingState::kFailed) {
    ++job.failed_attempts;
    const BuildFailure failure = holding.failure.value_or(BuildFailure{});
    return Rollback(context, job, DescribeFailure(worker, rank, failure));
  }
  if (attempt.phase == AttemptPhase::kPreparing && holding.state >= HoldingState::kPrepared) {
    if (attempt.waiting.erase(rank) == 0) return;
    attempt.endpoints[rank] = holding.endpoints;
    if (!attempt.waiting.empty()) return;
    EnterPhase(context, job, AttemptPhase::kBuilding, job.deadlines.build);
    AddNote(context, job, {NoteKind::kEpochBuilding, "", attempt.epoch, std::nullopt, "", ""});
  } else if (attempt.phase == AttemptPhase::kBuilding && holding.state == HoldingState::kBuilt) {
    if (attempt.waiting.erase(rank) == 0) return;
    if (attempt.waiting.empty()) StartCommit(context, job);
  }
}

void AdvanceAttempt(Context& context, Job& job, const Worker& worker) {
  if (!job.attempt.has_value()) return;
  Attempt& attempt = *job.attempt;
  const auto rank = attempt.membership.RankOf(worker.id, worker.incarnation);
  if (!rank.has_value()) return;

  const Holding* holding = FindHolding(job, worker, attempt.epoch);
  if (attempt.phase == AttemptPhase::kRollingBack) {
    const bool knows = worker.report.store == context.state.store &&
                       worker.report.term == context.state.term &&
                       worker.report.revision > attempt.rollback_since;
    if (holding != nullptr || !knows) return;
    attempt.waiting.erase(*rank);
    if (attempt.waiting.empty()) FinishRollback(context, job);
    return;
  }
  if (holding != nullptr) AdvanceFormation(context, job, worker, *rank, *holding);
}

void EndCommitted(Context& context, Job& job, const LostMember& lost) {
  if (!job.committed.has_value()) return;
  Committed& committed = *job.committed;
  const auto rank = committed.membership.RankOf(lost.worker, lost.incarnation);
  if (!rank.has_value()) return;
  const bool known = std::any_of(committed.lost.begin(), committed.lost.end(),
                                 [&](const LostMember& other) { return other.rank == *rank; });
  if (known) return;

  if (committed.lost.empty()) committed.lost_since = context.now;
  LostMember member = lost;
  member.rank = *rank;
  committed.lost.push_back(member);
  committed.not_active.erase(*rank);
  MarkAllDirty(context, job);
  if (committed.lost.size() > 1) return;
  AddNote(context, job,
          {NoteKind::kEpochEnded, "", committed.epoch, *rank, lost.worker,
           absl::StrCat("rank ", rank->value, " was lost")});
}

// A loss is not journalled, so after a restart only a member's report tells that the epoch is over:
// it says so, or it has freed the epoch although it was told that it is committed.
bool IsOverFor(const Context& context, const Committed& committed, const Worker& worker,
               const Holding* holding) {
  if (!committed.adopted) return false;
  if (holding != nullptr) return holding->state == HoldingState::kEnded;
  return worker.report.store == context.state.store && worker.report.term == context.state.term;
}

void AdvanceCommitted(Context& context, Job& job, const Worker& worker) {
  if (!job.committed.has_value() || !job.committed->lost.empty()) return;
  Committed& committed = *job.committed;
  const auto rank = committed.membership.RankOf(worker.id, worker.incarnation);
  if (!rank.has_value()) return;

  const Holding* holding = FindHolding(job, worker, committed.epoch);
  if (IsOverFor(context, committed, worker, holding)) {
    return EndCommitted(context, job, DescribeLoss(context, worker, LossCause::kEarlier));
  }
  const bool active = holding != nullptr && holding->state == HoldingState::kActive;
  if (!active || committed.not_active.erase(*rank) == 0) return;
  if (committed.not_active.empty()) {
    AddNote(context, job, {NoteKind::kEpochActive, "", committed.epoch, std::nullopt, "", ""});
  }
}

void LoseFromAttempt(Context& context, Job& job, const LostMember& lost) {
  if (!job.attempt.has_value()) return;
  Attempt& attempt = *job.attempt;
  const auto rank = attempt.membership.RankOf(lost.worker, lost.incarnation);
  if (!rank.has_value()) return;
  switch (attempt.phase) {
    case AttemptPhase::kReserving:
      attempt.cancelled = true;
      return;
    case AttemptPhase::kCommitting:
      attempt.lost_late.push_back(lost);
      return;
    case AttemptPhase::kRollingBack:
      attempt.waiting.erase(*rank);
      if (attempt.waiting.empty()) FinishRollback(context, job);
      return;
    case AttemptPhase::kPreparing:
    case AttemptPhase::kBuilding:
      Rollback(context, job,
               absl::StrCat("rank ", rank->value, " (worker ", lost.worker, " on ", lost.hostname,
                            ") was lost"));
      return;
  }
}

Job* FindJob(State& state, JobUid uid) {
  const auto it = state.jobs.find(uid);
  return it == state.jobs.end() ? nullptr : &it->second;
}

void BecomeReadOnly(Context& context, Job& job) {
  context.state.read_only = true;
  AddNote(context, job,
          {NoteKind::kReadOnly, "", job.reserved, std::nullopt, "",
           "the journal is full: nothing new is decided until it has room and the "
           "coordinator is started again"});
}

}  // namespace

std::vector<WorkerId> SeatsForAttempt(const Job& job) {
  std::vector<WorkerId> seats = job.seats;
  seats.resize(static_cast<size_t>(job.layout->world_size()));
  std::vector<WorkerId> holders = seats;
  std::set<WorkerId> seated;
  for (WorkerId& seat : seats) {
    const auto worker = job.workers.find(seat);
    const bool vacant = worker == job.workers.end() || worker->second.presence == Presence::kLost;
    if (vacant) {
      seat.clear();
    } else {
      seated.insert(seat);
    }
  }
  std::vector<Candidate> candidates;
  for (const auto& [id, worker] : job.workers) {
    if (seated.contains(id) || !IsEligible(job, worker) || !MayFill(job, worker)) continue;
    candidates.push_back(
        {id, worker.wanted_rank, worker.host.host_id, worker.host.hostname, worker.device.index});
  }
  seats = AllotSeats(std::move(seats), std::move(candidates));
  for (size_t rank = 0; rank < seats.size(); ++rank) {
    if (seats[rank].empty()) seats[rank] = std::move(holders[rank]);
  }
  return seats;
}

void TryStartAttempt(Context& context, Job& job) {
  const bool wanted = !job.committed.has_value() || !job.committed->lost.empty();
  if (!wanted || job.attempt.has_value() || job.deleted || job.delete_pending) return;
  if (context.state.read_only) return Hold(context, job, "the journal is full");
  if (job.failed_attempts >= kAttemptsMax || context.now < job.next_attempt_at) return;
  if (job.connected < job.layout->world_size()) return Hold(context, job, "");

  const std::vector<WorkerId> seats = SeatsForAttempt(job);
  for (const WorkerId& id : seats) {
    const auto worker = job.workers.find(id);
    if (worker == job.workers.end() || !IsEligible(job, worker->second)) {
      return Hold(context, job, "");
    }
  }
  const std::vector<GlobalRank> unfreed = Unfreed(job, seats);
  if (!unfreed.empty()) {
    return Hold(context, job,
                absl::StrCat("ranks ", FormatIdRanges(unfreed, kRangesShownMax),
                             " have not given back an earlier epoch"));
  }
  Hold(context, job, "");
  StartAttempt(context, job, seats);
}

void AdvanceMember(Context& context, Job& job, const Worker& worker) {
  AdvanceAttempt(context, job, worker);
  AdvanceCommitted(context, job, worker);
}

void Rollback(Context& context, Job& job, const std::string& cause) {
  if (!job.attempt.has_value()) return;
  Attempt& attempt = *job.attempt;
  if (attempt.phase == AttemptPhase::kReserving) {
    attempt.cancelled = true;
    return;
  }
  if (attempt.phase == AttemptPhase::kCommitting || attempt.phase == AttemptPhase::kRollingBack) {
    return;
  }
  attempt.cause = cause;
  attempt.rollback_since = context.state.revision;
  EnterPhase(context, job, AttemptPhase::kRollingBack, job.deadlines.retire);
  std::erase_if(attempt.waiting, [&](GlobalRank rank) {
    const CommittedMember& member = attempt.membership.members[static_cast<size_t>(rank.value)];
    const Worker* worker = FindWorker(job, member.worker, member.incarnation);
    return worker == nullptr || worker->presence == Presence::kLost;
  });
  if (attempt.waiting.empty()) FinishRollback(context, job);
}

void DropMember(Context& context, Job& job, const LostMember& lost) {
  job.failed_attempts = 0;
  LoseFromAttempt(context, job, lost);
  EndCommitted(context, job, lost);
}

void JudgeAttemptDeadline(Context& context, Job& job) {
  if (!job.attempt.has_value() || context.now < job.attempt->deadline) return;
  const Attempt& attempt = *job.attempt;
  const std::string late = FormatIdRanges(attempt.waiting, kRangesShownMax);
  if (attempt.phase == AttemptPhase::kRollingBack) {
    // Whoever lives gives it back or is lost; until then nobody may be asked to hold more.
    return Hold(context, job,
                absl::StrCat("ranks ", late, " have not given back epoch ", attempt.epoch.value));
  }
  if (attempt.phase == AttemptPhase::kPreparing || attempt.phase == AttemptPhase::kBuilding) {
    const bool preparing = attempt.phase == AttemptPhase::kPreparing;
    const absl::Duration given = preparing ? job.deadlines.prepare : job.deadlines.build;
    ++job.failed_attempts;
    Rollback(context, job,
             absl::StrCat("ranks ", late, " did not ", preparing ? "prepare" : "build", " within ",
                          absl::FormatDuration(given)));
  }
}

void OnReserved(Context& context, const EpochReserved& record, JournalResult result) {
  Job* job = FindJob(context.state, record.job);
  if (job == nullptr || !job->attempt.has_value()) return;
  if (result != JournalResult::kWritten) {
    job->attempt.reset();
    return BecomeReadOnly(context, *job);
  }
  job->seats.resize(static_cast<size_t>(job->layout->world_size()));
  for (const SeatGrant& grant : record.seats) {
    job->seats[static_cast<size_t>(grant.rank.value)] = grant.worker;
  }
  if (job->attempt->cancelled) {
    job->attempt.reset();
    return;
  }
  EnterPhase(context, *job, AttemptPhase::kPreparing, job->deadlines.prepare);
  AddNote(context, *job, {NoteKind::kEpochReserved, "", record.epoch, std::nullopt, "", ""});
}

void OnCommitted(Context& context, const EpochCommitted& record, JournalResult result) {
  Job* job = FindJob(context.state, record.job);
  if (job == nullptr || !job->attempt.has_value()) return;
  if (result != JournalResult::kWritten) {
    job->attempt->phase = AttemptPhase::kBuilding;
    BecomeReadOnly(context, *job);
    return Rollback(context, *job, "the journal is full");
  }
  Attempt attempt = std::move(*job->attempt);
  job->attempt.reset();
  job->failed_attempts = 0;
  Committed committed;
  committed.epoch = attempt.epoch;
  committed.generation = record.generation;
  committed.since = context.now;
  committed.not_active = AllRanks(attempt.membership);
  committed.membership = std::move(attempt.membership);
  job->committed = std::move(committed);
  job->traced_groups.clear();
  job->lost_early.clear();
  Hold(context, *job, "");
  MarkAllDirty(context, *job);
  AddNote(context, *job, {NoteKind::kEpochCommitted, "", record.epoch, std::nullopt, "", ""});
  for (const LostMember& lost : attempt.lost_late) EndCommitted(context, *job, lost);
}

}  // namespace muster::coordinator
