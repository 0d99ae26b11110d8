#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/coordinator/core/testbed.h"
#include "tests/testing/status_matchers.h"

namespace muster::coordinator {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(FormationTest, LastWorkerStartsTheAttemptAndSeatsFollowTheDevices) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 3));

  bed.Connect(bed.HelloOf(2));
  bed.Connect(bed.HelloOf(0));
  EXPECT_FALSE(bed.AssignmentOf("w0").attempt.has_value());
  bed.Connect(bed.HelloOf(1));

  EXPECT_EQ(bed.job().seats, (std::vector<WorkerId>{"w0", "w1", "w2"}));
  for (int n = 0; n < 3; ++n) {
    const Assignment& assignment = bed.AssignmentOf("w" + std::to_string(n));
    ASSERT_TRUE(assignment.attempt.has_value());
    EXPECT_EQ(assignment.attempt->epoch, Epoch(1));
    EXPECT_EQ(assignment.attempt->step, AttemptStep::kPrepare);
    EXPECT_EQ(assignment.attempt->rank, GlobalRank(n));
  }
}

TEST(FormationTest, NothingOfAnEpochIsPublishedBeforeItsReservationIsJournalled) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 2));
  bed.HoldJournal();

  bed.ConnectAll(2);
  EXPECT_FALSE(bed.AssignmentOf("w0").attempt.has_value());
  EXPECT_FALSE(bed.AssignmentOf("w1").attempt.has_value());
  EXPECT_THAT(bed.job().seats, IsEmpty());

  bed.Answer();
  EXPECT_TRUE(bed.AssignmentOf("w0").attempt.has_value());
}

TEST(FormationTest, BuildNamesEveryPeerWithItsIncarnationAndEndpoint) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 2));
  bed.ConnectAll(2);
  const GroupId dp = *bed.job().layout->Find("main.dp#0");
  for (int n = 0; n < 2; ++n) {
    Holding holding = Testbed::Has(1, HoldingState::kPrepared);
    holding.endpoints = {{GroupId{0, 0}, GroupRank(n), std::nullopt, "world-" + std::to_string(n)},
                         {dp, GroupRank(n), GroupRank(1 - n), "dp-" + std::to_string(n)}};
    bed.Say("w" + std::to_string(n), {holding});
  }

  const Assignment& assignment = bed.AssignmentOf("w0");
  ASSERT_TRUE(assignment.attempt.has_value());
  EXPECT_EQ(assignment.attempt->step, AttemptStep::kBuild);
  const std::vector<Peer> want = {
      {GroupId{0, 0}, GroupRank(1), GlobalRank(1), Incarnation(101), "world-1"},
      {dp, GroupRank(1), GlobalRank(1), Incarnation(101), "dp-1"}};
  EXPECT_EQ(assignment.attempt->peers, want);
}

TEST(FormationTest, CommitNeedsBuiltOfAllAndTheJournalsAnswer) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 3));
  bed.ConnectAll(3);
  bed.SayAll(3, 1, HoldingState::kPrepared);
  bed.HoldJournal();
  bed.Say("w0", {Testbed::Has(1, HoldingState::kBuilt)});
  bed.Say("w2", {Testbed::Has(1, HoldingState::kBuilt)});
  EXPECT_EQ(bed.unanswered(), 0u);

  bed.Say("w1", {Testbed::Has(1, HoldingState::kBuilt)});
  ASSERT_EQ(bed.unanswered(), 1u);
  EXPECT_EQ(bed.AssignmentOf("w0").committed, Epoch());

  bed.Answer();
  for (const char* worker : {"w0", "w1", "w2"}) {
    EXPECT_EQ(bed.AssignmentOf(worker).committed, Epoch(1));
    EXPECT_FALSE(bed.AssignmentOf(worker).attempt.has_value());
  }
}

TEST(FormationTest, FailureOfOneRollsBackAllAndTheNextAttemptHasANewNumber) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 2));
  bed.ConnectAll(2);
  bed.SayAll(2, 1, HoldingState::kPrepared);
  Holding failed = Testbed::Has(1, HoldingState::kFailed);
  failed.failure = BuildFailure{"main.dp#0", GlobalRank(0), "connection refused"};

  bed.Say("w1", {failed});
  ASSERT_TRUE(bed.AssignmentOf("w0").attempt.has_value());
  EXPECT_EQ(bed.AssignmentOf("w0").attempt->step, AttemptStep::kRollback);
  bed.Say("w0", {});
  bed.Pass(absl::Seconds(1), {"w0", "w1"});
  EXPECT_EQ(bed.job().reserved, Epoch(1)) << "a new attempt before all have rolled back";

  bed.Say("w1", {});
  bed.Pass(absl::Seconds(1), {"w0", "w1"});
  ASSERT_TRUE(bed.AssignmentOf("w0").attempt.has_value());
  EXPECT_EQ(bed.AssignmentOf("w0").attempt->epoch, Epoch(2));
}

TEST(FormationTest, ThreeFailedAttemptsHoldTheJobWithTheReason) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 2));
  bed.ConnectAll(2);
  for (int64_t epoch = 1; epoch <= kAttemptsMax; ++epoch) {
    Holding failed = Testbed::Has(epoch, HoldingState::kFailed);
    failed.failure = BuildFailure{"main.dp#0", std::nullopt, "no route"};
    bed.Say("w1", {failed});
    bed.Say("w0", {});
    bed.Say("w1", {});
    bed.Pass(absl::Seconds(3), {"w0", "w1"});
  }

  EXPECT_FALSE(bed.job().attempt.has_value());
  EXPECT_EQ(bed.job().reserved, Epoch(kAttemptsMax));
  EXPECT_THAT(bed.AssignmentOf("w0").waiting_for, ::testing::HasSubstr("no route"));
}

TEST(FormationTest, PrepareDeadlineNamesWhoDidNotComeAndRollsBack) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 4));
  bed.ConnectAll(4);
  bed.Say("w1", {Testbed::Has(1, HoldingState::kPrepared)});

  bed.Pass(bed.job().deadlines.prepare, {"w0", "w1", "w2", "w3"});

  ASSERT_TRUE(bed.job().attempt.has_value());
  EXPECT_EQ(bed.job().attempt->phase, AttemptPhase::kRollingBack);
  EXPECT_THAT(bed.job().attempt->cause, ::testing::HasSubstr("ranks 0, 2-3 did not prepare"));
}

TEST(FormationTest, LossWhileTheCommitIsWrittenEndsTheCommittedEpoch) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 2));
  bed.ConnectAll(2);
  bed.SayAll(2, 1, HoldingState::kPrepared);
  bed.HoldJournal();
  bed.SayAll(2, 1, HoldingState::kBuilt);
  bed.Feed(ExitReported{"wan", "w1", Incarnation(101), "signal 9"});
  EXPECT_EQ(bed.AssignmentOf("w0").committed, Epoch());

  bed.Answer();

  EXPECT_EQ(bed.AssignmentOf("w0").committed, Epoch(1));
  ASSERT_THAT(bed.AssignmentOf("w0").lost, SizeIs(1));
  EXPECT_EQ(bed.AssignmentOf("w0").lost[0].rank, GlobalRank(1));
}

TEST(FormationTest, FullJournalAtTheCommitRollsBackAndRefusesNewWork) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 2));
  bed.ConnectAll(2);
  bed.SayAll(2, 1, HoldingState::kPrepared);
  bed.FailJournal(JournalResult::kFull);
  bed.SayAll(2, 1, HoldingState::kBuilt);

  EXPECT_EQ(bed.AssignmentOf("w0").attempt->step, AttemptStep::kRollback);
  bed.SayAll(2, 1, HoldingState::kFreeing);
  bed.Say("w0", {});
  bed.Say("w1", {});
  bed.Pass(absl::Seconds(2), {"w0", "w1"});
  EXPECT_FALSE(bed.job().attempt.has_value());
  EXPECT_THAT(bed.Apply(Testbed::Spec("new", 2), "apply-2")->status,
              HasKind(ErrorKind::kJournalFull));
}

TEST(FormationTest, UnknownJournalAnswerHaltsAndNothingFollows) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 2));
  bed.ConnectAll(2);
  bed.SayAll(2, 1, HoldingState::kPrepared);
  bed.HoldJournal();
  bed.SayAll(2, 1, HoldingState::kBuilt);

  bed.Answer(JournalResult::kUnknown);

  EXPECT_THAT(bed.Last<Halt>(), SizeIs(1));
  EXPECT_THAT(bed.Last<Publish>(), IsEmpty());
  bed.Feed(Tick{});
  EXPECT_THAT(bed.last(), IsEmpty());
}

TEST(FormationTest, UnacknowledgedAssignmentIsSentAgainUnchanged) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 2));
  bed.ConnectAll(2);
  const Revision told = bed.AssignmentOf("w0").revision;

  bed.Pass(bed.job().deadlines.heartbeat);

  ASSERT_THAT(bed.Last<Publish>(), SizeIs(2));
  EXPECT_EQ(bed.Last<Publish>()[0].assignment.revision, told);
}

TEST(FormationTest, OneRevisionNeverMeansTwoThings) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 2));
  bed.ConnectAll(2);
  const absl::Duration prepare = bed.job().deadlines.prepare;
  const absl::Duration step = bed.job().deadlines.heartbeat / 2;
  std::map<Revision, std::optional<AttemptView>> meaning;
  for (absl::Duration passed; passed < prepare * 2; passed += step) {
    bed.JumpBy(step);
    bed.Feed(Tick{});
    for (const Publish& publish : bed.Last<Publish>()) {
      if (publish.connection != bed.job().workers.at("w0").connection) continue;
      const auto [known, first] =
          meaning.emplace(publish.assignment.revision, publish.assignment.attempt);
      EXPECT_EQ(known->second, publish.assignment.attempt);
    }
  }
  EXPECT_THAT(meaning, ::testing::SizeIs(::testing::Ge(2u)));
}

TEST(FormationTest, JoinDeadlineNamesEveryMissingSeatAsRanges) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 8));
  Hello hello = bed.HelloOf(0);
  hello.wanted_rank = GlobalRank(2);
  const ConnectionId stream = bed.Connect(hello);

  bed.Pass(bed.job().deadlines.join, {"w0"});

  const std::optional<absl::Status> closed = bed.Closed(stream);
  ASSERT_TRUE(closed.has_value());
  EXPECT_THAT(*closed, HasKind(ErrorKind::kDeadlineExceeded));
  EXPECT_THAT(std::string(closed->message()), ::testing::HasSubstr("missing: ranks 0-1, 3-7"));
}

}  // namespace
}  // namespace muster::coordinator
