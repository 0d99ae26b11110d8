#include "coordinator/server/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/server.h>

#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "common/base/error_detail.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "coordinator/core/machine.h"
#include "coordinator/runtime/core.h"
#include "coordinator/runtime/effect_runner.h"
#include "coordinator/runtime/event_loop.h"
#include "coordinator/server/admin_service.h"
#include "coordinator/server/health_http.h"
#include "coordinator/server/session_hub.h"
#include "coordinator/server/worker_service.h"

namespace muster::coordinator {
namespace {

// The loop turns at every tick; one that has not for this long is stuck.
constexpr absl::Duration kStuckAfter = absl::Seconds(30);
constexpr absl::Duration kStopWithin = absl::Seconds(2);
constexpr absl::Duration kTermWithin = absl::Seconds(30);

struct HostPort {
  std::string host;
  int port = 0;
};

absl::Status Error(absl::StatusCode code, ErrorKind kind, const std::string& message,
                   std::string remedy) {
  ErrorDetail detail;
  detail.kind = kind;
  detail.remedy = std::move(remedy);
  return MakeError(code, message, std::move(detail));
}

absl::StatusOr<HostPort> Split(const std::string& address) {
  const size_t colon = address.rfind(':');
  HostPort parts;
  if (colon == std::string::npos || colon == 0 ||
      !absl::SimpleAtoi(address.substr(colon + 1), &parts.port) || parts.port < 0 ||
      parts.port > 65535) {
    return Error(absl::StatusCode::kInvalidArgument, ErrorKind::kConfigInvalid,
                 absl::StrCat("address '", address, "' is not HOST:PORT"),
                 "write it as 127.0.0.1:7070 or [::1]:7070");
  }
  parts.host = address.substr(0, colon);
  return parts;
}

// One gRPC server on one address.
struct Listener {
  std::unique_ptr<grpc::Server> server;
  std::string address;
};

absl::StatusOr<Listener> Listen(const std::string& address,
                                std::shared_ptr<grpc::ServerCredentials> credentials,
                                const std::vector<grpc::Service*>& services) {
  MUSTER_ASSIGN_OR_RETURN(HostPort parts, Split(address));
  grpc::ServerBuilder builder;
  SetServerDefaults(builder);
  int port = 0;
  builder.AddListeningPort(address, std::move(credentials), &port);
  for (grpc::Service* service : services) builder.RegisterService(service);
  Listener listener;
  listener.server = builder.BuildAndStart();
  if (listener.server == nullptr || port == 0) {
    return Error(absl::StatusCode::kAlreadyExists, ErrorKind::kAddressConflict,
                 absl::StrCat("cannot listen on ", address,
                              ": the address is in use or not of this machine"),
                 "end the other program, or choose another address");
  }
  listener.address = absl::StrCat(parts.host, ":", port);
  return listener;
}

class ServerImpl final : public Server {
 public:
  ServerImpl(std::unique_ptr<Journal> journal, Machine machine, const Options& options)
      : journal_(std::move(journal)),
        runner_(journal_.get(), &hub_, options.on_halt),
        loop_(std::make_unique<MachineCore>(std::move(machine)), &runner_, &clock_, {}),
        worker_service_(&loop_, &hub_),
        admin_service_(&loop_, &hub_, &clock_) {}

  ~ServerImpl() override { Stop(); }

  absl::Status Open(const Options& options) {
    if (options.tls.empty()) {
      MUSTER_RETURN_IF_ERROR(CheckPlainAllowed(options.worker_address));
      MUSTER_RETURN_IF_ERROR(CheckPlainAllowed(options.admin_address));
    }
    MUSTER_ASSIGN_OR_RETURN(std::shared_ptr<grpc::ServerCredentials> credentials,
                            MakeServerCredentials(options.tls));
    MUSTER_ASSIGN_OR_RETURN(worker_,
                            Listen(options.worker_address, credentials, {&worker_service_}));
    MUSTER_ASSIGN_OR_RETURN(admin_, Listen(options.admin_address, credentials, {&admin_service_}));
    if (!options.health_grpc_address.empty()) {
      MUSTER_ASSIGN_OR_RETURN(
          health_grpc_, Listen(options.health_grpc_address, grpc::InsecureServerCredentials(), {}));
    }
    if (!options.health_http_address.empty()) {
      MUSTER_ASSIGN_OR_RETURN(HostPort parts, Split(options.health_http_address));
      health_host_ = parts.host;
      const auto check = [this] { return WhatIsWrong(); };
      MUSTER_ASSIGN_OR_RETURN(health_http_,
                              HealthHttp::Start(parts.host, parts.port, check, check));
    }
    MUSTER_RETURN_IF_ERROR(AwaitTerm());
    SetServing(true);
    return absl::OkStatus();
  }

  std::string worker_address() const override { return worker_.address; }
  std::string admin_address() const override { return admin_.address; }
  std::string health_grpc_address() const override { return health_grpc_.address; }
  std::string health_http_address() const override {
    return health_http_ == nullptr ? "" : absl::StrCat(health_host_, ":", health_http_->port());
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
      bool serving = false;
      absl::Notification looked;
      MUSTER_RETURN_IF_ERROR(loop_.Read([&](const State& state) {
        serving = state.serving;
        looked.Notify();
      }));
      looked.WaitForNotification();
      if (serving) return absl::OkStatus();
      std::this_thread::yield();
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
  std::string health_host_;
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
