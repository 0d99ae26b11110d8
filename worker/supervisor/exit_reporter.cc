#include "worker/supervisor/exit_reporter.h"

#include <grpcpp/client_context.h>

#include <list>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/base/status_macros.h"
#include "muster/v1/worker.grpc.pb.h"

namespace muster {
namespace {

constexpr absl::Duration kCallDeadline = absl::Seconds(5);

class GrpcReporter final : public ExitReporter {
 public:
  explicit GrpcReporter(const std::shared_ptr<grpc::Channel>& channel)
      : stub_(v1::WorkerService::NewStub(channel)) {}

  ~GrpcReporter() override { Flush(absl::InfiniteDuration()); }

  void Report(const Exit& exit) override {
    absl::MutexLock lock(&mu_);
    Call& call = calls_.emplace_back();
    call.context.set_deadline(GrpcDeadline(kCallDeadline));
    call.request = ToProto(exit);
    const auto it = std::prev(calls_.end());
    stub_->async()->ReportExit(&call.context, &call.request, &call.reply,
                               [this, it](const grpc::Status&) {
                                 absl::MutexLock inner(&mu_);
                                 calls_.erase(it);
                               });
  }

  void Flush(absl::Duration deadline) override {
    absl::MutexLock lock(&mu_);
    const auto none = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) { return calls_.empty(); };
    mu_.AwaitWithTimeout(absl::Condition(&none), deadline);
  }

 private:
  struct Call {
    grpc::ClientContext context;
    v1::ReportExitRequest request;
    v1::ReportExitReply reply;
  };

  const std::unique_ptr<v1::WorkerService::Stub> stub_;
  absl::Mutex mu_;
  std::list<Call> calls_ ABSL_GUARDED_BY(mu_);  // Under way.
};

}  // namespace

absl::StatusOr<std::unique_ptr<ExitReporter>> ExitReporter::Make(const std::string& coordinator,
                                                                 const TlsFiles& tls) {
  MUSTER_ASSIGN_OR_RETURN(std::shared_ptr<grpc::Channel> channel, MakeChannel(coordinator, tls));
  return std::make_unique<GrpcReporter>(channel);
}

}  // namespace muster
