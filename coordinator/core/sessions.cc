#include "coordinator/core/sessions.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/rank_ranges.h"
#include "coordinator/core/admission.h"
#include "coordinator/core/liveness.h"
#include "coordinator/core/publish.h"
#include "coordinator/core/tracing.h"
#include "coordinator/core/transition.h"

namespace muster::coordinator {
namespace {

constexpr size_t kRangesShownMax = 16;

Job* FindJob(State& state, const std::string& name) {
  const auto it = state.names.find(name);
  return it == state.names.end() ? nullptr : &state.jobs.at(it->second);
}

absl::Status Error(absl::StatusCode code, ErrorKind kind, const std::string& message,
                   const Hello& hello, std::string remedy) {
  ErrorDetail detail;
  detail.kind = kind;
  detail.job = hello.job;
  detail.workers = {hello.worker};
  detail.remedy = std::move(remedy);
  return MakeError(code, message, std::move(detail));
}

void Refuse(Context& context, Job& job, ConnectionId connection, const Hello& hello,
            absl::Status status) {
  AddNote(context, job,
          {NoteKind::kWorkerRefused, "", Epoch(), std::nullopt, hello.worker,
           std::string(status.message())});
  context.effects.push_back(CloseStream{connection, std::move(status)});
}

bool HasTrouble(const Report& report) {
  return std::any_of(report.traces.begin(), report.traces.end(),
                     [](const GroupTrace& trace) { return trace.trouble; });
}

// Takes a report in if it is newer than what is known.
void TakeReport(Context& context, Job& job, Worker& worker, const Report& report) {
  worker.last_heard = context.now;
  if (report.incarnation != worker.incarnation || report.number <= worker.report.number) return;
  const bool trouble = HasTrouble(worker.report) || HasTrouble(report);
  worker.report = report;
  if (trouble) OnTroubles(context, job);
  if (worker.ping != 0 && report.pong == worker.ping) worker.ping = 0;
  for (const Incarnation dead : report.proved_dead) BuryZombie(job, dead);
  OnPeerResets(context, job, worker);
  AdvanceMember(context, job, worker);
}

void Enter(Context& context, Job& job, ConnectionId connection, const Hello& hello) {
  if (absl::Status status = CheckRoom(job, hello); !status.ok()) {
    return Refuse(context, job, connection, hello, std::move(status));
  }
  Worker worker;
  worker.id = hello.worker;
  worker.incarnation = hello.incarnation;
  worker.session = hello.session;
  worker.host = hello.host;
  worker.device = hello.device;
  const bool in_world = hello.wanted_rank.has_value() && job.layout->HasRank(*hello.wanted_rank);
  if (in_world) worker.wanted_rank = hello.wanted_rank;
  worker.presence = Presence::kLost;
  worker.joined_at = context.now;
  Worker& entered = job.workers[hello.worker] = std::move(worker);
  NoteClaims(job, entered);
  SetConnected(context, job, entered, connection);
  job.failed_attempts = 0;
  AddNote(context, job,
          {NoteKind::kWorkerJoined, "", Epoch(), std::nullopt, hello.worker,
           absl::StrCat("on ", hello.host.hostname)});
  TakeReport(context, job, entered, hello.report);
}

void CloseReplaced(Context& context, Worker& worker, const Hello& hello) {
  if (worker.connection.value == 0) return;
  context.state.connections.erase(worker.connection);
  context.effects.push_back(
      CloseStream{worker.connection,
                  Error(absl::StatusCode::kUnavailable, ErrorKind::kStaleSession,
                        absl::StrCat("worker '", worker.id, "' has a newer stream"), hello, "")});
  worker.connection = ConnectionId();
}

void Reattach(Context& context, Job& job, Worker& worker, ConnectionId connection,
              const Hello& hello) {
  const bool fenced = worker.loss == LossCause::kExit || worker.loss == LossCause::kSuperseded ||
                      worker.loss == LossCause::kLeft;
  if (fenced) {
    return Refuse(context, job, connection, hello,
                  Error(absl::StatusCode::kFailedPrecondition, ErrorKind::kStaleIncarnation,
                        absl::StrCat("worker '", worker.id, "': this process counts as ended"),
                        hello, "end this process and start a new one"));
  }
  if (hello.session <= worker.session) {
    context.effects.push_back(CloseStream{
        connection, Error(absl::StatusCode::kUnavailable, ErrorKind::kStaleSession,
                          absl::StrCat("worker '", worker.id, "': stream ", hello.session.value,
                                       " came after stream ", worker.session.value),
                          hello, "")});
    return;
  }
  const bool was_lost = worker.presence == Presence::kLost;
  if (was_lost) {
    // Meanwhile somebody else may have come for its device or its place.
    if (absl::Status status = CheckRoom(job, hello); !status.ok()) {
      return Refuse(context, job, connection, hello, std::move(status));
    }
  }
  CloseReplaced(context, worker, hello);
  const bool news = worker.presence != Presence::kConnected;
  worker.session = hello.session;
  if (was_lost) worker.joined_at = context.now;
  worker.host = hello.host;
  worker.device = hello.device;
  NoteClaims(job, worker);
  SetConnected(context, job, worker, connection);
  if (was_lost) job.failed_attempts = 0;
  if (news) {
    AddNote(context, job, {NoteKind::kWorkerBack, "", Epoch(), std::nullopt, worker.id, ""});
  }
  TakeReport(context, job, worker, hello.report);
}

absl::Status DuplicateIdentity(const Worker& holder, const Hello& hello) {
  ErrorDetail detail;
  detail.kind = ErrorKind::kDuplicateIdentity;
  detail.job = hello.job;
  detail.workers = {holder.id};
  detail.hosts = {holder.host.hostname, hello.host.hostname};
  detail.remedy = "give each process a worker id of its own";
  return MakeError(
      absl::StatusCode::kAlreadyExists,
      absl::StrCat("worker '", holder.id, "' is alive on ", holder.host.hostname, " (pid ",
                   holder.host.pid, "); the process on ", hello.host.hostname, " (pid ",
                   hello.host.pid, ") may not take its place"),
      std::move(detail));
}

// Another process claims the identity of `holder`.
void Contend(Context& context, Job& job, Worker& holder, ConnectionId connection,
             const Hello& hello) {
  if (job.contests.contains(holder.id)) {
    return Refuse(context, job, connection, hello,
                  Error(absl::StatusCode::kUnavailable, ErrorKind::kDuplicateIdentity,
                        absl::StrCat("worker '", holder.id, "' is claimed by two new processes"),
                        hello, "start one process for each worker id"));
  }
  if (holder.presence == Presence::kAwaited) {
    Lose(context, job, holder, LossCause::kSuperseded);
  }
  if (holder.presence == Presence::kLost) {
    if (holder.loss == LossCause::kReset || holder.loss == LossCause::kSilence) {
      holder.loss = LossCause::kSuperseded;
    }
    return Enter(context, job, connection, hello);
  }
  Contest contest{connection, hello, ++context.state.last_ping, context.now + job.deadlines.ping};
  holder.ping = contest.ping;
  MarkDirty(context, job, holder);
  context.state.connections[connection] = {job.uid, holder.id};
  job.contests.emplace(holder.id, std::move(contest));
}

// Decides a contest as soon as it can be decided.
void JudgeContest(Context& context, Job& job, const WorkerId& id) {
  const auto it = job.contests.find(id);
  if (it == job.contests.end()) return;
  Worker& holder = job.workers.at(id);
  const bool answered = holder.report.pong == it->second.ping;
  const bool lost = holder.presence == Presence::kLost;
  if (!answered && !lost && context.now < it->second.until) return;

  const Contest contest = std::move(it->second);
  job.contests.erase(it);
  context.state.connections.erase(contest.newcomer);
  holder.ping = 0;
  if (answered && !lost) {
    return Refuse(context, job, contest.newcomer, contest.hello,
                  DuplicateIdentity(holder, contest.hello));
  }
  Lose(context, job, holder, LossCause::kSuperseded);
  Enter(context, job, contest.newcomer, contest.hello);
}

void Admit(Context& context, Job& job, ConnectionId connection, const Hello& hello) {
  if (job.deleted) {
    return Refuse(
        context, job, connection, hello,
        Error(absl::StatusCode::kFailedPrecondition, ErrorKind::kJobDeleted,
              absl::StrCat("job '", hello.job, "' was deleted"), hello, "wait until it is gone"));
  }
  if (absl::Status status = CheckHistory(context.state, job, hello); !status.ok()) {
    return Refuse(context, job, connection, hello, std::move(status));
  }
  const auto known = job.workers.find(hello.worker);
  const bool member = known != job.workers.end() && known->second.incarnation == hello.incarnation;
  if (member) return Reattach(context, job, known->second, connection, hello);
  if (job.delete_pending) {
    return Refuse(context, job, connection, hello,
                  Error(absl::StatusCode::kUnavailable, ErrorKind::kJobDeleted,
                        absl::StrCat("job '", hello.job, "' is being deleted"), hello, "retry"));
  }
  if (known == job.workers.end()) return Enter(context, job, connection, hello);
  Worker& holder = known->second;
  Contend(context, job, holder, connection, hello);
}

void Wait(Context& context, ConnectionId connection, const Hello& hello) {
  State& state = context.state;
  if (!hello.report.holdings.empty() && hello.report.store != state.store) {
    context.effects.push_back(CloseStream{
        connection, Error(absl::StatusCode::kFailedPrecondition, ErrorKind::kUnknownStore,
                          absl::StrCat("this coordinator knows nothing of job '", hello.job,
                                       "' nor of the epoch that worker '", hello.worker, "' holds"),
                          hello, "end the processes of the job and start it again")});
    return;
  }
  if (!hello.report.holdings.empty()) {
    context.effects.push_back(CloseStream{
        connection,
        Error(absl::StatusCode::kFailedPrecondition, ErrorKind::kJobDeleted,
              absl::StrCat("job '", hello.job, "' was deleted"), hello, "end this process")});
    return;
  }
  if (state.waiting.size() >= static_cast<size_t>(kWaitingHellosMax)) {
    context.effects.push_back(CloseStream{
        connection,
        Error(absl::StatusCode::kUnavailable, ErrorKind::kLimitExceeded,
              "too many workers wait for jobs that do not exist", hello, "create the job first")});
    return;
  }
  state.waiting[connection] = {hello, context.now + hello.join_deadline};
}

// The worker behind a connection and its job; nulls if it is nobody's or a newcomer's.
std::pair<Job*, Worker*> OwnerOf(State& state, ConnectionId connection) {
  const auto owner = state.connections.find(connection);
  if (owner == state.connections.end()) return {nullptr, nullptr};
  const auto job = state.jobs.find(owner->second.job);
  if (job == state.jobs.end()) return {nullptr, nullptr};
  const auto worker = job->second.workers.find(owner->second.worker);
  if (worker == job->second.workers.end() || worker->second.connection != connection) {
    return {&job->second, nullptr};
  }
  return {&job->second, &worker->second};
}

// Forgets a stream that ended; gives its worker unless it was a newcomer's.
std::pair<Job*, Worker*> ForgetStream(Context& context, ConnectionId connection) {
  context.state.waiting.erase(connection);
  const auto [job, worker] = OwnerOf(context.state, connection);
  context.state.connections.erase(connection);
  if (job != nullptr && worker == nullptr) {
    std::erase_if(job->contests,
                  [&](const auto& entry) { return entry.second.newcomer == connection; });
  }
  return {job, worker};
}

}  // namespace

void OnHello(Context& context, const HelloReceived& event) {
  if (absl::Status status = CheckHello(event.hello); !status.ok()) {
    context.effects.push_back(CloseStream{event.connection, std::move(status)});
    return;
  }
  Job* job = FindJob(context.state, event.hello.job);
  if (job == nullptr) return Wait(context, event.connection, event.hello);
  Admit(context, *job, event.connection, event.hello);
  TryStartAttempt(context, *job);
}

void OnReport(Context& context, const ReportReceived& event) {
  const auto waiting = context.state.waiting.find(event.connection);
  if (waiting != context.state.waiting.end()) {
    Report& known = waiting->second.hello.report;
    if (event.report.number > known.number) known = event.report;
    return;
  }
  const auto owner = context.state.connections.find(event.connection);
  if (owner == context.state.connections.end()) return;
  const auto [job, worker] = OwnerOf(context.state, event.connection);
  if (job == nullptr) return;
  if (worker == nullptr) {
    const auto contest = job->contests.find(owner->second.worker);
    if (contest != job->contests.end() && contest->second.newcomer == event.connection &&
        event.report.number > contest->second.hello.report.number) {
      contest->second.hello.report = event.report;
    }
    return;
  }
  const WorkerId id = worker->id;
  TakeReport(context, *job, *worker, event.report);
  JudgeContest(context, *job, id);
  TryStartAttempt(context, *job);
}

void OnStreamReset(Context& context, const StreamReset& event) {
  const auto [job, worker] = ForgetStream(context, event.connection);
  if (worker == nullptr) return;
  Suspect(context, *job, *worker);
}

void OnStreamCut(Context& context, const StreamCut& event) {
  const auto [job, worker] = ForgetStream(context, event.connection);
  if (worker == nullptr) return;
  if (worker->presence == Presence::kConnected) --job->connected;
  worker->presence = Presence::kDetached;
  worker->connection = ConnectionId();
}

void OnLeave(Context& context, const LeaveReceived& event) {
  Job* job = FindJob(context.state, event.job);
  if (job == nullptr) return;
  Worker* worker = FindWorker(*job, event.worker, event.incarnation);
  if (worker == nullptr) return;
  Lose(context, *job, *worker, LossCause::kLeft);
  JudgeContest(context, *job, event.worker);
}

void OnExit(Context& context, const ExitReported& event) {
  Job* job = FindJob(context.state, event.job);
  if (job == nullptr) return;
  BuryZombie(*job, event.incarnation);
  Worker* worker = FindWorker(*job, event.worker, event.incarnation);
  if (worker == nullptr) return TryStartAttempt(context, *job);
  if (worker->presence == Presence::kLost) worker->loss = LossCause::kExit;
  Lose(context, *job, *worker, LossCause::kExit, event.status);
  JudgeContest(context, *job, event.worker);
  TryStartAttempt(context, *job);
}

void AdmitWaiting(Context& context, Job& job) {
  std::map<ConnectionId, WaitingHello> rest;
  for (auto& [connection, waiting] : std::exchange(context.state.waiting, {})) {
    if (waiting.hello.job == job.spec->name) {
      Admit(context, job, connection, waiting.hello);
    } else {
      rest.emplace(connection, std::move(waiting));
    }
  }
  context.state.waiting = std::move(rest);
  TryStartAttempt(context, job);
}

void JudgeContests(Context& context, Job& job) {
  std::vector<WorkerId> claimed;
  for (const auto& [id, contest] : job.contests) claimed.push_back(id);
  for (const WorkerId& id : claimed) JudgeContest(context, job, id);
}

void JudgeJoins(Context& context, Job& job) {
  if (job.committed.has_value() || job.deleted) return;
  std::vector<Worker*> late;
  for (auto& [id, worker] : job.workers) {
    const bool due = context.now - worker.joined_at >= job.deadlines.join;
    if (worker.presence == Presence::kConnected && due) late.push_back(&worker);
  }
  if (late.empty()) return;
  ErrorDetail detail;
  detail.kind = ErrorKind::kDeadlineExceeded;
  detail.job = job.spec->name;
  detail.ranks = MissingRanks(job);
  const int32_t world = job.layout->world_size();
  const std::string missing = FormatIdRanges(detail.ranks, kRangesShownMax);
  std::string text = absl::StrCat("job '", job.spec->name, "' did not form within ",
                                  absl::FormatDuration(job.deadlines.join), ": ", job.connected,
                                  " of ", world, " workers are here, missing: ranks ", missing);
  if (!job.held.empty()) absl::StrAppend(&text, "; ", job.held);
  const absl::Status status = MakeError(absl::StatusCode::kDeadlineExceeded, text, detail);
  for (Worker* worker : late) {
    const ConnectionId connection = worker->connection;
    context.state.connections.erase(connection);
    worker->connection = ConnectionId();
    context.effects.push_back(CloseStream{connection, status});
    Lose(context, job, *worker, LossCause::kLeft);
  }
}

void JudgeWaiting(Context& context) {
  std::erase_if(context.state.waiting, [&](const auto& entry) {
    const auto& [connection, waiting] = entry;
    if (context.now < waiting.until) return false;
    context.effects.push_back(CloseStream{
        connection, Error(absl::StatusCode::kDeadlineExceeded, ErrorKind::kUnknownJob,
                          absl::StrCat("job '", waiting.hello.job, "' was not created within ",
                                       absl::FormatDuration(waiting.hello.join_deadline)),
                          waiting.hello, "create the job, or correct its name")});
    return true;
  });
}

}  // namespace muster::coordinator
