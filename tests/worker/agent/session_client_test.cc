#include "worker/agent/session_client.h"

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/rpc/endpoint.h"
#include "common/rpc/status.h"
#include "common/wire/assignment.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/signal.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/agent/event_log.h"

namespace muster::worker {
namespace {

// A coordinator that does what the test says.
class FakeService final : public v1::WorkerService::Service {
 public:
  struct Script {
    bool welcome = true;
    std::optional<v1::Assignment> assignment;
    absl::Status end = absl::OkStatus();  // Once `may_end` is given.
  };
  explicit FakeService(Script script) : script_(std::move(script)) {}

  grpc::Status Session(
      grpc::ServerContext*,
      grpc::ServerReaderWriter<v1::SessionReply, v1::SessionRequest>* stream) override {
    v1::SessionRequest request;
    if (!stream->Read(&request) || !request.has_hello()) {
      return grpc::Status(grpc::INVALID_ARGUMENT, "no Hello");
    }
    v1::SessionReply reply;
    if (script_.welcome) {
      reply.mutable_welcome()->set_protocol(1);
      stream->Write(reply);
    }
    if (script_.assignment.has_value()) {
      *reply.mutable_assignment() = *script_.assignment;
      stream->Write(reply);
    }
    if (!may_read.Comes()) return grpc::Status(grpc::INTERNAL, "the test never let it read");
    if (!script_.end.ok()) return ToGrpc(script_.end);
    while (stream->Read(&request)) {
      numbers.push_back(request.report().number());
      if (numbers.back() == last_number) break;
    }
    read_all.Give();
    return grpc::Status::OK;
  }

  grpc::Status Leave(grpc::ServerContext*, const v1::LeaveRequest* request,
                     v1::LeaveReply*) override {
    left_worker = request->worker();
    left.Give();
    return grpc::Status::OK;
  }

  Signal may_read;
  Signal read_all;
  Signal left;
  uint64_t last_number = 0;
  std::vector<uint64_t> numbers;  // Of the reports that were read.
  std::string left_worker;

 private:
  const Script script_;
};

Hello SomeHello(int64_t session) {
  Hello hello;
  hello.job = "wan";
  hello.worker = "w3";
  hello.incarnation = Incarnation(42);
  hello.session = SessionNumber(session);
  hello.host.host_id = "h";
  hello.report.incarnation = hello.incarnation;
  hello.report.number = 1;
  return hello;
}

class SessionClientTest : public testing::Test {
 protected:
  void Serve(FakeService::Script script) {
    service_ = std::make_unique<FakeService>(std::move(script));
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(service_.get());
    builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);  // Keeps the window at 64 KiB.
    server_ = builder.BuildAndStart();
    address_ = absl::StrCat("127.0.0.1:", port);
  }

  std::unique_ptr<SessionClient> Connect() {
    return std::make_unique<SessionClient>(*MakeChannel(address_, {}), events_.sink());
  }

  void TearDown() override {
    if (service_ != nullptr) service_->may_read.Give();
    if (server_ != nullptr) server_->Shutdown();
  }

  std::string address_;
  std::unique_ptr<FakeService> service_;
  std::unique_ptr<grpc::Server> server_;
  EventLog events_;
};

TEST_F(SessionClientTest, AWelcomeOpensTheStreamAndAssignmentsFollow) {
  Assignment assignment;
  assignment.store = StoreId(5);
  assignment.term = Term(2);
  assignment.revision = Revision(7);
  assignment.to = Incarnation(42);
  Serve({.assignment = ToProto(assignment)});
  const auto client = Connect();
  client->Open(SomeHello(4));
  const std::vector<Event> events = events_.WaitFor(2);
  ASSERT_EQ(events.size(), 2);
  EXPECT_EQ(std::get<StreamOpened>(events[0]).session, SessionNumber(4));
  EXPECT_EQ(std::get<AssignmentReceived>(events[1]).session, SessionNumber(4));
  EXPECT_EQ(std::get<AssignmentReceived>(events[1]).assignment.revision, Revision(7));
}

TEST_F(SessionClientTest, TheCoordinatorsWordComesWithItsDetail) {
  ErrorDetail detail;
  detail.kind = ErrorKind::kStaleIncarnation;
  Serve({.end = MakeError(absl::StatusCode::kFailedPrecondition, "a newer one is here", detail)});
  service_->may_read.Give();
  const auto client = Connect();
  client->Open(SomeHello(1));
  const std::vector<Event> events = events_.WaitFor(2);
  ASSERT_EQ(events.size(), 2);
  const auto& closed = std::get<StreamClosed>(events[1]);
  EXPECT_THAT(closed.status, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(closed.status, HasKind(ErrorKind::kStaleIncarnation));
}

TEST_F(SessionClientTest, WithoutCoordinatorTheStreamClosesAsUnavailable) {
  Serve({});
  server_->Shutdown();
  server_.reset();
  const auto client = Connect();
  client->Open(SomeHello(1));
  const std::vector<Event> events = events_.WaitFor(1);
  ASSERT_EQ(events.size(), 1);
  EXPECT_THAT(std::get<StreamClosed>(events[0]).status, StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(SessionClientTest, WhatTheDiagnosisFindsIsWhyAConnectionDidNotComeAbout) {
  Serve({});
  server_->Shutdown();
  server_.reset();
  SessionClient client(*MakeChannel(address_, {}), events_.sink(),
                       [] { return absl::UnauthenticatedError("no certificate"); });
  client.Open(SomeHello(1));
  const std::vector<Event> events = events_.WaitFor(1);
  ASSERT_EQ(events.size(), 1);
  EXPECT_THAT(std::get<StreamClosed>(events[0]).status,
              StatusIs(absl::StatusCode::kUnauthenticated, "no certificate"));
}

TEST_F(SessionClientTest, OnceWelcomeItDialsAgainWhateverADiagnosisWouldFind) {
  Serve({});
  SessionClient client(*MakeChannel(address_, {}), events_.sink(),
                       [] { return absl::UnauthenticatedError("no certificate"); });
  client.Open(SomeHello(1));
  ASSERT_EQ(events_.WaitFor(1).size(), 1);
  service_->may_read.Give();
  server_->Shutdown(GrpcDeadline(absl::ZeroDuration()));
  const std::vector<Event> events = events_.WaitFor(2);
  ASSERT_EQ(events.size(), 2);
  EXPECT_THAT(std::get<StreamClosed>(events[1]).status, StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(SessionClientTest, AStreamThatEndsWithoutAWordMayBeDialledAgain) {
  Serve({.end = absl::InternalError("no detail")});
  service_->may_read.Give();
  const auto client = Connect();
  client->Open(SomeHello(1));
  const std::vector<Event> events = events_.WaitFor(2);
  ASSERT_EQ(events.size(), 2);
  EXPECT_THAT(std::get<StreamClosed>(events[1]).status, StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(SessionClientTest, AStreamThatDoesNotBeginWithAWelcomeIsClosed) {
  Assignment assignment;
  assignment.store = StoreId(5);
  assignment.term = Term(2);
  assignment.revision = Revision(7);
  assignment.to = Incarnation(42);
  Serve({.welcome = false, .assignment = ToProto(assignment)});
  const auto client = Connect();
  client->Open(SomeHello(1));
  const std::vector<Event> events = events_.WaitFor(1);
  ASSERT_EQ(events.size(), 1);
  EXPECT_THAT(std::get<StreamClosed>(events[0]).status, StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(SessionClientTest, OfAStreamThatWasClosedFromHereNothingComesBack) {
  Serve({});
  auto client = Connect();
  client->Open(SomeHello(1));
  ASSERT_EQ(events_.WaitFor(1).size(), 1);
  client->Close(SessionNumber(1));
  client->Open(SomeHello(2));
  const std::vector<Event> events = events_.WaitFor(2);
  ASSERT_EQ(events.size(), 2);
  EXPECT_EQ(std::get<StreamOpened>(events[1]).session, SessionNumber(2));
  service_->may_read.Give();
  client.reset();  // gRPC has done with both.
  EXPECT_EQ(events_.WaitFor(2).size(), 2);
}

TEST_F(SessionClientTest, ANewerReportReplacesTheOneThatWaits) {
  Serve({});
  service_->last_number = 4;
  const auto client = Connect();
  client->Open(SomeHello(1));
  ASSERT_EQ(events_.WaitFor(1).size(), 1);
  // One is more than the connection takes while nobody reads, so the others wait behind it.
  Report report;
  report.incarnation = Incarnation(42);
  report.holdings.push_back({.epoch = Epoch(1), .state = HoldingState::kPrepared});
  for (int i = 0; i < 800; ++i) {
    report.holdings[0].endpoints.push_back(
        {.group = {0, i}, .from = GroupRank(0), .bytes = std::string(4096, 'e')});
  }
  for (report.number = 2; report.number <= 4; ++report.number) {
    client->Send(SessionNumber(1), report);
  }
  client->Send(SessionNumber(9), report);  // Of another stream.
  service_->may_read.Give();
  ASSERT_TRUE(service_->read_all.Comes());
  // Which one is first depends on when the Hello is out.
  EXPECT_LE(service_->numbers.size(), 2);
  EXPECT_EQ(service_->numbers.back(), 4);
}

TEST_F(SessionClientTest, TheFarewellNeedsNoStream) {
  Serve({});
  const auto client = Connect();
  client->SayGoodbye({.job = "wan", .worker = "w3", .incarnation = Incarnation(42)});
  ASSERT_TRUE(service_->left.Comes());
  EXPECT_EQ(service_->left_worker, "w3");
}

TEST_F(SessionClientTest, TheDestructorLetsTheFarewellOut) {
  Serve({});
  auto client = Connect();
  client->Open(SomeHello(1));
  client->SayGoodbye({.job = "wan", .worker = "w3", .incarnation = Incarnation(42)});
  client.reset();
  EXPECT_TRUE(service_->left.Comes(absl::ZeroDuration()));
}

}  // namespace
}  // namespace muster::worker
