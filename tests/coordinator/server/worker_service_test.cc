#include <memory>
#include <string>

#include "common/base/error_detail.h"
#include "tests/coordinator/server/server_fixture.h"

namespace muster::coordinator {
namespace {

// One stream of a worker, message by message.
class Session {
 public:
  explicit Session(std::unique_ptr<v1::WorkerService::Stub> stub)
      : stub_(std::move(stub)), call_(stub_->Session(&context_)) {}

  SessionCall& call() { return *call_; }

  // The next message; an empty one at the end of the stream.
  v1::SessionReply Next() {
    v1::SessionReply reply;
    if (!call_->Read(&reply)) reply.Clear();
    return reply;
  }

  // How the stream ended, once nothing more comes.
  absl::Status End() {
    v1::SessionReply reply;
    while (call_->Read(&reply)) {
    }
    return FromGrpc(call_->Finish());
  }

  void Report(uint64_t incarnation, uint64_t number, uint64_t pong) {
    v1::SessionRequest request;
    request.mutable_report()->set_incarnation(incarnation);
    request.mutable_report()->set_number(number);
    request.mutable_report()->set_pong(pong);
    call_->Write(request);
  }

 private:
  std::unique_ptr<v1::WorkerService::Stub> stub_;
  PatientContext context_;
  std::unique_ptr<SessionCall> call_;
};

class WorkerServiceTest : public ServerTest {
 protected:
  void SetUp() override {
    Start();
    ASSERT_THAT(Apply(ApplyOf("wan", 1, "r1")), IsOk());
  }

  std::unique_ptr<Session> Dial() const { return std::make_unique<Session>(Worker()); }

  // A stream whose worker has its first assignment.
  std::unique_ptr<Session> Join(const Hello& hello) const {
    std::unique_ptr<Session> session = Dial();
    Greet(session->call(), hello);
    EXPECT_EQ(session->Next().welcome().protocol(), 1);
    const v1::SessionReply reply = session->Next();
    EXPECT_EQ(reply.assignment().to(), hello.incarnation.value);
    return session;
  }
};

TEST_F(WorkerServiceTest, AHelloIsWelcomedAndGetsAnAssignment) {
  const std::unique_ptr<Session> session = Dial();
  ASSERT_TRUE(Greet(session->call(), HelloOf("w7", 42, 1)));
  EXPECT_EQ(session->Next().welcome().protocol(), 1);
  v1::Assignment assignment = session->Next().assignment();
  while (assignment.to() == 42 && !assignment.has_attempt()) {
    assignment = session->Next().assignment();
  }
  EXPECT_EQ(assignment.spec().name(), "wan");
  EXPECT_EQ(assignment.attempt().rank(), 0);
  EXPECT_EQ(assignment.attempt().step(), v1::ATTEMPT_STEP_PREPARE);
}

TEST_F(WorkerServiceTest, ASecondHelloOnAStreamEndsIt) {
  const std::unique_ptr<Session> session = Join(HelloOf("w7", 42, 1));
  Greet(session->call(), HelloOf("w7", 42, 2));
  const absl::Status end = session->End();
  EXPECT_THAT(end, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(end, HasKind(ErrorKind::kInvalidRequest));
}

TEST_F(WorkerServiceTest, AStreamThatBeginsWithAReportIsEnded) {
  const std::unique_ptr<Session> session = Dial();
  session->Report(42, 1, 0);
  EXPECT_THAT(session->End(), HasKind(ErrorKind::kInvalidRequest));
}

TEST_F(WorkerServiceTest, AProtocolThatNobodySpeaksIsRefused) {
  const std::unique_ptr<Session> session = Dial();
  v1::SessionRequest request;
  *request.mutable_hello() = ToProto(HelloOf("w7", 42, 1));
  request.mutable_hello()->mutable_protocol()->set_min(77);
  request.mutable_hello()->mutable_protocol()->set_max(78);
  session->call().Write(request);
  const absl::Status end = session->End();
  EXPECT_THAT(end, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(end, HasKind(ErrorKind::kProtocolMismatch));
}

TEST_F(WorkerServiceTest, ANewerStreamOfTheSameProcessReplacesTheOlder) {
  const std::unique_ptr<Session> older = Join(HelloOf("w7", 42, 1));
  const std::unique_ptr<Session> newer = Join(HelloOf("w7", 42, 2));
  EXPECT_THAT(older->End(), HasKind(ErrorKind::kStaleSession));
}

TEST_F(WorkerServiceTest, ASecondProcessOfALiveWorkerIsRefused) {
  const std::unique_ptr<Session> holder = Join(HelloOf("w7", 42, 1));
  const std::unique_ptr<Session> rival = Dial();
  ASSERT_TRUE(Greet(rival->call(), HelloOf("w7", 43, 1)));
  EXPECT_EQ(rival->Next().welcome().protocol(), 1);
  v1::Assignment assignment = holder->Next().assignment();
  while (assignment.to() == 42 && assignment.ping() == 0) assignment = holder->Next().assignment();
  ASSERT_NE(assignment.ping(), 0);
  holder->Report(42, 2, assignment.ping());
  const absl::Status end = rival->End();
  EXPECT_THAT(end, StatusIs(absl::StatusCode::kAlreadyExists));
  ASSERT_THAT(end, HasKind(ErrorKind::kDuplicateIdentity));
  EXPECT_THAT(DetailOf(end)->workers, testing::Contains("w7"));
}

TEST_F(WorkerServiceTest, AWorkerThatLeavesIsListedNoMore) {
  const std::unique_ptr<Session> session = Join(HelloOf("w7", 42, 1));
  v1::LeaveRequest leave;
  leave.set_job("wan");
  leave.set_worker("w7");
  leave.set_incarnation(42);
  v1::LeaveReply nothing;
  EXPECT_THAT(Call(*Worker(), &v1::WorkerService::Stub::Leave, leave, &nothing), IsOk());
  EXPECT_THAT(Call(*Worker(), &v1::WorkerService::Stub::Leave, leave, &nothing), IsOk());
  leave.set_job("");
  EXPECT_THAT(Call(*Worker(), &v1::WorkerService::Stub::Leave, leave, &nothing),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(WorkerServiceTest, TheEndOfTheCoordinatorAsksToComeBack) {
  const std::unique_ptr<Session> session = Join(HelloOf("w7", 42, 1));
  server_->Stop();
  const absl::Status end = session->End();
  EXPECT_THAT(end, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(end, HasKind(ErrorKind::kCoordinatorLost));
}

}  // namespace
}  // namespace muster::coordinator
