// Who may do what on a server with TLS, by the certificate that the caller brings.

#include <grpcpp/create_channel.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "common/base/error_detail.h"
#include "common/rpc/diagnosis.h"
#include "common/rpc/identity.h"
#include "common/support/throwaway_ca.h"
#include "tests/coordinator/server/server_fixture.h"

namespace muster::coordinator {
namespace {

using testing::HasSubstr;
using AdminStub = v1::AdminService::Stub;
using WorkerStub = v1::WorkerService::Stub;

std::string Content(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class AccessTest : public ServerTest {
 protected:
  void SetUp() override {
    ca_ = *ThrowawayCa::Make(testing::TempDir());  // Before there is a thread.
    other_ca_ = *ThrowawayCa::Make(testing::TempDir());
    coordinator_ = Issue("coordinator", {Role::kCoordinator, "", ""});
    admin_ = Issue("admin", {Role::kAdmin, "", ""});
    worker_ = Issue("worker", {Role::kWorker, "wan", "w7"});
    job_ = Issue("job", {Role::kWorker, "wan", ""});
    Server::Options options = Loopback();
    options.tls = coordinator_;
    Start(options);
  }

  TlsFiles Issue(const std::string& name, const Identity& identity) const {
    return *ca_->Issue(name, IdentityUri("test", identity));
  }

  absl::Status List(const std::shared_ptr<grpc::Channel>& channel) const {
    v1::ListJobsReply reply;
    return Call(*v1::AdminService::NewStub(channel), &AdminStub::ListJobs, v1::ListJobsRequest(),
                &reply);
  }

  // How the coordinator answers a worker's Hello: OK once it is welcome.
  absl::Status Join(const TlsFiles& tls, const Hello& hello) const {
    const std::unique_ptr<WorkerStub> stub = Worker(tls);
    PatientContext context;
    const std::unique_ptr<SessionCall> call = stub->Session(&context);
    Greet(*call, hello);
    v1::SessionReply reply;
    if (call->Read(&reply) && reply.has_welcome()) return absl::OkStatus();
    return FromGrpc(call->Finish());
  }

  absl::Status ReportExit(const TlsFiles& tls, const std::string& worker) const {
    v1::ReportExitRequest request;
    request.set_job("wan");
    request.set_worker(worker);
    request.set_incarnation(42);
    request.set_code(3);
    v1::ReportExitReply reply;
    return Call(*Worker(tls), &WorkerStub::ReportExit, request, &reply);
  }

  absl::Status Leave(const TlsFiles& tls, const std::string& worker) const {
    v1::LeaveRequest request;
    request.set_job("wan");
    request.set_worker(worker);
    request.set_incarnation(42);
    v1::LeaveReply reply;
    return Call(*Worker(tls), &WorkerStub::Leave, request, &reply);
  }

  std::unique_ptr<ThrowawayCa> ca_;
  std::unique_ptr<ThrowawayCa> other_ca_;
  TlsFiles coordinator_;
  TlsFiles admin_;
  TlsFiles worker_;
  TlsFiles job_;
};

TEST_F(AccessTest, AnAdminMayDoWhatAdminsDo) {
  EXPECT_THAT(Apply(ApplyOf("wan", 2, "r1"), admin_), IsOk());
  EXPECT_THAT(List(*MakeChannel(server_->admin_address(), admin_)), IsOk());
}

TEST_F(AccessTest, AWorkerMayNotDoWhatAdminsDo) {
  for (const TlsFiles& files : {worker_, job_, coordinator_}) {
    const absl::Status changed = Apply(ApplyOf("wan", 2, "r1"), files).status();
    EXPECT_THAT(changed,
                StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("spiffe://test/")));
    EXPECT_THAT(DetailOf(changed)->remedy, HasSubstr("/muster/admin"));
    EXPECT_THAT(List(*MakeChannel(server_->admin_address(), files)),
                StatusIs(absl::StatusCode::kPermissionDenied));
  }
  v1::WatchJobRequest request;
  PatientContext context;
  v1::WatchJobReply reply;
  const std::unique_ptr<AdminStub> stub = Admin(worker_);
  const auto reader = stub->WatchJob(&context, request);
  EXPECT_FALSE(reader->Read(&reply));
  EXPECT_THAT(FromGrpc(reader->Finish()), StatusIs(absl::StatusCode::kPermissionDenied));
}

TEST_F(AccessTest, AWorkerMaySpeakForItselfOnly) {
  EXPECT_THAT(Join(worker_, HelloOf("w7", 42, 1)), IsOk());
  EXPECT_THAT(Leave(worker_, "w7"), IsOk());
  EXPECT_THAT(ReportExit(worker_, "w7"), IsOk());

  const absl::Status refused = Join(worker_, HelloOf("w8", 43, 1));
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kPermissionDenied,
                                HasSubstr("spiffe://test/muster/job/wan/worker/w7")));
  ASSERT_TRUE(DetailOf(refused).has_value());
  EXPECT_THAT(DetailOf(refused)->workers, testing::ElementsAre("w8"));
  EXPECT_THAT(DetailOf(refused)->remedy, HasSubstr("/muster/job/wan/worker/w8"));
  EXPECT_THAT(Leave(worker_, "w8"), StatusIs(absl::StatusCode::kPermissionDenied));
  EXPECT_THAT(ReportExit(worker_, "w8"), StatusIs(absl::StatusCode::kPermissionDenied));
}

TEST_F(AccessTest, ACertificateOfAJobIsForAllOfItsWorkersAndNoOthers) {
  EXPECT_THAT(Join(job_, HelloOf("w8", 43, 1)), IsOk());
  EXPECT_THAT(ReportExit(job_, "w9"), IsOk());
  Hello hello = HelloOf("w8", 43, 1);
  hello.job = "lm";
  EXPECT_THAT(Join(job_, hello), StatusIs(absl::StatusCode::kPermissionDenied));
  EXPECT_THAT(Join(admin_, HelloOf("w8", 43, 1)), StatusIs(absl::StatusCode::kPermissionDenied));
}

TEST_F(AccessTest, ACertificateThatNamesNobodyIsRefused) {
  const TlsFiles nobody = *ca_->Issue("nobody", "https://example.org/w7");
  EXPECT_THAT(Join(nobody, HelloOf("w7", 42, 1)),
              StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("https://example.org/w7")));
}

TEST_F(AccessTest, AClientWithoutACertificateIsRefused) {
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = Content(admin_.ca);
  EXPECT_THAT(List(grpc::CreateChannel(server_->admin_address(), grpc::SslCredentials(options))),
              StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(AccessTest, AClientOfAnotherCaIsRefusedAndCanFindOutWhy) {
  TlsFiles files = *other_ca_->Issue("admin", IdentityUri("test", {Role::kAdmin, "", ""}));
  EXPECT_THAT(List(*MakeChannel(server_->admin_address(), files)),
              StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(DiagnoseTls(server_->admin_address(), files, kPatience),
              StatusIs(absl::StatusCode::kUnauthenticated));
  files.ca = admin_.ca;  // Now it trusts the coordinator, which does not trust it.
  EXPECT_THAT(List(*MakeChannel(server_->admin_address(), files)),
              StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(AccessTest, AClientInPlainTextIsRefusedAndCanFindOutWhy) {
  EXPECT_THAT(List(*MakeChannel(server_->admin_address(), {})),
              StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(DiagnoseTls(server_->admin_address(), {}, kPatience),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("wants TLS")));
}

TEST_F(AccessTest, AClientRefusesAServerThatIsNoCoordinator) {
  server_.reset();
  Server::Options options = Loopback();
  options.tls = worker_;  // Of the right CA, but a worker's.
  Start(options);
  EXPECT_THAT(List(*MakeChannel(server_->admin_address(), admin_)),
              StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(DiagnoseTls(server_->admin_address(), admin_, kPatience),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("worker/w7")));
}

}  // namespace
}  // namespace muster::coordinator
