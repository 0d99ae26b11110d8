#include "coordinator/core/load.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "coordinator/core/requests.h"

namespace muster::coordinator {
namespace {

// A worker that the journal names and nobody has seen in this run.
Worker Awaited(const CommittedMember& member, const Deadlines& deadlines, MonotonicTime now) {
  Worker worker;
  worker.id = member.worker;
  worker.incarnation = member.incarnation;
  worker.host = member.host;
  worker.device = member.device;
  worker.presence = Presence::kAwaited;
  worker.joined_at = now;
  worker.last_heard = now;
  worker.patience_until = now + deadlines.reattach_window;
  return worker;
}

// Applies one record; gives what is wrong with it, or an empty text.
class Loader {
 public:
  Loader(State& state, MonotonicTime now) : state_(state), now_(now) {}

  std::string operator()(const TermStarted& record) {
    if (record.term <= state_.term) return "the term does not rise";
    state_.term = record.term;
    return "";
  }

  std::string operator()(const JobAccepted& record) {
    if (state_.names.contains(record.spec.name)) return "the job exists already";
    if (!ValidateJobSpec(record.spec).ok()) return "the spec is not valid";
    CreateJob(state_, record, now_);
    Request request;
    request.spec = record.spec;
    request.job = record.spec.name;
    request.uid = record.job;
    request.generation = record.generation;
    Remember(record.request_id, std::move(request));
    return "";
  }

  std::string operator()(const EpochReserved& record) {
    Job* job = FindJob(record.job);
    if (job == nullptr) return "there is no such job";
    if (record.epoch <= job->reserved) return "the epoch was reserved before";
    job->reserved = record.epoch;
    job->seats.resize(static_cast<size_t>(job->layout->world_size()));
    for (const SeatGrant& grant : record.seats) {
      if (!job->layout->HasRank(grant.rank)) return "a seat is outside the world";
      job->seats[static_cast<size_t>(grant.rank.value)] = grant.worker;
    }
    return "";
  }

  std::string operator()(const EpochCommitted& record) {
    Job* job = FindJob(record.job);
    if (job == nullptr) return "there is no such job";
    if (record.epoch != job->reserved) return "the epoch is not the one that was reserved last";
    if (std::ssize(record.members) != job->layout->world_size()) {
      return "the members are not as many as the world";
    }
    Committed committed;
    committed.epoch = record.epoch;
    committed.generation = record.generation;
    committed.since = now_;
    committed.adopted = true;
    committed.membership.members = record.members;
    job->workers.clear();
    for (int32_t rank = 0; rank < std::ssize(record.members); ++rank) {
      const CommittedMember& member = record.members[static_cast<size_t>(rank)];
      committed.membership.ranks[member.worker] = GlobalRank(rank);
      committed.not_active.insert(GlobalRank(rank));
      job->workers[member.worker] = Awaited(member, job->deadlines, now_);
      NoteClaims(*job, job->workers[member.worker]);
    }
    job->live = job->layout->world_size();
    job->committed = std::move(committed);
    return "";
  }

  std::string operator()(const JobDeleted& record) {
    Job* job = FindJob(record.job);
    if (job == nullptr) return "there is no such job";
    Request request;
    request.is_delete = true;
    request.job = job->spec->name;
    request.uid = job->uid;
    request.generation = job->generation;
    Remember(record.request_id, std::move(request));
    state_.names.erase(job->spec->name);
    state_.jobs.erase(record.job);
    return "";
  }

 private:
  Job* FindJob(JobUid uid) {
    const auto it = state_.jobs.find(uid);
    return it == state_.jobs.end() ? nullptr : &it->second;
  }

  void Remember(const std::string& request_id, Request request) {
    request.finished = true;
    state_.requests[request_id] = std::move(request);
    RememberFinished(state_, request_id);
  }

  State& state_;
  const MonotonicTime now_;
};

}  // namespace

absl::StatusOr<State> LoadState(const JournalContents& contents, MonotonicTime now) {
  State state;
  state.store = contents.store;
  Loader loader(state, now);
  for (size_t i = 0; i < contents.records.size(); ++i) {
    const std::string wrong = std::visit(loader, contents.records[i]);
    if (!wrong.empty()) return absl::DataLossError(absl::StrCat("journal record ", i, ": ", wrong));
  }
  return state;
}

Job& CreateJob(State& state, const JobAccepted& record, MonotonicTime now) {
  absl::StatusOr<Layout> layout = ValidateJobSpec(record.spec);
  MUSTER_CHECK(layout.ok(), "an accepted spec is valid");
  Job job;
  job.uid = record.job;
  job.generation = record.generation;
  job.spec = std::make_shared<const JobSpec>(record.spec);
  job.layout = std::make_shared<const Layout>(*std::move(layout));
  job.deadlines = *DeriveDeadlines(record.spec.recovery, record.spec.deadline_overrides);
  job.since = now;
  state.names[record.spec.name] = record.job;
  return state.jobs[record.job] = std::move(job);
}

}  // namespace muster::coordinator
