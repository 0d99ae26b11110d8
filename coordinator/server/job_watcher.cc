#include "coordinator/server/job_watcher.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/monitor.h"
#include "common/rpc/status.h"
#include "coordinator/server/status_view.h"

namespace muster::coordinator {
namespace {

// What of a job counts as a change: everything but what time alone moves.
std::string Fingerprint(v1::Job job) {
  v1::JobStatus* status = job.mutable_status();
  status->clear_age();
  for (v1::Condition& condition : *status->mutable_conditions()) condition.clear_since();
  if (status->has_attempt()) status->mutable_attempt()->clear_since();
  return job.SerializeAsString();
}

class JobWatcher final : public grpc::ServerWriteReactor<v1::WatchJobReply>, public EndableStream {
 public:
  JobWatcher(EventLoop* loop, SessionHub* hub, Clock* clock, std::string job)
      : loop_(loop),
        hub_(hub),
        clock_(clock),
        job_(std::move(job)),
        link_(std::make_shared<Link>(this)) {
    hub_->AddWatcher(this);
    Look();
  }

  void OnWriteDone(bool ok) override {
    MonitorLock lock(&link_->mu);
    writing_ = false;
    if (ok) WriteNext();
  }
  void OnCancel() override {
    MonitorLock lock(&link_->mu);
    EndLocked(absl::CancelledError("the watcher left"));
  }
  void End(const absl::Status& status) override {
    MonitorLock lock(&link_->mu);
    EndLocked(status);
  }
  void OnDone() override {
    hub_->RemoveWatcher(this);
    {
      MonitorLock lock(&link_->mu);
      link_->watcher = nullptr;
    }
    delete this;
  }

 private:
  // Shared with timers and questions that may outlive the watcher.
  struct Link {
    explicit Link(JobWatcher* w) : watcher(w) {}
    Monitor mu;
    JobWatcher* watcher ABSL_GUARDED_BY(mu);
  };

  // Asks for the job now, and again after the interval.
  void Look() {
    const absl::Status posted = loop_->Read([link = link_](const State& state) {
      MonitorLock lock(&link->mu);
      if (link->watcher != nullptr) link->watcher->See(state);
    });
    if (!posted.ok()) End(posted);
  }

  void See(const State& state) {
    if (ended_) return;
    const auto name = state.names.find(job_);
    if (name == state.names.end()) {
      if (uid_.has_value()) return EndLocked(absl::OkStatus());
      ErrorDetail detail;
      detail.kind = ErrorKind::kUnknownJob;
      detail.job = job_;
      return EndLocked(MakeError(absl::StatusCode::kNotFound,
                                 absl::StrCat("there is no job '", job_, "'"), detail));
    }
    if (uid_.value_or(name->second) != name->second) return EndLocked(absl::OkStatus());
    uid_ = name->second;
    v1::Job view = ViewJob(state.jobs.at(name->second), clock_->Now(), /*with_seats=*/true);
    std::string fingerprint = Fingerprint(view);
    if (fingerprint != seen_) {
      seen_ = std::move(fingerprint);
      waiting_ = std::move(view);
      WriteNext();
    }
    clock_->RunAt(clock_->Now() + kWatchInterval, [link = link_] {
      MonitorLock lock(&link->mu);
      JobWatcher* watcher = link->watcher;
      if (watcher == nullptr || watcher->ended_) return;
      const absl::Status posted = watcher->loop_->Read([link](const State& now) {
        MonitorLock inner(&link->mu);
        if (link->watcher != nullptr) link->watcher->See(now);
      });
      if (!posted.ok()) watcher->EndLocked(posted);
    });
  }

  void WriteNext() {
    if (writing_ || ended_ || !waiting_.has_value()) return;
    *reply_.mutable_job() = *std::exchange(waiting_, std::nullopt);
    writing_ = true;
    StartWrite(&reply_);
  }

  void EndLocked(const absl::Status& status) {
    if (ended_) return;
    ended_ = true;
    Finish(ToGrpc(status));
  }

  EventLoop* const loop_;
  SessionHub* const hub_;
  Clock* const clock_;
  const std::string job_;
  const std::shared_ptr<Link> link_;

  // All below are touched with link_->mu held.
  std::optional<JobUid> uid_;  // Of the job that was seen first.
  std::string seen_;
  std::optional<v1::Job> waiting_;
  v1::WatchJobReply reply_;
  bool writing_ = false;
  bool ended_ = false;
};

}  // namespace

grpc::ServerWriteReactor<v1::WatchJobReply>* WatchJobs(EventLoop* loop, SessionHub* hub,
                                                       Clock* clock, const std::string& job) {
  return new JobWatcher(loop, hub, clock, job);
}

}  // namespace muster::coordinator
