#include "coordinator/server/worker_service.h"

#include <atomic>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "common/base/error_detail.h"
#include "common/base/monitor.h"
#include "common/base/status_macros.h"
#include "common/rpc/status.h"
#include "common/wire/assignment.h"
#include "common/wire/departure.h"
#include "common/wire/report.h"

namespace muster::coordinator {
namespace {

// Too many events wait: the same may go through a little later.
absl::Status AskToComeBack(const absl::Status& status) {
  if (status.code() != absl::StatusCode::kResourceExhausted) return status;
  return MakeError(absl::StatusCode::kUnavailable, std::string(status.message()),
                   DetailOf(status).value_or(ErrorDetail{}));
}

// One worker's stream. At most one write is in flight; behind it waits at most one assignment, the
// newest. Deletes itself when gRPC is done with it.
class SessionStream final : public grpc::ServerBidiReactor<v1::SessionRequest, v1::SessionReply>,
                            public StreamWriter {
 public:
  SessionStream(EventLoop* loop, SessionHub* hub, Caller caller)
      : loop_(loop), hub_(hub), caller_(std::move(caller)) {
    id_ = hub_->Add(this);  // Last: whoever finds the stream finds it whole.
    StartRead(&request_);
  }

  void Send(Assignment assignment) override {
    MonitorLock lock(&mu_);
    waiting_ = std::move(assignment);
    WriteNext();
  }

  void End(const absl::Status& status) override {
    MonitorLock lock(&mu_);
    EndLocked(status);
  }

  void OnReadDone(bool ok) override {
    if (!ok) return Gone();
    absl::Status status = Take();
    if (status.ok()) {
      request_.Clear();
      StartRead(&request_);
      return;
    }
    End(AskToComeBack(status));
  }

  void OnWriteDone(bool ok) override {
    MonitorLock lock(&mu_);
    writing_ = false;
    if (ok) WriteNext();
  }

  void OnCancel() override { Gone(); }

  void OnDone() override {
    hub_->Remove(id_);
    if (greeted_) (void)loop_->Post(StreamCut{id_});
    delete this;
  }

 private:
  // Takes the message that was read.
  absl::Status Take() {
    if (request_.has_hello()) return TakeHello();
    if (!greeted_) return Malformed("the first message is no Hello");
    if (!request_.has_report()) return Malformed("a message is neither Hello nor Report");
    absl::StatusOr<Report> report = FromProto(request_.report());
    if (!report.ok()) return report.status();
    return loop_->Post(ReportReceived{id_, *std::move(report)});
  }

  absl::Status TakeHello() {
    if (greeted_) return Malformed("a second Hello");
    absl::StatusOr<Hello> hello = FromProto(request_.hello());
    if (!hello.ok()) return hello.status();
    MUSTER_RETURN_IF_ERROR(caller_.CheckWorker(hello->job, hello->worker));
    absl::StatusOr<int32_t> protocol = ChooseProtocol(request_.hello().protocol());
    if (!protocol.ok()) return protocol.status();
    {
      MonitorLock lock(&mu_);
      welcome_ = *protocol;
      WriteNext();
    }
    greeted_ = true;
    return loop_->Post(HelloReceived{id_, *std::move(hello)});
  }

  static absl::Status Malformed(const char* what) {
    ErrorDetail detail;
    detail.kind = ErrorKind::kInvalidRequest;
    return MakeError(absl::StatusCode::kInvalidArgument, what, detail);
  }

  // The other side ended the stream or its connection broke.
  void Gone() {
    MonitorLock lock(&mu_);
    if (ended_) return;
    if (greeted_) (void)loop_->Post(StreamReset{id_});
    EndLocked(absl::CancelledError("the stream was reset"));
  }

  void EndLocked(const absl::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (ended_) return;
    ended_ = true;
    waiting_.reset();
    Finish(ToGrpc(status));
  }

  void WriteNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (writing_ || ended_) return;
    reply_.Clear();
    if (welcome_.has_value()) {
      reply_.mutable_welcome()->set_protocol(*welcome_);
      welcome_.reset();
    } else if (waiting_.has_value()) {
      *reply_.mutable_assignment() = ToProto(*waiting_);
      waiting_.reset();
    } else {
      return;
    }
    writing_ = true;
    StartWrite(&reply_);
  }

  EventLoop* const loop_;
  SessionHub* const hub_;
  const Caller caller_;
  ConnectionId id_;
  v1::SessionRequest request_;
  std::atomic<bool> greeted_ = false;  // A Hello was posted, or is being posted.

  Monitor mu_;
  v1::SessionReply reply_ ABSL_GUARDED_BY(mu_);
  std::optional<int32_t> welcome_ ABSL_GUARDED_BY(mu_);
  std::optional<Assignment> waiting_ ABSL_GUARDED_BY(mu_);
  bool writing_ ABSL_GUARDED_BY(mu_) = false;
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
};

grpc::ServerUnaryReactor* FinishWith(grpc::CallbackServerContext* context,
                                     const absl::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(ToGrpc(status));
  return reactor;
}

}  // namespace

grpc::ServerBidiReactor<v1::SessionRequest, v1::SessionReply>* WorkerServiceImpl::Session(
    grpc::CallbackServerContext* context) {
  return new SessionStream(loop_, hub_, Caller(access_, *context));
}

grpc::ServerUnaryReactor* WorkerServiceImpl::Leave(grpc::CallbackServerContext* context,
                                                   const v1::LeaveRequest* request,
                                                   v1::LeaveReply*) {
  absl::StatusOr<muster::Leave> leave = FromProto(*request);
  if (!leave.ok()) return FinishWith(context, leave.status());
  const absl::Status allowed = Caller(access_, *context).CheckWorker(leave->job, leave->worker);
  if (!allowed.ok()) return FinishWith(context, allowed);
  return FinishWith(
      context,
      AskToComeBack(loop_->Post(LeaveReceived{leave->job, leave->worker, leave->incarnation})));
}

grpc::ServerUnaryReactor* WorkerServiceImpl::ReportExit(grpc::CallbackServerContext* context,
                                                        const v1::ReportExitRequest* request,
                                                        v1::ReportExitReply*) {
  absl::StatusOr<Exit> exit = FromProto(*request);
  if (!exit.ok()) return FinishWith(context, exit.status());
  const absl::Status allowed = Caller(access_, *context).CheckWorker(exit->job, exit->worker);
  if (!allowed.ok()) return FinishWith(context, allowed);
  return FinishWith(context, loop_->Post(ExitReported{exit->job, exit->worker, exit->incarnation,
                                                      ExitText(*exit)}));
}

}  // namespace muster::coordinator
