#include "coordinator/core/requests.h"

#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "coordinator/core/load.h"
#include "coordinator/core/publish.h"
#include "coordinator/core/sessions.h"
#include "coordinator/core/transition.h"

namespace muster::coordinator {
namespace {

absl::Status Error(absl::StatusCode code, ErrorKind kind, const std::string& message,
                   const std::string& job, std::string remedy) {
  ErrorDetail detail;
  detail.kind = kind;
  detail.job = job;
  detail.remedy = std::move(remedy);
  return MakeError(code, message, std::move(detail));
}

void Answer(Context& context, CallId call, absl::Status status) {
  context.effects.push_back(Reply{call, std::move(status), JobUid(), Generation()});
}

// Answers everyone who waits for a request.
void Finish(Context& context, Request& request, absl::Status status) {
  request.finished = true;
  request.status = std::move(status);
  for (const CallId call : std::exchange(request.calls, {})) {
    context.effects.push_back(Reply{call, request.status, request.uid, request.generation});
  }
}

absl::Status CheckRequestId(const std::string& id, const std::string& job) {
  if (!id.empty() && id.size() <= static_cast<size_t>(kRequestIdBytesMax)) return absl::OkStatus();
  return Error(absl::StatusCode::kInvalidArgument, ErrorKind::kInvalidRequest,
               absl::StrCat("request id of ", id.size(), " bytes, want 1 to ", kRequestIdBytesMax),
               job, "draw a random id for each request and keep it for retries");
}

// If the request id is known, joins or answers it and gives true. `same` tells whether the known
// request asked for the same thing.
template <typename Same>
bool JoinKnown(Context& context, const std::string& id, CallId call, const std::string& job,
               const Same& same) {
  const auto known = context.state.requests.find(id);
  if (known == context.state.requests.end()) return false;
  Request& request = known->second;
  if (!same(request)) {
    Answer(context, call,
           Error(absl::StatusCode::kInvalidArgument, ErrorKind::kRequestConflict,
                 absl::StrCat("request id '", id, "' was used for another request"), job,
                 "draw a random id for each request"));
    return true;
  }
  request.calls.push_back(call);
  if (request.finished) Finish(context, request, request.status);
  return true;
}

std::string Describe(const JobSpec& spec) {
  std::string text = absl::StrCat("world ", spec.layout.world_size);
  for (const MeshSpec& mesh : spec.layout.meshes) {
    absl::StrAppend(&text, ", ", mesh.name, "(");
    if (mesh.preset.has_value()) absl::StrAppend(&text, mesh.preset->name);
    for (size_t i = 0; i < mesh.dims.size(); ++i) {
      absl::StrAppend(&text, i == 0 ? "" : " ", mesh.dims[i].name, "=", mesh.dims[i].size);
    }
    absl::StrAppend(&text, ")");
  }
  for (const ExplicitGroups& groups : spec.layout.groups) absl::StrAppend(&text, ", ", groups.name);
  return absl::StrCat(text, ", spares ", spec.spares, ", recovery ",
                      absl::FormatDuration(spec.recovery));
}

// Refuses a request that was made for another epoch of the job; null is a job that does not exist.
absl::Status CheckEpoch(const Job* job, std::optional<Epoch> wanted, const std::string& name) {
  const bool committed = job != nullptr && job->committed.has_value();
  const Epoch epoch = committed ? job->committed->epoch : Epoch();
  if (!wanted.has_value() || *wanted == epoch) return absl::OkStatus();
  ErrorDetail detail;
  detail.kind = ErrorKind::kEpochConflict;
  detail.job = name;
  detail.epoch = epoch;
  detail.remedy = "look at the job again and decide anew";
  return MakeError(absl::StatusCode::kAborted,
                   absl::StrCat("job '", name, "' is at epoch ", epoch.value,
                                ", the request was made for epoch ", wanted->value),
                   std::move(detail));
}

JobUid DrawUid(State& state) {
  // The finalizer of splitmix64, so that neighbouring inputs give unrelated numbers.
  uint64_t x = 0;
  do {
    x = state.seed + static_cast<uint64_t>(state.term.value) * 0x9e3779b97f4a7c15ULL +
        ++state.draws * 0xd1342543de82ef95ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    x ^= x >> 31;
  } while (x == 0 || state.jobs.contains(JobUid(x)));
  return JobUid(x);
}

// What stands in the way of a new job, given that none of its name exists.
absl::Status CheckNew(const State& state, const JobSpec& spec) {
  if (state.read_only) {
    return Error(absl::StatusCode::kResourceExhausted, ErrorKind::kJournalFull,
                 "the coordinator is read-only: its journal is full", spec.name,
                 "make room for the journal and start the coordinator again");
  }
  if (state.jobs.size() >= static_cast<size_t>(kJobsMax)) {
    return Error(
        absl::StatusCode::kResourceExhausted, ErrorKind::kLimitExceeded,
        absl::StrCat("there are ", state.jobs.size(), " jobs, at most ", kJobsMax, " are served"),
        spec.name, "delete a job, or start another coordinator");
  }
  for (const auto& [id, request] : state.requests) {
    if (!request.finished && !request.is_delete && request.job == spec.name) {
      return Error(absl::StatusCode::kUnavailable, ErrorKind::kJobExists,
                   absl::StrCat("job '", spec.name, "' is being created"), spec.name, "retry");
    }
  }
  return absl::OkStatus();
}

// Answers an apply for a name that is taken.
void AnswerExisting(Context& context, const Job& job, const ApplyRequested& event) {
  if (job.deleted || job.delete_pending) {
    return Answer(context, event.call,
                  Error(absl::StatusCode::kUnavailable, ErrorKind::kJobDeleted,
                        absl::StrCat("job '", event.spec.name, "' is being deleted"),
                        event.spec.name, "retry"));
  }
  if (*job.spec == event.spec) {
    context.effects.push_back(Reply{event.call, absl::OkStatus(), job.uid, job.generation});
    return;
  }
  Answer(context, event.call,
         Error(absl::StatusCode::kAlreadyExists, ErrorKind::kJobExists,
               absl::StrCat("job '", event.spec.name, "' exists with a different spec: it has ",
                            Describe(*job.spec), "; asked for ", Describe(event.spec)),
               event.spec.name, "delete the job first, or choose another name"));
}

}  // namespace

void OnApply(Context& context, const ApplyRequested& event) {
  State& state = context.state;
  const std::string& name = event.spec.name;
  absl::Status status = CheckRequestId(event.request_id, name);
  if (!status.ok()) return Answer(context, event.call, std::move(status));
  const auto same = [&](const Request& request) {
    return !request.is_delete && request.spec == event.spec;
  };
  if (JoinKnown(context, event.request_id, event.call, name, same)) return;

  const absl::StatusOr<Layout> layout = ValidateJobSpec(event.spec);
  if (!layout.ok()) return Answer(context, event.call, layout.status());
  const auto existing = state.names.find(name);
  const Job* job = existing == state.names.end() ? nullptr : &state.jobs.at(existing->second);
  status = CheckEpoch(job, event.if_epoch, name);
  if (!status.ok()) return Answer(context, event.call, std::move(status));
  if (job != nullptr) return AnswerExisting(context, *job, event);
  status = CheckNew(state, event.spec);
  if (!status.ok()) return Answer(context, event.call, std::move(status));

  Request request;
  request.spec = event.spec;
  request.job = name;
  request.calls = {event.call};
  request.uid = DrawUid(state);
  request.generation = Generation(1);
  Write(context, JobAccepted{request.uid, request.generation, event.request_id, event.spec});
  state.requests.emplace(event.request_id, std::move(request));
}

void OnDelete(Context& context, const DeleteRequested& event) {
  State& state = context.state;
  absl::Status status = CheckRequestId(event.request_id, event.job);
  if (!status.ok()) return Answer(context, event.call, std::move(status));
  const auto same = [&](const Request& request) {
    return request.is_delete && request.job == event.job;
  };
  if (JoinKnown(context, event.request_id, event.call, event.job, same)) return;

  const auto name = state.names.find(event.job);
  if (name == state.names.end()) {
    return Answer(context, event.call,
                  Error(absl::StatusCode::kNotFound, ErrorKind::kUnknownJob,
                        absl::StrCat("there is no job '", event.job, "'"), event.job,
                        "list the jobs that exist"));
  }
  Job& job = state.jobs.at(name->second);
  if (job.deleted) {
    context.effects.push_back(Reply{event.call, absl::OkStatus(), job.uid, job.generation});
    return;
  }
  status = CheckEpoch(&job, event.if_epoch, event.job);
  if (!status.ok()) return Answer(context, event.call, std::move(status));
  if (state.read_only) {
    return Answer(context, event.call,
                  Error(absl::StatusCode::kResourceExhausted, ErrorKind::kJournalFull,
                        "the coordinator is read-only: its journal is full", event.job,
                        "make room for the journal and start the coordinator again"));
  }
  Request request;
  request.is_delete = true;
  request.job = event.job;
  request.calls = {event.call};
  request.uid = job.uid;
  request.generation = job.generation;
  state.requests.emplace(event.request_id, std::move(request));
  job.delete_pending = true;
  Write(context, JobDeleted{job.uid, event.request_id});
  Rollback(context, job, "the job is being deleted");
}

void OnAccepted(Context& context, const JobAccepted& record, JournalResult result) {
  State& state = context.state;
  Request& request = state.requests.at(record.request_id);
  if (result != JournalResult::kWritten) {
    state.read_only = true;
    request.uid = JobUid();
    Finish(context, request,
           Error(absl::StatusCode::kResourceExhausted, ErrorKind::kJournalFull,
                 absl::StrCat("job '", record.spec.name, "' was not created: the journal is full"),
                 record.spec.name, "make room for the journal and start the coordinator again"));
    state.requests.erase(record.request_id);
    return;
  }
  Job& job = CreateJob(state, record, context.now);
  AddNote(context, job,
          {NoteKind::kJobAccepted, "", Epoch(), std::nullopt, "", Describe(record.spec)});
  Finish(context, request, absl::OkStatus());
  RememberFinished(state, record.request_id);
  AdmitWaiting(context, job);
}

void OnDeleted(Context& context, const JobDeleted& record, JournalResult result) {
  State& state = context.state;
  Job& job = state.jobs.at(record.job);
  Request& request = state.requests.at(record.request_id);
  if (result != JournalResult::kWritten) {
    state.read_only = true;
    job.delete_pending = false;
    Finish(context, request,
           Error(absl::StatusCode::kResourceExhausted, ErrorKind::kJournalFull,
                 absl::StrCat("job '", request.job, "' was not deleted: the journal is full"),
                 request.job, "make room for the journal and start the coordinator again"));
    state.requests.erase(record.request_id);
    return;
  }
  Finish(context, request, absl::OkStatus());
  RememberFinished(state, record.request_id);
  if (job.deleted) return;
  job.deleted = true;
  job.delete_pending = false;
  job.attempt.reset();
  job.deleted_since = state.revision;
  job.delete_deadline = context.now + job.deadlines.retire + job.deadlines.abort;
  MarkAllDirty(context, job);
  AddNote(context, job, {NoteKind::kJobDeleted, "", job.reserved, std::nullopt, "", ""});
  JudgeDeletion(context, job.uid);
}

void JudgeDeletion(Context& context, JobUid uid) {
  State& state = context.state;
  const auto it = state.jobs.find(uid);
  if (it == state.jobs.end() || !it->second.deleted) return;
  Job& job = it->second;
  for (const auto& [id, worker] : job.workers) {
    if (context.now >= job.delete_deadline) break;
    if (worker.presence == Presence::kLost) continue;
    const bool freed = worker.report.store == state.store && worker.report.term == state.term &&
                       worker.report.revision > job.deleted_since && worker.report.holdings.empty();
    if (!freed) return;
  }
  const absl::Status gone =
      Error(absl::StatusCode::kFailedPrecondition, ErrorKind::kJobDeleted,
            absl::StrCat("job '", job.spec->name, "' was deleted"), job.spec->name, "");
  std::erase_if(state.connections, [&](const auto& entry) {
    if (entry.second.job != uid) return false;
    context.effects.push_back(CloseStream{entry.first, gone});
    return true;
  });
  AddNote(context, job, {NoteKind::kJobGone, "", job.reserved, std::nullopt, "", ""});
  state.names.erase(job.spec->name);
  state.jobs.erase(it);
}

void RememberFinished(State& state, const std::string& request_id) {
  state.finished_requests.push_back(request_id);
  if (state.finished_requests.size() <= static_cast<size_t>(kFinishedRequestsMax)) return;
  state.requests.erase(state.finished_requests.front());
  state.finished_requests.pop_front();
}

}  // namespace muster::coordinator
