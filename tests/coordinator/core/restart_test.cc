#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/coordinator/core/testbed.h"
#include "tests/testing/status_matchers.h"

namespace muster::coordinator {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// What a worker says when it comes back with what it has.
Hello Back(Testbed& bed, int n, std::vector<Holding> holdings) {
  Hello hello = bed.HelloOf(n);
  hello.report = bed.report(hello.worker);
  ++hello.report.number;
  hello.report.holdings = std::move(holdings);
  return hello;
}

TEST(RestartTest, CommittedEpochIsAdoptedAndNobodyRebuilds) {
  Testbed bed;
  bed.Form(2);
  const Term before = bed.AssignmentOf("w0").term;
  bed.Restart();

  bed.Connect(Back(bed, 0, {Testbed::Has(1, HoldingState::kActive)}));
  bed.Connect(Back(bed, 1, {Testbed::Has(1, HoldingState::kActive)}));
  bed.Pass(absl::Seconds(20), {"w0", "w1"});

  EXPECT_EQ(bed.AssignmentOf("w0").committed, Epoch(1));
  EXPECT_THAT(bed.AssignmentOf("w0").lost, IsEmpty());
  EXPECT_GT(bed.AssignmentOf("w0").term, before);
  EXPECT_FALSE(bed.job().attempt.has_value());
}

TEST(RestartTest, NobodyIsLostBeforeTheWindowEndsAndTheAbsentAfterIt) {
  Testbed bed;
  bed.Form(2);
  bed.Restart();
  bed.Connect(Back(bed, 0, {Testbed::Has(1, HoldingState::kActive)}));
  const absl::Duration window = bed.job().deadlines.reattach_window;

  bed.Pass(window - absl::Milliseconds(50), {"w0"});
  EXPECT_THAT(bed.AssignmentOf("w0").lost, IsEmpty());
  bed.Pass(absl::Milliseconds(50), {"w0"});

  ASSERT_THAT(bed.AssignmentOf("w0").lost, SizeIs(1));
  EXPECT_EQ(bed.AssignmentOf("w0").lost[0].worker, "w1");
}

TEST(RestartTest, EpochThatWasOnlyReservedIsAbortedAndItsNumberNeverUsedAgain) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 2));
  bed.ConnectAll(2);
  bed.SayAll(2, 1, HoldingState::kPrepared);
  bed.HoldJournal();
  bed.SayAll(2, 1, HoldingState::kBuilt);
  bed.Restart();
  bed.ReleaseJournal();

  bed.Connect(Back(bed, 0, {Testbed::Has(1, HoldingState::kBuilt)}));
  bed.Connect(Back(bed, 1, {Testbed::Has(1, HoldingState::kBuilt)}));
  EXPECT_FALSE(bed.AssignmentOf("w0").attempt.has_value());
  EXPECT_EQ(bed.AssignmentOf("w0").committed, Epoch());
  EXPECT_FALSE(bed.job().attempt.has_value()) << "both still hold epoch 1";

  bed.Say("w0", {});
  bed.Say("w1", {});
  EXPECT_EQ(bed.job().attempt->epoch, Epoch(2));
}

TEST(RestartTest, MemberInDoubtIsToldOfTheCommitThatIsInTheJournal) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 2));
  bed.ConnectAll(2);
  bed.SayAll(2, 1, HoldingState::kPrepared);
  bed.SayAll(2, 1, HoldingState::kBuilt);
  bed.Restart();

  bed.Connect(Back(bed, 0, {Testbed::Has(1, HoldingState::kBuilt)}));

  EXPECT_EQ(bed.AssignmentOf("w0").committed, Epoch(1));
}

TEST(RestartTest, NewIncarnationEndsTheWindowOfTheOldOne) {
  Testbed bed;
  bed.Form(2);
  bed.Restart();
  bed.Connect(Back(bed, 0, {Testbed::Has(1, HoldingState::kActive)}));
  Hello hello = bed.HelloOf(1);
  hello.incarnation = hello.report.incarnation = Incarnation(901);

  bed.Connect(hello);

  ASSERT_THAT(bed.AssignmentOf("w0").lost, SizeIs(1));
  EXPECT_EQ(bed.AssignmentOf("w0").lost[0].cause, LossCause::kSuperseded);
}

TEST(RestartTest, WorkerWithAnEpochOfAnotherJournalIsRefused) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 2));
  Hello hello = bed.HelloOf(0);
  hello.report.store = StoreId(999);
  hello.report.holdings = {Testbed::Has(4, HoldingState::kActive)};

  const ConnectionId stream = bed.Connect(hello);

  EXPECT_THAT(*bed.Closed(stream), HasKind(ErrorKind::kUnknownStore));
}

TEST(RestartTest, WorkerWithAnEpochOfANamesakeThatWasDeletedIsRefused) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 2));
  Hello hello = bed.HelloOf(0);
  hello.report.store = StoreId(77);
  hello.report.job = JobUid(12345);
  hello.report.holdings = {Testbed::Has(4, HoldingState::kActive)};

  const ConnectionId stream = bed.Connect(hello);

  EXPECT_THAT(*bed.Closed(stream), HasKind(ErrorKind::kJobDeleted));
}

TEST(RestartTest, NothingIsServedBeforeTheTermIsJournalled) {
  Testbed bed;
  bed.HoldJournal();
  bed.Restart();

  const ConnectionId stream = bed.Connect(bed.HelloOf(0));
  EXPECT_EQ(bed.Closed(stream)->code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(bed.Apply(Testbed::Spec("wan", 2))->status.code(), absl::StatusCode::kUnavailable);

  bed.Answer();
  bed.ReleaseJournal();
  EXPECT_TRUE(bed.Apply(Testbed::Spec("wan", 2), "again")->status.ok());
}

TEST(RestartTest, SeatsSurviveAndAReturningWorkerGetsItsOwn) {
  Testbed bed;
  bed.Form(3);
  bed.Restart();
  bed.Connect(Back(bed, 2, {Testbed::Has(1, HoldingState::kActive)}));

  EXPECT_EQ(bed.AssignmentOf("w2").committed_rank, GlobalRank(2));
  EXPECT_EQ(bed.job().seats, (std::vector<WorkerId>{"w0", "w1", "w2"}));
}

TEST(RestartTest, LossThatWasToldBeforeTheRestartIsNotForgotten) {
  Testbed bed;
  bed.Form(2);
  bed.Restart();

  bed.Connect(Back(bed, 1, {Testbed::Has(1, HoldingState::kActive)}));
  bed.Connect(Back(bed, 0, {Testbed::Has(1, HoldingState::kEnded)}));

  ASSERT_THAT(bed.AssignmentOf("w1").lost, SizeIs(1));
  EXPECT_EQ(bed.AssignmentOf("w1").lost[0].cause, LossCause::kEarlier);
  ASSERT_TRUE(bed.job().attempt.has_value());
  EXPECT_EQ(bed.job().attempt->epoch, Epoch(2));
}

TEST(RestartTest, DeviceOfAnAwaitedMemberIsNotGivenAway) {
  Testbed bed;
  bed.Form(2);
  bed.Restart();
  Hello twin = bed.HelloOf(5);
  twin.device = bed.HelloOf(1).device;

  const ConnectionId stream = bed.Connect(twin);

  ASSERT_TRUE(bed.Closed(stream).has_value());
  EXPECT_THAT(*bed.Closed(stream), HasKind(ErrorKind::kDuplicateDevice));
  EXPECT_EQ(bed.Closed(stream)->code(), absl::StatusCode::kUnavailable);
}

TEST(RestartTest, ContradictoryJournalIsDataLoss) {
  const JournalContents contents{StoreId(1),
                                 {TermStarted{Term(1)}, EpochReserved{JobUid(5), Epoch(1), {}}}};

  const auto machine = Machine::Load(contents, {}, MonotonicTime());

  EXPECT_THAT(machine.status(), StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace muster::coordinator
