#include "coordinator/server/status_view.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/rank_ranges.h"
#include "common/wire/facts.h"
#include "common/wire/job_spec.h"
#include "common/wire/policy.h"
#include "common/wire/text.h"
#include "coordinator/core/publish.h"
#include "coordinator/core/transition.h"
#include "coordinator/server/why_view.h"
#include "google/protobuf/util/time_util.h"

namespace muster::coordinator {
namespace {

constexpr size_t kMessageBytesMax = 1024;

google::protobuf::Duration ToDuration(absl::Duration d) {
  return google::protobuf::util::TimeUtil::NanosecondsToDuration(
      std::max<int64_t>(0, absl::ToInt64Nanoseconds(d)));
}

void AddCondition(google::protobuf::RepeatedPtrField<v1::Condition>* conditions,
                  v1::ConditionType type, bool value, const std::string& reason,
                  const std::string& message, absl::Duration since) {
  v1::Condition* condition = conditions->Add();
  condition->set_type(type);
  condition->set_value(value ? v1::CONDITION_VALUE_TRUE : v1::CONDITION_VALUE_FALSE);
  condition->set_reason(reason);
  condition->set_message(FitText(message, kMessageBytesMax));
  *condition->mutable_since() = ToDuration(since);
}

void AddRanges(const std::set<GlobalRank>& ranks,
               google::protobuf::RepeatedPtrField<v1::RankRange>* out) {
  for (const GlobalRank rank : ranks) {
    if (!out->empty() && out->rbegin()->first() + out->rbegin()->count() == rank.value) {
      out->rbegin()->set_count(out->rbegin()->count() + 1);
    } else {
      v1::RankRange* range = out->Add();
      range->set_first(rank.value);
      range->set_count(1);
    }
  }
}

v1::TransitionStep StepOf(AttemptPhase phase) {
  switch (phase) {
    case AttemptPhase::kReserving:
    case AttemptPhase::kPreparing:
      return v1::TRANSITION_STEP_PREPARE;
    case AttemptPhase::kBuilding:
      return v1::TRANSITION_STEP_BUILD;
    case AttemptPhase::kCommitting:
      return v1::TRANSITION_STEP_COMMIT;
    case AttemptPhase::kRollingBack:
      return v1::TRANSITION_STEP_ROLLBACK;
  }
  return v1::TRANSITION_STEP_UNSPECIFIED;
}

void ViewConditions(const Job& job, MonotonicTime now, v1::JobStatus* status) {
  const ReadyState ready = JobReadiness(job);
  const absl::Duration since = now - (job.committed.has_value() ? job.committed->since : job.since);
  AddCondition(status->mutable_conditions(), v1::CONDITION_TYPE_READY, ready.ready, ready.reason,
               ready.message, since);
  if (job.attempt.has_value()) {
    AddCondition(status->mutable_conditions(), v1::CONDITION_TYPE_PROGRESSING, true, "Forming",
                 absl::StrCat("epoch ", job.attempt->epoch.value), now - job.attempt->started);
  }
  if (!job.held.empty()) {
    AddCondition(status->mutable_conditions(), v1::CONDITION_TYPE_HELD, true, "Held", job.held,
                 since);
  }
  if (job.deleted) {
    AddCondition(status->mutable_conditions(), v1::CONDITION_TYPE_DELETING, true, "Deleted",
                 "workers are giving everything back", since);
  }
}

std::optional<GlobalRank> SeatOf(const Job& job, const WorkerId& id) {
  const auto seat = std::find(job.seats.begin(), job.seats.end(), id);
  if (seat == job.seats.end()) return std::nullopt;
  return GlobalRank(static_cast<int32_t>(seat - job.seats.begin()));
}

int32_t LocalRank(const Job& job, const Worker& worker, GlobalRank rank) {
  int32_t local = 0;
  for (int32_t r = 0; r < rank.value; ++r) {
    const auto other = job.workers.find(job.seats[static_cast<size_t>(r)]);
    if (other != job.workers.end() && other->second.host.host_id == worker.host.host_id) ++local;
  }
  return local;
}

Epoch NewestEpoch(const Worker& worker) {
  Epoch newest;
  for (const Holding& holding : worker.report.holdings) {
    if (holding.state == HoldingState::kActive) newest = std::max(newest, holding.epoch);
  }
  return newest;
}

v1::WorkerStatus ViewWorker(const Job& job, const Worker& worker, MonotonicTime now) {
  v1::WorkerStatus view;
  view.set_job(job.spec->name);
  view.set_worker(worker.id);
  view.set_incarnation(worker.incarnation.value);
  *view.mutable_host() = ToProto(worker.host);
  if (!worker.device.uuid.empty()) *view.mutable_device() = ToProto(worker.device);
  view.set_epoch(NewestEpoch(worker).value);
  view.set_doing(FitText(worker.report.doing, 512));
  *view.mutable_silent_for() = ToDuration(now - worker.last_heard);
  *view.mutable_age() = ToDuration(now - worker.joined_at);
  if (const auto rank = SeatOf(job, worker.id); rank.has_value()) {
    view.set_rank(rank->value);
    view.set_local_rank(LocalRank(job, worker, *rank));
    for (const GroupMembership& group : job.layout->GroupsOf(*rank)) {
      if (group.size > 1) view.add_groups(job.layout->Name(group.id, ""));
    }
  }
  const bool lost = worker.presence == Presence::kLost;
  const bool ready = !lost && job.committed.has_value() && job.committed->lost.empty() &&
                     NewestEpoch(worker) == job.committed->epoch;
  const absl::Duration silent = now - worker.last_heard;
  AddCondition(view.mutable_conditions(), v1::CONDITION_TYPE_READY, ready,
               ready ? "Active" : "NotActive", "", now - worker.joined_at);
  AddCondition(view.mutable_conditions(), v1::CONDITION_TYPE_CONNECTED,
               worker.presence == Presence::kConnected, "Stream", "", silent);
  AddCondition(view.mutable_conditions(), v1::CONDITION_TYPE_LOST, lost, lost ? "Lost" : "Alive",
               "", silent);
  return view;
}

// `absent` are the ranks that are waited for before the first epoch; empty: those that are not
// active.
v1::GroupStatus ViewGroup(const Job& job, GroupId id, const std::set<GlobalRank>& absent,
                          MonotonicTime now) {
  v1::GroupStatus view;
  const GroupKind& kind = job.layout->kinds()[static_cast<size_t>(id.kind)];
  view.set_name(job.layout->Name(id, job.spec->name));
  view.set_mesh(kind.mesh);
  view.set_host_build(ToProto(kind.mode));
  const bool built = job.layout->IsBuilt(id);
  std::set<GlobalRank> missing;
  int32_t active = 0;
  for (const GlobalRank rank : job.layout->Members(id)) {
    view.add_ranks(rank.value);
    if (IsActive(job, rank)) {
      ++active;
    } else if (absent.empty() || absent.contains(rank)) {
      missing.insert(rank);
    }
  }
  view.set_ready(active);
  AddRanges(missing, view.mutable_missing());
  if (job.committed.has_value()) {
    view.set_epoch(job.committed->epoch.value);
    if (built) {
      view.set_built_in(job.committed->epoch.value);
      *view.mutable_age() = ToDuration(now - job.committed->since);
    }
  }
  const bool ended = job.committed.has_value() && !job.committed->lost.empty();
  const bool ready = active == view.ranks_size() && !ended;
  std::string message;
  if (ended) message = absl::StrCat("epoch ", job.committed->epoch.value, " ended; ");
  if (!missing.empty()) {
    absl::StrAppend(&message, "waiting for ranks ", FormatIdRanges(missing, 16));
  }
  AddCondition(view.mutable_conditions(), v1::CONDITION_TYPE_READY, ready,
               ready   ? "Ready"
               : ended ? "EpochEnded"
                       : "Waiting",
               message, now - (job.committed.has_value() ? job.committed->since : job.since));
  return view;
}

v1::EventKind KindOf(NoteKind kind) {
  // Both lists are in the same order; the wire's has "unspecified" in front.
  return static_cast<v1::EventKind>(static_cast<int>(kind) + 1);
}

}  // namespace

v1::Job ViewJob(const Job& job, MonotonicTime now, bool with_seats) {
  v1::Job view;
  view.set_uid(job.uid.value);
  view.set_generation(job.generation.value);
  *view.mutable_spec() = ToProto(*job.spec);
  v1::JobStatus* status = view.mutable_status();
  status->set_observed_generation(job.generation.value);
  *status->mutable_deadlines() = ToProto(job.deadlines);
  *status->mutable_age() = ToDuration(now - job.since);
  if (job.committed.has_value()) {
    status->set_epoch(job.committed->epoch.value);
    for (const LostMember& lost : job.committed->lost) *status->add_lost() = ToProto(lost);
  }
  if (job.attempt.has_value()) *status->mutable_attempt() = ViewAttempt(*job.attempt, now);
  ViewConditions(job, now, status);
  const int32_t seated = static_cast<int32_t>(
      std::count_if(job.seats.begin(), job.seats.end(), [&](const WorkerId& seat) {
        const auto holder = job.workers.find(seat);
        return holder != job.workers.end() && holder->second.presence != Presence::kLost;
      }));
  status->set_spares(job.seats.empty() ? 0 : std::max(0, job.live - seated));
  if (!with_seats) return view;
  status->set_provisional(job.seats.empty());
  const std::vector<WorkerId> seats = job.seats.empty() ? SeatsForAttempt(job) : job.seats;
  for (size_t rank = 0; rank < seats.size(); ++rank) {
    v1::Seat* seat = status->add_seats();
    seat->set_rank(static_cast<int32_t>(rank));
    seat->set_worker(seats[rank]);
    const auto holder = job.workers.find(seats[rank]);
    if (holder == job.workers.end()) continue;
    seat->set_incarnation(holder->second.incarnation.value);
    seat->set_hostname(holder->second.host.hostname);
  }
  return view;
}

v1::Attempt ViewAttempt(const Attempt& attempt, MonotonicTime now) {
  v1::Attempt view;
  view.set_epoch(attempt.epoch.value);
  view.set_step(StepOf(attempt.phase));
  *view.mutable_since() = ToDuration(now - attempt.started);
  AddRanges(attempt.waiting, view.mutable_waiting_for());
  return view;
}

std::vector<v1::WorkerStatus> ViewWorkers(const Job& job, MonotonicTime now) {
  std::vector<v1::WorkerStatus> views;
  for (const auto& [id, worker] : job.workers) views.push_back(ViewWorker(job, worker, now));
  std::stable_sort(views.begin(), views.end(), [](const auto& a, const auto& b) {
    if (a.has_rank() != b.has_rank()) return a.has_rank();
    return a.has_rank() && a.rank() < b.rank();
  });
  return views;
}

std::vector<v1::GroupStatus> ViewGroups(const Job& job, MonotonicTime now) {
  std::vector<v1::GroupStatus> views;
  const std::vector<GroupKind>& kinds = job.layout->kinds();
  std::set<GlobalRank> absent;
  if (!job.committed.has_value()) {
    const std::vector<GlobalRank> ranks = MissingRanks(job);
    absent.insert(ranks.begin(), ranks.end());
  }
  for (int32_t kind = 0; kind < std::ssize(kinds); ++kind) {
    for (int32_t index = 0; index < kinds[static_cast<size_t>(kind)].group_count; ++index) {
      views.push_back(ViewGroup(job, GroupId{kind, index}, absent, now));
    }
  }
  return views;
}

std::vector<v1::Event> ViewEvents(const Job& job, MonotonicTime now) {
  std::vector<v1::Event> views;
  int64_t number = static_cast<int64_t>(job.notes.dropped());
  for (const Note& note : job.notes.events()) {
    v1::Event event;
    event.set_number(++number);
    event.set_kind(KindOf(note.kind));
    event.set_job(note.job);
    event.set_epoch(note.epoch.value);
    if (note.rank.has_value()) event.set_rank(note.rank->value);
    event.set_worker(note.worker);
    event.set_message(FitText(note.text, kMessageBytesMax));
    *event.mutable_age() = ToDuration(now - note.at);
    views.push_back(std::move(event));
  }
  return views;
}

}  // namespace muster::coordinator
