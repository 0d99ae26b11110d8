#ifndef MUSTER_TESTS_COORDINATOR_SERVER_SERVER_FIXTURE_H_
#define MUSTER_TESTS_COORDINATOR_SERVER_SERVER_FIXTURE_H_

#include <grpcpp/client_context.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/rpc/endpoint.h"
#include "common/rpc/status.h"
#include "common/wire/report.h"
#include "coordinator/journal/memory/memory_journal.h"
#include "coordinator/server/server.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "muster/v1/admin.grpc.pb.h"
#include "muster/v1/worker.grpc.pb.h"
#include "tests/testing/status_matchers.h"

namespace muster::coordinator {

// For what should come at once, on any machine under load.
inline constexpr absl::Duration kPatience = absl::Seconds(30);

// A context whose call ends within the patience.
struct PatientContext : grpc::ClientContext {
  PatientContext() { set_deadline(GrpcDeadline(kPatience)); }
};

using SessionCall = grpc::ClientReaderWriter<v1::SessionRequest, v1::SessionReply>;

// A coordinator in this process and clients that reach it over the network.
class ServerTest : public testing::Test {
 protected:
  static Server::Options Loopback() {
    Server::Options options;
    options.worker_address = options.admin_address = "127.0.0.1:0";
    return options;
  }

  void Start(const Server::Options& options = Loopback()) {
    absl::StatusOr<std::unique_ptr<Server>> server =
        Server::Start(std::make_unique<MemoryJournal>(), options);
    ASSERT_THAT(server, IsOk());
    server_ = *std::move(server);
  }

  std::unique_ptr<v1::AdminService::Stub> Admin(const TlsFiles& tls = {}) const {
    return v1::AdminService::NewStub(*MakeChannel(server_->admin_address(), tls));
  }
  std::unique_ptr<v1::WorkerService::Stub> Worker(const TlsFiles& tls = {}) const {
    return v1::WorkerService::NewStub(*MakeChannel(server_->worker_address(), tls));
  }

  // Makes one call of a stub.
  template <typename Stub, typename Request, typename Reply>
  static absl::Status Call(Stub& stub,
                           grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                        Reply*),
                           const Request& request, Reply* reply) {
    PatientContext context;
    return FromGrpc((stub.*method)(&context, request, reply));
  }

  // A job whose mesh has one dimension.
  static v1::ApplyRequest ApplyOf(const std::string& job, int world,
                                  const std::string& request_id) {
    v1::ApplyRequest request;
    request.set_request_id(request_id);
    v1::JobSpec* spec = request.mutable_spec();
    spec->set_name(job);
    spec->set_world_size(world);
    v1::Mesh* mesh = spec->add_meshes();
    mesh->set_name("main");
    v1::Dim* dim = mesh->add_dims();
    dim->set_name("dp");
    dim->set_size(world);
    return request;
  }

  absl::StatusOr<v1::ApplyReply> Apply(const v1::ApplyRequest& request,
                                       const TlsFiles& tls = {}) const {
    v1::ApplyReply reply;
    absl::Status status = Call(*Admin(tls), &v1::AdminService::Stub::Apply, request, &reply);
    if (!status.ok()) return status;
    return reply;
  }

  absl::Status Delete(const std::string& job, const std::string& request_id) const {
    v1::DeleteRequest request;
    request.set_request_id(request_id);
    request.set_job(job);
    v1::DeleteReply reply;
    return Call(*Admin(), &v1::AdminService::Stub::Delete, request, &reply);
  }

  static Hello HelloOf(const std::string& worker, uint64_t incarnation, int64_t session) {
    Hello hello;
    hello.job = "wan";
    hello.worker = worker;
    hello.incarnation = Incarnation(incarnation);
    hello.session = SessionNumber(session);
    hello.host.host_id = "h";
    hello.host.hostname = "h";
    hello.report.incarnation = hello.incarnation;
    hello.report.number = static_cast<uint64_t>(session);
    return hello;
  }

  static bool Greet(SessionCall& call, const Hello& hello) {
    v1::SessionRequest request;
    *request.mutable_hello() = ToProto(hello);
    return call.Write(request);
  }

  std::unique_ptr<Server> server_;
};

}  // namespace muster::coordinator

#endif  // MUSTER_TESTS_COORDINATOR_SERVER_SERVER_FIXTURE_H_
