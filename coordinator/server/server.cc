#include "coordinator/server/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/server.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/monitor.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "coordinator/core/machine.h"
#include "coordinator/runtime/core.h"
#include "coordinator/runtime/effect_runner.h"
#include "coordinator/runtime/event_loop.h"
#include "coordinator/server/admin_service.h"
#include "common/support/bind_address.h"
#include "common/support/health_http.h"
#include "coordinator/server/session_hub.h"
#include "coordinator/server/worker_service.h"

namespace muster::coordinator {
namespace {

// The loop turns at every tick; one that has not for this long is stuck.
constexpr absl::Duration kStuckAfter = absl::Seconds(30);
constexpr absl::Duration kStopWithin = absl::Seconds(2);
constexpr absl::Duration kTermWithin = absl::Seconds(30);
constexpr absl::Duration kTermPoll = absl::Milliseconds(5);
constexpr int kHealthRequestBytesMax = 4096;

absl::Status Error(absl::StatusCode code, ErrorKind kind, const std::string& message,
                   std::string remedy) {
  ErrorDetail detail;
  detail.kind = kind;
  detail.remedy = std::move(remedy);
  return MakeError(code, message, std::move(detail));
}

// With TLS a caller is what its certificate says.
Access AccessFor(const TlsFiles& tls) {
  return tls.empty() ? Access::kOpen : Access::kByCertificate;
}

// One look at the state of the machine.
struct Look {
  Monitor monitor;
  bool done = false;  // With the monitor held, as the next.
  bool serving = false;
};

// One gRPC server on one address.
struct Listener {
  std::unique_ptr<grpc::Server> server;
  std::string address;
};

absl::StatusOr<Listener> Listen(const std::string& address,
                                std::shared_ptr<grpc::ServerCredentials> credentials,
                                int request_bytes_max,
                                const std::vector<grpc::Service*>& services) {
  MUSTER_ASSIGN_OR_RETURN(BindAddress parsed, ParseBindAddress(address));
  grpc::ServerBuilder builder;
  SetServerDefaults(builder);
  builder.SetMaxReceiveMessageSize(request_bytes_max);
  int port = 0;
  builder.AddListeningPort(address, std::move(credentials), &port);
  for (grpc::Service* service : services) builder.RegisterService(service);
  Listener listener;
  listener.server = builder.BuildAndStart();
  if (listener.server == nullptr || port == 0) return WhyNotBound(parsed);
  parsed.port = port;
  listener.address = parsed.Text();
  return listener;
}

class ServerImpl final : public Server {
 public:
  ServerImpl(std::unique_ptr<Journal> journal, Machine machine, const Options& options)
      : journal_(std::move(journal)),
        runner_(journal_.get(), &hub_, options.on_halt),
        loop_(std::make_unique<MachineCore>(std::move(machine)), &runner_, &clock_, {}),
        worker_service_(&loop_, &hub_, AccessFor(options.tls)),
        admin_service_(&loop_, &hub_, &clock_, AccessFor(options.tls)) {}

  ~ServerImpl() override { Stop(); }

  absl::Status Open(const Options& options) {
    if (options.tls.empty()) {
      MUSTER_RETURN_IF_ERROR(CheckPlainAllowed(options.worker_address));
      MUSTER_RETURN_IF_ERROR(CheckPlainAllowed(options.admin_address));
    }
    MUSTER_ASSIGN_OR_RETURN(std::shared_ptr<grpc::ServerCredentials> credentials,
                            MakeServerCredentials(options.tls));
    MUSTER_ASSIGN_OR_RETURN(
        worker_, Listen(options.worker_address, credentials, kMessageBytesMax, {&worker_service_}));
    MUSTER_ASSIGN_OR_RETURN(admin_, Listen(options.admin_address, credentials,
                                           kAdminRequestBytesMax, {&admin_service_}));
    if (!options.health_grpc_address.empty()) {
      MUSTER_ASSIGN_OR_RETURN(health_grpc_,
                              Listen(options.health_grpc_address, grpc::InsecureServerCredentials(),
                                     kHealthRequestBytesMax, {}));
    }
    if (!options.health_http_address.empty()) {
      MUSTER_ASSIGN_OR_RETURN(health_address_, ParseBindAddress(options.health_http_address));
      const auto check = [this] { return WhatIsWrong(); };
      MUSTER_ASSIGN_OR_RETURN(health_http_, HealthHttp::Start(health_address_, check, check));
      health_address_.port = health_http_->port();
    }
    MUSTER_RETURN_IF_ERROR(AwaitTerm());
    SetServing(true);
    return absl::OkStatus();
  }

  std::string worker_address() const override { return worker_.address; }
  std::string admin_address() const override { return admin_.address; }
  std::string health_grpc_address() const override { return health_grpc_.address; }
  std::string health_http_address() const override {
    return health_http_ == nullptr ? "" : health_address_.Text();
  }

  void Stop() override {
    if (stopped_) return;
    stopped_ = true;
    SetServing(false);
    hub_.Shutdown(Error(absl::StatusCode::kUnavailable, ErrorKind::kCoordinatorLost,
                        "the coordinator ends", "dial again"));
    const gpr_timespec deadline = GrpcDeadline(kStopWithin);
    for (Listener* listener : {&worker_, &admin_, &health_grpc_}) {
      if (listener->server != nullptr) listener->server->Shutdown(deadline);
    }
    for (Listener* listener : {&worker_, &admin_, &health_grpc_}) {
      if (listener->server != nullptr) listener->server->Wait();
    }
    health_http_.reset();
    loop_.Stop();
  }

 private:
  // Waits until the journal has taken the term: before that, everyone is turned away.
  absl::Status AwaitTerm() {
    const MonotonicTime deadline = clock_.Now() + kTermWithin;
    while (clock_.Now() < deadline) {
      const auto look = std::make_shared<Look>();
      MUSTER_RETURN_IF_ERROR(loop_.Read([look](const State& state) {
        MonitorLock lock(&look->monitor);
        look->serving = state.serving;
        look->done = true;
        look->monitor.NotifyAll();
      }));
      MonitorLock lock(&look->monitor);
      while (!look->done) look->monitor.Wait();
      if (look->serving) return absl::OkStatus();
      look->monitor.WaitUntil(clock_.Now() + kTermPoll);
    }
    return Error(absl::StatusCode::kUnavailable, ErrorKind::kJournalFailed,
                 absl::StrCat("the journal did not take the term within ",
                              absl::FormatDuration(kTermWithin)),
                 "look at the disk of the journal");
  }

  std::string WhatIsWrong() const {
    const absl::Duration since = loop_.SinceLastTurn();
    if (since < kStuckAfter) return "";
    return absl::StrCat("the event loop has not turned for ", absl::FormatDuration(since));
  }

  void SetServing(bool serving) {
    for (Listener* listener : {&worker_, &admin_, &health_grpc_}) {
      if (listener->server == nullptr) continue;
      grpc::HealthCheckServiceInterface* health = listener->server->GetHealthCheckService();
      if (health == nullptr) continue;
      for (const char* service : {"", "liveness", "readiness"}) {
        health->SetServingStatus(service, serving);
      }
    }
  }

  // In the order in which they must outlive each other.
  RealClock clock_;
  const std::unique_ptr<Journal> journal_;
  SessionHub hub_;
  EffectRunner runner_;
  EventLoop loop_;
  WorkerServiceImpl worker_service_;
  AdminServiceImpl admin_service_;
  Listener worker_;
  Listener admin_;
  Listener health_grpc_;
  std::unique_ptr<HealthHttp> health_http_;
  BindAddress health_address_;
  bool stopped_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(std::unique_ptr<Journal> journal,
                                                      const Options& options) {
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  MUSTER_ASSIGN_OR_RETURN(JournalContents contents, journal->Read());
  MUSTER_ASSIGN_OR_RETURN(Machine machine,
                          Machine::Load(contents, {.seed = SystemSeed()}, MonotonicTime()));
  auto server = std::make_unique<ServerImpl>(std::move(journal), std::move(machine), options);
  MUSTER_RETURN_IF_ERROR(server->Open(options));
  return server;
}

}  // namespace muster::coordinator
