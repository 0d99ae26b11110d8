#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/coordinator/core/testbed.h"
#include "tests/testing/status_matchers.h"

namespace muster::coordinator {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(RequestsTest, RetryWithTheSameIdGetsTheFirstAnswer) {
  Testbed bed;
  const auto first = bed.Apply(Testbed::Spec("wan", 2), "r");
  const auto retry = bed.Apply(Testbed::Spec("wan", 2), "r");

  EXPECT_TRUE(first->status.ok());
  EXPECT_TRUE(retry->status.ok());
  EXPECT_EQ(first->job, retry->job);
}

TEST(RequestsTest, RetryBeforeTheJournalAnsweredWaitsForTheSameAnswer) {
  Testbed bed;
  bed.HoldJournal();
  EXPECT_FALSE(bed.Apply(Testbed::Spec("wan", 2), "r").has_value());
  EXPECT_FALSE(bed.Apply(Testbed::Spec("wan", 2), "r").has_value());
  EXPECT_FALSE(bed.HasJob("wan"));

  bed.Answer();

  EXPECT_EQ(bed.ReplyTo(CallId(1))->job, bed.ReplyTo(CallId(2))->job);
}

TEST(RequestsTest, IdUsedForSomethingElseIsAConflict) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 2), "r");

  EXPECT_THAT(bed.Apply(Testbed::Spec("wan", 4), "r")->status,
              HasKind(ErrorKind::kRequestConflict));
  EXPECT_THAT(bed.Delete("wan", "r")->status, HasKind(ErrorKind::kRequestConflict));
}

TEST(RequestsTest, SameSpecAgainIsFineAndAnotherSpecShowsBoth) {
  Testbed bed;
  const auto first = bed.Apply(Testbed::Spec("wan", 2), "r1");

  EXPECT_EQ(bed.Apply(Testbed::Spec("wan", 2), "r2")->job, first->job);
  const absl::Status other = bed.Apply(Testbed::Spec("wan", 4), "r3")->status;
  EXPECT_THAT(other, HasKind(ErrorKind::kJobExists));
  EXPECT_THAT(std::string(other.message()), HasSubstr("dp=2"));
  EXPECT_THAT(std::string(other.message()), HasSubstr("dp=4"));
}

TEST(RequestsTest, InvalidLayoutIsRefusedBeforeAnythingIsWritten) {
  Testbed bed;
  JobSpec spec = Testbed::Spec("wan", 8);
  spec.layout.meshes[0].dims = {{"dp", 2}, {"tp", 3}};
  bed.HoldJournal();

  const auto reply = bed.Apply(spec);

  EXPECT_THAT(reply->status, HasKind(ErrorKind::kProductMismatch));
  EXPECT_EQ(bed.unanswered(), 0u);
}

TEST(RequestsTest, RetryAfterARestartGetsTheFirstAnswer) {
  Testbed bed;
  const auto first = bed.Apply(Testbed::Spec("wan", 2), "r");
  bed.Restart();

  EXPECT_EQ(bed.Apply(Testbed::Spec("wan", 2), "r")->job, first->job);
  EXPECT_TRUE(bed.Delete("wan", "d")->status.ok());
  bed.Restart();
  EXPECT_TRUE(bed.Delete("wan", "d")->status.ok());
}

TEST(RequestsTest, DeleteTellsAllAndTheJobIsGoneWhenAllHaveFreed) {
  Testbed bed;
  bed.Form(2);
  EXPECT_TRUE(bed.Delete("wan")->status.ok());
  EXPECT_TRUE(bed.AssignmentOf("w0").deleted);
  EXPECT_EQ(bed.AssignmentOf("w0").committed, Epoch());
  const ConnectionId stream = bed.job().workers.at("w0").connection;

  bed.Say("w0", {});
  EXPECT_TRUE(bed.HasJob("wan"));
  bed.Say("w1", {});

  EXPECT_FALSE(bed.HasJob("wan"));
  EXPECT_THAT(*bed.Closed(stream), HasKind(ErrorKind::kJobDeleted));
}

TEST(RequestsTest, DeleteDoesNotWaitForTheDead) {
  Testbed bed;
  bed.Form(2);
  bed.Delete("wan");
  bed.Say("w0", {});
  const absl::Duration bound = bed.job().deadlines.retire + bed.job().deadlines.abort;

  bed.Pass(bound, {"w0"});

  EXPECT_FALSE(bed.HasJob("wan"));
}

TEST(RequestsTest, DeleteRollsBackAnUncommittedAttempt) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 2));
  bed.ConnectAll(2);
  bed.SayAll(2, 1, HoldingState::kPrepared);
  bed.Say("w0", {Testbed::Has(1, HoldingState::kBuilt)});
  bed.HoldJournal();
  bed.Delete("wan");
  EXPECT_EQ(bed.AssignmentOf("w0").attempt->step, AttemptStep::kRollback);

  bed.Say("w1", {Testbed::Has(1, HoldingState::kBuilt)});
  bed.Answer();

  EXPECT_TRUE(bed.AssignmentOf("w0").deleted);
  EXPECT_EQ(bed.unanswered(), 0u) << "a commit was written behind the deletion";
}

TEST(RequestsTest, DeletionIsNotToldBeforeItIsJournalled) {
  Testbed bed;
  bed.Form(2);
  bed.HoldJournal();
  bed.Delete("wan");

  Hello hello = bed.HelloOf(1);
  hello.report = bed.report("w1");
  const ConnectionId member = bed.Connect(hello);
  EXPECT_FALSE(bed.Closed(member).has_value());
  EXPECT_FALSE(bed.AssignmentOf("w1").deleted);
  const ConnectionId newcomer = bed.Connect(bed.HelloOf(2));
  ASSERT_TRUE(bed.Closed(newcomer).has_value());
  EXPECT_EQ(bed.Closed(newcomer)->code(), absl::StatusCode::kUnavailable);

  bed.Answer();
  EXPECT_TRUE(bed.AssignmentOf("w1").deleted);
}

TEST(RequestsTest, DeleteOfAnUnknownJobIsNotFound) {
  Testbed bed;
  EXPECT_THAT(bed.Delete("nobody")->status, StatusIs(absl::StatusCode::kNotFound));
}

TEST(RequestsTest, NameIsFreeAgainAfterTheDeletionAndTheNewJobIsAnother) {
  Testbed bed;
  const auto first = bed.Apply(Testbed::Spec("wan", 2), "a");
  bed.Delete("wan", "d");

  const auto second = bed.Apply(Testbed::Spec("wan", 2), "b");

  EXPECT_TRUE(second->status.ok());
  EXPECT_NE(second->job, first->job);
}

TEST(RequestsTest, JobsDoNotDisturbEachOther) {
  Testbed bed;
  bed.Form(2);
  bed.Apply(Testbed::Spec("other", 2), "o");
  Hello hello = bed.HelloOf(7);
  hello.job = "other";
  bed.Connect(hello);

  bed.Delete("other", "d");

  EXPECT_TRUE(bed.HasJob("wan"));
  EXPECT_FALSE(bed.AssignmentOf("w0").deleted);
  EXPECT_THAT(bed.job().committed->lost, IsEmpty());
}

TEST(RequestsTest, RequestForAnotherEpochIsRefusedAndTheCurrentOneIsSaid) {
  Testbed bed;
  bed.Form(2);

  bed.Feed(DeleteRequested{CallId(90), "d", "wan", Epoch(7)});

  const absl::Status status = bed.ReplyTo(CallId(90))->status;
  EXPECT_THAT(status, HasKind(ErrorKind::kEpochConflict));
  EXPECT_EQ(DetailOf(status)->epoch, Epoch(1));
  EXPECT_FALSE(bed.AssignmentOf("w0").deleted);
  bed.Feed(DeleteRequested{CallId(91), "d", "wan", Epoch(1)});
  EXPECT_TRUE(bed.ReplyTo(CallId(91))->status.ok());
}

TEST(RequestsTest, EmptyOrLongRequestIdIsRefused) {
  Testbed bed;
  EXPECT_THAT(bed.Apply(Testbed::Spec("wan", 2), "")->status, HasKind(ErrorKind::kInvalidRequest));
  EXPECT_THAT(bed.Apply(Testbed::Spec("wan", 2), std::string(kRequestIdBytesMax + 1, 'x'))->status,
              HasKind(ErrorKind::kInvalidRequest));
}

}  // namespace
}  // namespace muster::coordinator
