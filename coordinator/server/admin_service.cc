#include "coordinator/server/admin_service.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/rpc/status.h"
#include "common/wire/job_spec.h"
#include "coordinator/server/job_watcher.h"
#include "coordinator/server/status_view.h"
#include "coordinator/server/why_view.h"

namespace muster::coordinator {
namespace {

constexpr int32_t kPageSizeDefault = 500;
constexpr int32_t kPageSizeMax = 5000;

absl::Status Error(absl::StatusCode code, ErrorKind kind, const std::string& message,
                   const std::string& job) {
  ErrorDetail detail;
  detail.kind = kind;
  detail.job = job;
  return MakeError(code, message, std::move(detail));
}

absl::StatusOr<const Job*> FindJob(const State& state, const std::string& name) {
  const auto it = state.names.find(name);
  if (it == state.names.end()) {
    return Error(absl::StatusCode::kNotFound, ErrorKind::kUnknownJob,
                 absl::StrCat("there is no job '", name, "'"), name);
  }
  return &state.jobs.at(it->second);
}

// Puts the page that `page` asks for into `reply`. The token is the place of its first item.
template <typename Item, typename Reply>
absl::Status Cut(std::vector<Item> items, const v1::Page& page, Reply* reply) {
  size_t first = 0;
  if (!page.token().empty() && !absl::SimpleAtoi(page.token(), &first)) {
    return Error(absl::StatusCode::kInvalidArgument, ErrorKind::kInvalidRequest,
                 absl::StrCat("page token '", page.token(), "' is not from this list"), "");
  }
  if (page.size() < 0 || page.size() > kPageSizeMax) {
    return Error(absl::StatusCode::kInvalidArgument, ErrorKind::kInvalidRequest,
                 absl::StrCat("page size ", page.size(), ", want 0 to ", kPageSizeMax), "");
  }
  const size_t size = static_cast<size_t>(page.size() == 0 ? kPageSizeDefault : page.size());
  for (size_t i = first; i < items.size() && i < first + size; ++i) {
    *reply->add_items() = std::move(items[i]);
  }
  if (first + size < items.size()) reply->set_next_page_token(absl::StrCat(first + size));
  return absl::OkStatus();
}

using Answering = std::function<absl::Status(const State&)>;

// Answers a question on the loop's thread.
grpc::ServerUnaryReactor* Ask(EventLoop* loop, grpc::CallbackServerContext* context,
                              Answering answer) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const absl::Status posted = loop->Read([reactor, answer = std::move(answer)](const State& state) {
    reactor->Finish(ToGrpc(answer(state)));
  });
  if (!posted.ok()) reactor->Finish(ToGrpc(posted));
  return reactor;
}

template <typename Reply>
void SetEpoch(const Job& job, Reply* reply) {
  if (job.committed.has_value()) reply->set_epoch(job.committed->epoch.value);
}

// Posts a change; the machine's answer ends the call.
grpc::ServerUnaryReactor* Change(EventLoop* loop, SessionHub* hub,
                                 grpc::CallbackServerContext* context,
                                 const std::function<Event(CallId)>& make,
                                 std::function<void(JobUid, Generation)> on_ok) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const CallId call =
      hub->AddCall([reactor, on_ok = std::move(on_ok)](const absl::Status& status, JobUid uid,
                                                       Generation generation) {
        if (status.ok()) on_ok(uid, generation);
        reactor->Finish(ToGrpc(status));
      });
  const absl::Status posted = loop->Post(make(call));
  if (!posted.ok()) hub->Reply(call, posted, JobUid(), Generation());
  return reactor;
}

}  // namespace

grpc::ServerUnaryReactor* AdminServiceImpl::Apply(grpc::CallbackServerContext* context,
                                                  const v1::ApplyRequest* request,
                                                  v1::ApplyReply* reply) {
  absl::StatusOr<JobSpec> spec = FromProto(request->spec());
  if (!spec.ok()) {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(ToGrpc(spec.status()));
    return reactor;
  }
  ApplyRequested event{CallId(), request->request_id(), *std::move(spec), std::nullopt};
  if (request->has_if_epoch()) event.if_epoch = Epoch(request->if_epoch());
  return Change(
      loop_, hub_, context,
      [event](CallId call) {
        ApplyRequested posted = event;
        posted.call = call;
        return posted;
      },
      [reply](JobUid uid, Generation generation) {
        reply->set_uid(uid.value);
        reply->set_generation(generation.value);
      });
}

grpc::ServerUnaryReactor* AdminServiceImpl::Delete(grpc::CallbackServerContext* context,
                                                   const v1::DeleteRequest* request,
                                                   v1::DeleteReply* reply) {
  DeleteRequested event{CallId(), request->request_id(), request->job(), std::nullopt};
  if (request->has_if_epoch()) event.if_epoch = Epoch(request->if_epoch());
  return Change(
      loop_, hub_, context,
      [event](CallId call) {
        DeleteRequested posted = event;
        posted.call = call;
        return posted;
      },
      [reply](JobUid uid, Generation) { reply->set_uid(uid.value); });
}

grpc::ServerUnaryReactor* AdminServiceImpl::GetJob(grpc::CallbackServerContext* context,
                                                   const v1::GetJobRequest* request,
                                                   v1::GetJobReply* reply) {
  return Ask(loop_, context, [this, request, reply](const State& state) {
    const absl::StatusOr<const Job*> job = FindJob(state, request->job());
    if (!job.ok()) return job.status();
    *reply->mutable_job() = ViewJob(**job, clock_->Now(), /*with_seats=*/true);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* AdminServiceImpl::ListJobs(grpc::CallbackServerContext* context,
                                                     const v1::ListJobsRequest* request,
                                                     v1::ListJobsReply* reply) {
  return Ask(loop_, context, [this, request, reply](const State& state) {
    std::vector<v1::Job> jobs;
    for (const auto& [name, uid] : state.names) {
      jobs.push_back(ViewJob(state.jobs.at(uid), clock_->Now(), /*with_seats=*/false));
    }
    return Cut(std::move(jobs), request->page(), reply);
  });
}

grpc::ServerUnaryReactor* AdminServiceImpl::ListWorkers(grpc::CallbackServerContext* context,
                                                        const v1::ListWorkersRequest* request,
                                                        v1::ListWorkersReply* reply) {
  return Ask(loop_, context, [this, request, reply](const State& state) {
    const absl::StatusOr<const Job*> job = FindJob(state, request->job());
    if (!job.ok()) return job.status();
    SetEpoch(**job, reply);
    return Cut(ViewWorkers(**job, clock_->Now()), request->page(), reply);
  });
}

grpc::ServerUnaryReactor* AdminServiceImpl::ListGroups(grpc::CallbackServerContext* context,
                                                       const v1::ListGroupsRequest* request,
                                                       v1::ListGroupsReply* reply) {
  return Ask(loop_, context, [this, request, reply](const State& state) {
    const absl::StatusOr<const Job*> job = FindJob(state, request->job());
    if (!job.ok()) return job.status();
    SetEpoch(**job, reply);
    return Cut(ViewGroups(**job, clock_->Now()), request->page(), reply);
  });
}

grpc::ServerUnaryReactor* AdminServiceImpl::ListEvents(grpc::CallbackServerContext* context,
                                                       const v1::ListEventsRequest* request,
                                                       v1::ListEventsReply* reply) {
  return Ask(loop_, context, [this, request, reply](const State& state) {
    const absl::StatusOr<const Job*> job = FindJob(state, request->job());
    if (!job.ok()) return job.status();
    return Cut(ViewEvents(**job, clock_->Now()), request->page(), reply);
  });
}

grpc::ServerUnaryReactor* AdminServiceImpl::Why(grpc::CallbackServerContext* context,
                                                const v1::WhyRequest* request,
                                                v1::WhyReply* reply) {
  return Ask(loop_, context, [this, request, reply](const State& state) {
    const absl::StatusOr<const Job*> job = FindJob(state, request->job());
    if (!job.ok()) return job.status();
    absl::StatusOr<v1::WhyReply> why = ViewWhy(**job, *request, clock_->Now());
    if (!why.ok()) return why.status();
    *reply = *std::move(why);
    return absl::OkStatus();
  });
}

grpc::ServerWriteReactor<v1::WatchJobReply>* AdminServiceImpl::WatchJob(
    grpc::CallbackServerContext*, const v1::WatchJobRequest* request) {
  return WatchJobs(loop_, clock_, request->job());
}

}  // namespace muster::coordinator
