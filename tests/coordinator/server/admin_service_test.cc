#include <string>
#include <vector>

#include "common/base/error_detail.h"
#include "tests/coordinator/server/server_fixture.h"

namespace muster::coordinator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Stub = v1::AdminService::Stub;

class AdminServiceTest : public ServerTest {
 protected:
  void SetUp() override { Start(); }

  absl::Status List(int size, const std::string& token, v1::ListJobsReply* reply) const {
    v1::ListJobsRequest request;
    request.mutable_page()->set_size(size);
    request.mutable_page()->set_token(token);
    return Call(*Admin(), &Stub::ListJobs, request, reply);
  }

  absl::Status Get(const std::string& job, v1::Job* found) const {
    v1::GetJobRequest request;
    request.set_job(job);
    v1::GetJobReply reply;
    absl::Status status = Call(*Admin(), &Stub::GetJob, request, &reply);
    *found = reply.job();
    return status;
  }
};

TEST_F(AdminServiceTest, AnAppliedJobCanBeGot) {
  const absl::StatusOr<v1::ApplyReply> applied = Apply(ApplyOf("wan", 6, "r1"));
  ASSERT_THAT(applied, IsOk());
  EXPECT_NE(applied->uid(), 0);
  EXPECT_EQ(applied->generation(), 1);
  v1::Job job;
  ASSERT_THAT(Get("wan", &job), IsOk());
  EXPECT_EQ(job.uid(), applied->uid());
  EXPECT_EQ(job.spec().world_size(), 6);
  EXPECT_EQ(job.spec().meshes(0).dims(0).name(), "dp");
}

TEST_F(AdminServiceTest, TheSameRequestIdGivesTheFirstAnswer) {
  const absl::StatusOr<v1::ApplyReply> first = Apply(ApplyOf("wan", 6, "r1"));
  const absl::StatusOr<v1::ApplyReply> again = Apply(ApplyOf("wan", 6, "r1"));
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->uid(), first->uid());
  EXPECT_EQ(again->generation(), 1);
  EXPECT_THAT(Apply(ApplyOf("lm", 4, "r1")), HasKind(ErrorKind::kRequestConflict));
  EXPECT_THAT(Apply(ApplyOf("lm", 4, "")), HasKind(ErrorKind::kInvalidRequest));
}

TEST_F(AdminServiceTest, AChangeForAnotherEpochIsRefusedWithTheCurrentOne) {
  ASSERT_THAT(Apply(ApplyOf("wan", 6, "r1")), IsOk());
  v1::ApplyRequest request = ApplyOf("wan", 6, "r2");
  request.set_if_epoch(5);
  const absl::Status status = Apply(request).status();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kAborted));
  ASSERT_THAT(status, HasKind(ErrorKind::kEpochConflict));
  EXPECT_EQ(DetailOf(status)->epoch, Epoch(0));
  request = ApplyOf("wan", 6, "r3");
  request.set_if_epoch(0);
  EXPECT_THAT(Apply(request), IsOk());
}

TEST_F(AdminServiceTest, ADeletedJobIsGone) {
  ASSERT_THAT(Apply(ApplyOf("wan", 6, "r1")), IsOk());
  EXPECT_THAT(Delete("wan", "d1"), IsOk());
  EXPECT_THAT(Delete("wan", "d1"), IsOk());  // The same request again.
  v1::Job job;
  const absl::Status status = Get("wan", &job);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kNotFound));
  ASSERT_THAT(status, HasKind(ErrorKind::kUnknownJob));
  EXPECT_EQ(DetailOf(status)->job, "wan");
  EXPECT_THAT(Delete("wan", "d2"), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(AdminServiceTest, PagesCoverTheListOnce) {
  for (const char* name : {"c", "a", "e", "b", "d"}) {
    ASSERT_THAT(Apply(ApplyOf(name, 2, name)), IsOk());
  }
  std::vector<std::string> names;
  std::string token;
  int pages = 0;
  do {
    v1::ListJobsReply reply;
    ASSERT_THAT(List(2, token, &reply), IsOk());
    EXPECT_LE(reply.items_size(), 2);
    for (const v1::Job& job : reply.items()) names.push_back(job.spec().name());
    token = reply.next_page_token();
    ++pages;
  } while (!token.empty() && pages < 9);
  EXPECT_EQ(pages, 3);
  EXPECT_THAT(names, ElementsAre("a", "b", "c", "d", "e"));
}

TEST_F(AdminServiceTest, PagesThatCannotBeAreRefused) {
  v1::ListJobsReply reply;
  EXPECT_THAT(List(1000, "", &reply), IsOk());
  EXPECT_THAT(List(1001, "", &reply), HasKind(ErrorKind::kInvalidRequest));
  EXPECT_THAT(List(-1, "", &reply), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(List(1, "next", &reply),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("'next'")));
}

TEST_F(AdminServiceTest, TheDetailOfARefusedLayoutArrives) {
  v1::ApplyRequest request = ApplyOf("wan", 6, "r1");
  request.mutable_spec()->mutable_meshes(0)->mutable_dims(0)->set_size(4);
  const absl::Status status = Apply(request).status();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status, HasKind(ErrorKind::kProductMismatch));
}

TEST_F(AdminServiceTest, RequestsAreTakenUpToTheirLimit) {
  const v1::ApplyRequest short_enough = ApplyOf("wan", 6, std::string(3 << 20, 'x'));
  EXPECT_THAT(Apply(short_enough), HasKind(ErrorKind::kInvalidRequest));
  const v1::ApplyRequest too_long = ApplyOf("wan", 6, std::string(5 << 20, 'x'));
  EXPECT_THAT(Apply(too_long), StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST_F(AdminServiceTest, EventsAreThoseOfOneJobOrOfAll) {
  ASSERT_THAT(Apply(ApplyOf("wan", 6, "r1")), IsOk());
  ASSERT_THAT(Apply(ApplyOf("lm", 4, "r2")), IsOk());
  v1::ListEventsRequest request;
  v1::ListEventsReply reply;
  request.set_job("lm");
  ASSERT_THAT(Call(*Admin(), &Stub::ListEvents, request, &reply), IsOk());
  ASSERT_EQ(reply.items_size(), 1);
  EXPECT_EQ(reply.items(0).kind(), v1::EVENT_KIND_JOB_ACCEPTED);
  request.clear_job();
  ASSERT_THAT(Call(*Admin(), &Stub::ListEvents, request, &reply), IsOk());
  ASSERT_EQ(reply.items_size(), 2);
  EXPECT_EQ(reply.items(0).job(), "wan");
  EXPECT_EQ(reply.items(1).job(), "lm");
  request.set_job("none");
  EXPECT_THAT(Call(*Admin(), &Stub::ListEvents, request, &reply), HasKind(ErrorKind::kUnknownJob));
}

TEST_F(AdminServiceTest, ADeletionForAnotherEpochIsRefused) {
  ASSERT_THAT(Apply(ApplyOf("wan", 6, "r1")), IsOk());
  v1::DeleteRequest request;
  request.set_request_id("d1");
  request.set_job("wan");
  request.set_if_epoch(3);
  v1::DeleteReply reply;
  EXPECT_THAT(Call(*Admin(), &Stub::Delete, request, &reply), HasKind(ErrorKind::kEpochConflict));
  v1::Job job;
  EXPECT_THAT(Get("wan", &job), IsOk());
}

TEST_F(AdminServiceTest, AJobWithoutWorkersSaysWhatItWaitsFor) {
  ASSERT_THAT(Apply(ApplyOf("wan", 2, "r1")), IsOk());
  v1::ListWorkersRequest workers;
  workers.set_job("wan");
  v1::ListWorkersReply no_workers;
  EXPECT_THAT(Call(*Admin(), &Stub::ListWorkers, workers, &no_workers), IsOk());
  EXPECT_EQ(no_workers.items_size(), 0);

  v1::ListGroupsRequest groups;
  groups.set_job("wan");
  v1::ListGroupsReply listed;
  EXPECT_THAT(Call(*Admin(), &Stub::ListGroups, groups, &listed), IsOk());
  EXPECT_EQ(listed.items_size(), 2);  // The world and the one along dp.

  v1::WhyRequest why;
  why.set_job("wan");
  v1::WhyReply reason;
  EXPECT_THAT(Call(*Admin(), &Stub::Why, why, &reason), IsOk());
  EXPECT_EQ(reason.ready().value(), v1::CONDITION_VALUE_FALSE);
  EXPECT_EQ(reason.missing_size(), 2);
  why.set_group("main.dp#7");
  EXPECT_THAT(Call(*Admin(), &Stub::Why, why, &reason), HasKind(ErrorKind::kUnknownGroup));
}

TEST_F(AdminServiceTest, NothingIsListedOfAJobThatIsNotThere) {
  v1::ListWorkersRequest workers;
  workers.set_job("wan");
  v1::ListWorkersReply no_workers;
  EXPECT_THAT(Call(*Admin(), &Stub::ListWorkers, workers, &no_workers),
              HasKind(ErrorKind::kUnknownJob));
  v1::ListGroupsRequest groups;
  groups.set_job("wan");
  v1::ListGroupsReply no_groups;
  EXPECT_THAT(Call(*Admin(), &Stub::ListGroups, groups, &no_groups),
              HasKind(ErrorKind::kUnknownJob));
  v1::WhyRequest why;
  why.set_job("wan");
  v1::WhyReply reason;
  EXPECT_THAT(Call(*Admin(), &Stub::Why, why, &reason), HasKind(ErrorKind::kUnknownJob));
}

class WatchJobTest : public AdminServiceTest {
 protected:
  void Watch(const std::string& job) {
    v1::WatchJobRequest request;
    request.set_job(job);
    reader_ = stub_->WatchJob(&context_, request);
  }
  void SetUp() override {
    AdminServiceTest::SetUp();
    stub_ = Admin();
  }

  std::unique_ptr<Stub> stub_;
  PatientContext context_;
  std::unique_ptr<grpc::ClientReader<v1::WatchJobReply>> reader_;
  v1::WatchJobReply reply_;
};

TEST_F(WatchJobTest, TheStateComesAtOnceThenChangesThenTheEnd) {
  const absl::StatusOr<v1::ApplyReply> applied = Apply(ApplyOf("wan", 6, "r1"));
  ASSERT_THAT(applied, IsOk());
  Watch("wan");
  ASSERT_TRUE(reader_->Read(&reply_));
  EXPECT_EQ(reply_.job().uid(), applied->uid());
  EXPECT_EQ(reply_.job().spec().world_size(), 6);
  const std::string before = reply_.SerializeAsString();

  const std::unique_ptr<v1::WorkerService::Stub> worker = Worker();
  PatientContext context;
  const std::unique_ptr<SessionCall> session = worker->Session(&context);
  ASSERT_TRUE(Greet(*session, HelloOf("w7", 42, 1)));
  ASSERT_TRUE(reader_->Read(&reply_));
  EXPECT_EQ(reply_.job().uid(), applied->uid());
  EXPECT_NE(reply_.SerializeAsString(), before);
  context.TryCancel();
  (void)session->Finish();

  ASSERT_THAT(Delete("wan", "d1"), IsOk());
  while (reader_->Read(&reply_)) {
  }
  EXPECT_THAT(FromGrpc(reader_->Finish()), IsOk());
}

TEST_F(WatchJobTest, ANewJobOfTheSameNameIsNotTheWatchedOne) {
  const absl::StatusOr<v1::ApplyReply> applied = Apply(ApplyOf("wan", 6, "r1"));
  ASSERT_THAT(applied, IsOk());
  Watch("wan");
  ASSERT_TRUE(reader_->Read(&reply_));
  ASSERT_THAT(Delete("wan", "d1"), IsOk());
  ASSERT_THAT(Apply(ApplyOf("wan", 4, "r2")), IsOk());
  while (reader_->Read(&reply_)) EXPECT_EQ(reply_.job().uid(), applied->uid());
  EXPECT_THAT(FromGrpc(reader_->Finish()), IsOk());
}

TEST_F(WatchJobTest, AnUnknownJobEndsTheWatch) {
  Watch("wan");
  EXPECT_FALSE(reader_->Read(&reply_));
  EXPECT_THAT(FromGrpc(reader_->Finish()), HasKind(ErrorKind::kUnknownJob));
}

TEST_F(WatchJobTest, TheEndOfTheCoordinatorEndsTheWatch) {
  ASSERT_THAT(Apply(ApplyOf("wan", 6, "r1")), IsOk());
  Watch("wan");
  ASSERT_TRUE(reader_->Read(&reply_));
  server_->Stop();
  EXPECT_FALSE(reader_->Read(&reply_));
  const absl::Status status = FromGrpc(reader_->Finish());
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(status, HasKind(ErrorKind::kCoordinatorLost));
}

}  // namespace
}  // namespace muster::coordinator
