#include "coordinator/server/job_watcher.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "common/base/error_detail.h"
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

class JobWatcher final : public grpc::ServerWriteReactor<v1::WatchJobReply> {
 public:
  JobWatcher(EventLoop* loop, Clock* clock, std::string job)
      : loop_(loop), clock_(clock), job_(std::move(job)), link_(std::make_shared<Link>(this)) {
    Look();
  }

  void OnWriteDone(bool ok) override {
    absl::MutexLock lock(&link_->mu);
    writing_ = false;
    if (ok) WriteNext();
  }
  void OnCancel() override {
    absl::MutexLock lock(&link_->mu);
    End(absl::CancelledError("the watcher left"));
  }
  void OnDone() override {
    {
      absl::MutexLock lock(&link_->mu);
      link_->watcher = nullptr;
    }
    delete this;
  }

 private:
  // Shared with timers and questions that may outlive the watcher.
  struct Link {
    explicit Link(JobWatcher* w) : watcher(w) {}
    absl::Mutex mu;
    JobWatcher* watcher ABSL_GUARDED_BY(mu);
  };

  // Asks for the job now, and again after the interval.
  void Look() {
    const absl::Status posted = loop_->Read([link = link_](const State& state) {
      absl::MutexLock lock(&link->mu);
      if (link->watcher != nullptr) link->watcher->See(state);
    });
    if (posted.ok()) return;
    absl::MutexLock lock(&link_->mu);
    End(posted);
  }

  void See(const State& state) {
    if (ended_) return;
    const auto name = state.names.find(job_);
    if (name == state.names.end()) {
      if (!seen_.empty()) return End(absl::OkStatus());
      ErrorDetail detail;
      detail.kind = ErrorKind::kUnknownJob;
      detail.job = job_;
      return End(MakeError(absl::StatusCode::kNotFound,
                           absl::StrCat("there is no job '", job_, "'"), detail));
    }
    v1::Job view = ViewJob(state.jobs.at(name->second), clock_->Now(), /*with_seats=*/true);
    std::string fingerprint = Fingerprint(view);
    if (fingerprint != seen_) {
      seen_ = std::move(fingerprint);
      waiting_ = std::move(view);
      WriteNext();
    }
    clock_->RunAt(clock_->Now() + kWatchInterval, [link = link_] {
      absl::ReleasableMutexLock lock(&link->mu);
      JobWatcher* watcher = link->watcher;
      if (watcher == nullptr || watcher->ended_) return;
      const absl::Status posted = watcher->loop_->Read([link](const State& now) {
        absl::MutexLock inner(&link->mu);
        if (link->watcher != nullptr) link->watcher->See(now);
      });
      if (!posted.ok()) watcher->End(posted);
    });
  }

  void WriteNext() {
    if (writing_ || ended_ || !waiting_.has_value()) return;
    *reply_.mutable_job() = *std::exchange(waiting_, std::nullopt);
    writing_ = true;
    StartWrite(&reply_);
  }

  void End(const absl::Status& status) {
    if (ended_) return;
    ended_ = true;
    Finish(ToGrpc(status));
  }

  EventLoop* const loop_;
  Clock* const clock_;
  const std::string job_;
  const std::shared_ptr<Link> link_;

  // All below are touched with link_->mu held.
  std::string seen_;
  std::optional<v1::Job> waiting_;
  v1::WatchJobReply reply_;
  bool writing_ = false;
  bool ended_ = false;
};

}  // namespace

grpc::ServerWriteReactor<v1::WatchJobReply>* WatchJobs(EventLoop* loop, Clock* clock,
                                                       const std::string& job) {
  return new JobWatcher(loop, clock, job);
}

}  // namespace muster::coordinator
