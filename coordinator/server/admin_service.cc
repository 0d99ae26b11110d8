#include "coordinator/server/admin_service.h"

#include <algorithm>
#include <optional>
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

constexpr int32_t kPageSizeMax = 1000;

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
  const size_t size = static_cast<size_t>(page.size() == 0 ? kPageSizeMax : page.size());
  for (size_t i = first; i < items.size() && i < first + size; ++i) {
    *reply->add_items() = std::move(items[i]);
  }
  if (first + size < items.size()) reply->set_next_page_token(absl::StrCat(first + size));
  return absl::OkStatus();
}

template <typename Reply>
void SetEpoch(const Job& job, Reply* reply) {
  if (job.committed.has_value()) reply->set_epoch(job.committed->epoch.value);
}

grpc::ServerUnaryReactor* FinishWith(grpc::CallbackServerContext* context,
                                     const absl::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(ToGrpc(status));
  return reactor;
}

// A watch that ends at once.
class Refusal final : public grpc::ServerWriteReactor<v1::WatchJobReply> {
 public:
  explicit Refusal(const absl::Status& status) { Finish(ToGrpc(status)); }
  void OnDone() override { delete this; }
};

// The events of all jobs, oldest first.
std::vector<v1::Event> ViewAllEvents(const State& state, MonotonicTime now) {
  std::vector<v1::Event> all;
  for (const auto& [uid, job] : state.jobs) {
    for (v1::Event& event : ViewEvents(job, now)) all.push_back(std::move(event));
  }
  std::stable_sort(all.begin(), all.end(), [](const v1::Event& a, const v1::Event& b) {
    return std::pair(a.age().seconds(), a.age().nanos()) >
           std::pair(b.age().seconds(), b.age().nanos());
  });
  return all;
}

}  // namespace

grpc::ServerUnaryReactor* AdminServiceImpl::Ask(grpc::CallbackServerContext* context,
                                                Answering answer) {
  const absl::Status allowed = Caller(access_, *context).CheckAdmin();
  if (!allowed.ok()) return FinishWith(context, allowed);
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const absl::Status posted =
      loop_->Read([reactor, answer = std::move(answer)](const State& state) {
        reactor->Finish(ToGrpc(answer(state)));
      });
  if (!posted.ok()) reactor->Finish(ToGrpc(posted));
  return reactor;
}

grpc::ServerUnaryReactor* AdminServiceImpl::Change(grpc::CallbackServerContext* context,
                                                   const Making& make, Filling fill) {
  const absl::Status allowed = Caller(access_, *context).CheckAdmin();
  if (!allowed.ok()) return FinishWith(context, allowed);
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const std::optional<CallId> call =
      hub_->AddCall([reactor, fill = std::move(fill)](const absl::Status& status, JobUid uid,
                                                      Generation generation) {
        if (status.ok()) fill(uid, generation);
        reactor->Finish(ToGrpc(status));
      });
  if (!call.has_value()) return reactor;
  const absl::Status posted = loop_->Post(make(*call));
  if (!posted.ok()) hub_->Reply(*call, posted, JobUid(), Generation());
  return reactor;
}

grpc::ServerUnaryReactor* AdminServiceImpl::Apply(grpc::CallbackServerContext* context,
                                                  const v1::ApplyRequest* request,
                                                  v1::ApplyReply* reply) {
  absl::StatusOr<JobSpec> spec = FromProto(request->spec());
  if (!spec.ok()) return FinishWith(context, spec.status());
  ApplyRequested event{CallId(), request->request_id(), *std::move(spec), std::nullopt};
  if (request->has_if_epoch()) event.if_epoch = Epoch(request->if_epoch());
  return Change(
      context,
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
      context,
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
  return Ask(context, [this, request, reply](const State& state) {
    const absl::StatusOr<const Job*> job = FindJob(state, request->job());
    if (!job.ok()) return job.status();
    *reply->mutable_job() = ViewJob(**job, clock_->Now(), /*with_seats=*/true);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* AdminServiceImpl::ListJobs(grpc::CallbackServerContext* context,
                                                     const v1::ListJobsRequest* request,
                                                     v1::ListJobsReply* reply) {
  return Ask(context, [this, request, reply](const State& state) {
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
  return Ask(context, [this, request, reply](const State& state) {
    const absl::StatusOr<const Job*> job = FindJob(state, request->job());
    if (!job.ok()) return job.status();
    SetEpoch(**job, reply);
    return Cut(ViewWorkers(**job, clock_->Now()), request->page(), reply);
  });
}

grpc::ServerUnaryReactor* AdminServiceImpl::ListGroups(grpc::CallbackServerContext* context,
                                                       const v1::ListGroupsRequest* request,
                                                       v1::ListGroupsReply* reply) {
  return Ask(context, [this, request, reply](const State& state) {
    const absl::StatusOr<const Job*> job = FindJob(state, request->job());
    if (!job.ok()) return job.status();
    SetEpoch(**job, reply);
    return Cut(ViewGroups(**job, clock_->Now()), request->page(), reply);
  });
}

grpc::ServerUnaryReactor* AdminServiceImpl::ListEvents(grpc::CallbackServerContext* context,
                                                       const v1::ListEventsRequest* request,
                                                       v1::ListEventsReply* reply) {
  return Ask(context, [this, request, reply](const State& state) {
    if (request->job().empty()) {
      return Cut(ViewAllEvents(state, clock_->Now()), request->page(), reply);
    }
    const absl::StatusOr<const Job*> job = FindJob(state, request->job());
    if (!job.ok()) return job.status();
    return Cut(ViewEvents(**job, clock_->Now()), request->page(), reply);
  });
}

grpc::ServerUnaryReactor* AdminServiceImpl::Why(grpc::CallbackServerContext* context,
                                                const v1::WhyRequest* request,
                                                v1::WhyReply* reply) {
  return Ask(context, [this, request, reply](const State& state) {
    const absl::StatusOr<const Job*> job = FindJob(state, request->job());
    if (!job.ok()) return job.status();
    absl::StatusOr<v1::WhyReply> why = ViewWhy(**job, *request, clock_->Now());
    if (!why.ok()) return why.status();
    *reply = *std::move(why);
    return absl::OkStatus();
  });
}

grpc::ServerWriteReactor<v1::WatchJobReply>* AdminServiceImpl::WatchJob(
    grpc::CallbackServerContext* context, const v1::WatchJobRequest* request) {
  const absl::Status allowed = Caller(access_, *context).CheckAdmin();
  if (!allowed.ok()) return new Refusal(allowed);
  return WatchJobs(loop_, hub_, clock_, request->job());
}

}  // namespace muster::coordinator
