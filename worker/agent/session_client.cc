#include "worker/agent/session_client.h"

#include <grpc/support/time.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/client_callback.h>

#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "common/base/clock_reading.h"
#include "common/base/error_detail.h"
#include "common/base/monitor.h"
#include "common/rpc/status.h"
#include "common/support/log.h"
#include "common/wire/assignment.h"
#include "common/wire/report.h"

namespace muster::worker {
namespace {

constexpr absl::Duration kFlushWithin = absl::Milliseconds(500);
constexpr int64_t kGoodbyeWithinMs = 1000;

// What the machine should make of the end of a stream. Without a typed detail the coordinator said
// nothing and the transport did, except where gRPC itself refused us for good.
absl::Status Judge(const absl::Status& status) {
  if (DetailOf(status).has_value()) return status;
  const bool refused = absl::IsUnauthenticated(status) || absl::IsPermissionDenied(status) ||
                       absl::IsUnimplemented(status);
  if (refused) return status;
  return absl::UnavailableError(
      status.ok() ? std::string("the coordinator ended the stream")
                  : absl::StrCat("the connection ended: ", absl::string_view(status.message())));
}

void LogUnheard(const Leave& leave, const absl::Status& status) {
  Log(LogLevel::kInfo, "worker.goodbye_unheard").Job(leave.job).Worker(leave.worker).Error(status);
}

}  // namespace

// Counts what gRPC still has in hand.
//
// A thread of gRPC must not drop the last reference to the channel: it would wait for itself. So
// whatever refers to the channel is gone before End(), or is the client's.
class SessionClient::Calls {
 public:
  void Begin() {
    MonitorLock lock(&monitor_);
    ++running_;
  }
  void End() {
    MonitorLock lock(&monitor_);
    --running_;
    monitor_.NotifyAll();
  }
  void WaitForAll() {
    MonitorLock lock(&monitor_);
    while (running_ > 0) monitor_.Wait();
  }

 private:
  Monitor monitor_;
  int running_ ABSL_GUARDED_BY(monitor_) = 0;
};

struct SessionClient::Goodbye {
  grpc::ClientContext context;
  v1::LeaveRequest request;
  v1::LeaveReply reply;
};

// One stream. Keeps itself until gRPC has done with it.
class SessionClient::Stream final
    : public grpc::ClientBidiReactor<v1::SessionRequest, v1::SessionReply> {
 public:
  Stream(SessionNumber session, EventSink post, Diagnosis diagnosis,
         std::shared_ptr<std::atomic<bool>> known, std::shared_ptr<Calls> calls)
      : session_(session),
        post_(std::move(post)),
        diagnosis_(std::move(diagnosis)),
        known_(std::move(known)),
        calls_(std::move(calls)) {}

  SessionNumber session() const { return session_; }

  void Start(v1::WorkerService::Stub* stub, const Hello& hello, std::shared_ptr<Stream> self) {
    self_ = std::move(self);
    calls_->Begin();
    stub->async()->Session(&context_, this);
    MonitorLock lock(&monitor_);
    *request_.mutable_hello() = ToProto(hello);
    writing_ = true;
    AddHold();  // Until the stream is over: writes begin outside of reactions.
    StartWrite(&request_);
    StartRead(&reply_);
    StartCall();
  }

  void Send(const Report& report) {
    MonitorLock lock(&monitor_);
    if (over_) return;
    waiting_ = ToProto(report);
    WriteNext();
  }

  void Close() {
    MonitorLock lock(&monitor_);
    silent_ = true;
    if (over_) return;
    context_.TryCancel();
    EndLocked();
  }

  // Waits until nothing is left to be written, or the stream is over.
  void Flush(absl::Duration within) {
    const MonotonicTime deadline = ReadMonotonicClock() + within;
    MonitorLock lock(&monitor_);
    bool in_time = true;
    while (!over_ && (writing_ || waiting_.has_value()) && in_time) {
      in_time = monitor_.WaitUntil(deadline);
    }
  }

  void OnReadDone(bool ok) override {
    if (ok && Take()) {
      reply_.Clear();
      StartRead(&reply_);
      return;
    }
    MonitorLock lock(&monitor_);
    if (ok) context_.TryCancel();
    EndLocked();
  }

  void OnWriteDone(bool ok) override {
    MonitorLock lock(&monitor_);
    writing_ = false;
    if (ok) WriteNext();
    monitor_.NotifyAll();
  }

  void OnDone(const grpc::Status& status) override {
    std::optional<absl::Status> said;
    {
      MonitorLock lock(&monitor_);
      if (!silent_) said = malformed_.value_or(Judge(FromGrpc(status)));
    }
    if (said.has_value()) Post(StreamClosed{session_, Diagnosed(*std::move(said))});
    const std::shared_ptr<Calls> calls = calls_;
    self_.reset();  // This object may be gone from here on.
    calls->End();
  }

 private:
  // The reason for `said`, if there is one behind it.
  absl::Status Diagnosed(absl::Status said) const {
    if (*known_ || diagnosis_ == nullptr || DetailOf(said).has_value()) return said;
    absl::Status reason = diagnosis_();
    return reason.ok() ? said : reason;
  }

  // Takes the message that was read. False if it cannot be.
  bool Take() {
    if (!welcomed_) {
      welcomed_ = reply_.has_welcome();
      if (!welcomed_) return Refuse("the first message is no Welcome");
      *known_ = true;
      Post(StreamOpened{session_});
      return true;
    }
    if (!reply_.has_assignment()) return Refuse("a message is no Assignment");
    absl::StatusOr<Assignment> assignment = FromProto(reply_.assignment());
    if (!assignment.ok()) return Refuse(assignment.status().message());
    Post(AssignmentReceived{session_, *std::move(assignment)});
    return true;
  }

  bool Refuse(absl::string_view what) {
    MonitorLock lock(&monitor_);
    malformed_ =
        absl::UnavailableError(absl::StrCat("the coordinator's message is refused: ", what));
    return false;
  }

  void Post(Event event) {
    {
      MonitorLock lock(&monitor_);
      if (silent_) return;
    }
    post_(std::move(event));
  }

  void WriteNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(monitor_) {
    if (writing_ || over_ || !waiting_.has_value()) return;
    request_.Clear();
    *request_.mutable_report() = *std::move(waiting_);
    waiting_.reset();
    writing_ = true;
    StartWrite(&request_);
  }

  void EndLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(monitor_) {
    if (over_) return;
    over_ = true;
    monitor_.NotifyAll();
    RemoveHold();
  }

  const SessionNumber session_;
  const EventSink post_;
  const Diagnosis diagnosis_;
  const std::shared_ptr<std::atomic<bool>> known_;
  const std::shared_ptr<Calls> calls_;
  std::shared_ptr<Stream> self_;
  grpc::ClientContext context_;
  v1::SessionReply reply_;
  bool welcomed_ = false;  // Of the reactions alone.

  Monitor monitor_;
  v1::SessionRequest request_ ABSL_GUARDED_BY(monitor_);
  std::optional<v1::Report> waiting_ ABSL_GUARDED_BY(monitor_);
  std::optional<absl::Status> malformed_ ABSL_GUARDED_BY(monitor_);
  bool writing_ ABSL_GUARDED_BY(monitor_) = false;
  bool over_ ABSL_GUARDED_BY(monitor_) = false;    // No write begins any more.
  bool silent_ ABSL_GUARDED_BY(monitor_) = false;  // Closed from here: nothing is posted.
};

SessionClient::SessionClient(std::shared_ptr<grpc::Channel> channel, EventSink post,
                             Diagnosis diagnosis)
    : stub_(v1::WorkerService::NewStub(channel)),
      post_(std::move(post)),
      diagnosis_(std::move(diagnosis)),
      calls_(std::make_shared<Calls>()),
      known_(std::make_shared<std::atomic<bool>>(false)) {}

SessionClient::~SessionClient() {
  if (stream_ != nullptr && goodbye_ == nullptr) {
    stream_->Flush(kFlushWithin);
    stream_->Close();
  }
  calls_->WaitForAll();
}

void SessionClient::Open(const Hello& hello) {
  if (stream_ != nullptr) stream_->Close();
  stream_ = std::make_shared<Stream>(hello.session, post_, diagnosis_, known_, calls_);
  stream_->Start(stub_.get(), hello, stream_);
}

void SessionClient::Send(SessionNumber session, const Report& report) {
  if (stream_ != nullptr && stream_->session() == session) stream_->Send(report);
}

void SessionClient::Close(SessionNumber session) {
  if (stream_ != nullptr && stream_->session() == session) stream_->Close();
}

void SessionClient::SayGoodbye(const Leave& leave) {
  if (goodbye_ != nullptr) return;
  goodbye_ = std::make_unique<Goodbye>();
  goodbye_->request = ToProto(leave);
  goodbye_->context.set_deadline(gpr_time_add(
      gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(kGoodbyeWithinMs, GPR_TIMESPAN)));
  calls_->Begin();
  const std::weak_ptr<Stream> stream = stream_;
  stub_->async()->Leave(&goodbye_->context, &goodbye_->request, &goodbye_->reply,
                        [calls = calls_, stream, leave](const grpc::Status& status) {
                          if (!status.ok()) LogUnheard(leave, FromGrpc(status));
                          if (const auto open = stream.lock(); open != nullptr) open->Close();
                          calls->End();
                        });
}

}  // namespace muster::worker
