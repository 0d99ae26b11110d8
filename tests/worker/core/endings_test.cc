#include "worker/core/endings.h"

#include "common/base/error_detail.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/core/agent_bed.h"

namespace muster::worker {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Epoch kFive{5};
const absl::Status kReset = absl::UnavailableError("reset");

// Makes a member of a coordinator that then loses its state.
void ToStranded(AgentBed& bed) {
  bed.ToActive(kFive);
  Assignment other = bed.Next();
  other.store = StoreId{72};
  bed.Assign(other);
}

TEST(LeaveTest, LeavingFreesReportsSaysGoodbyeAndFinishes) {
  AgentBed bed;
  bed.ToActive(kFive);

  const std::vector<Effect> effects = bed.Answer(bed.Do(LeaveRequested{}));

  EXPECT_THAT(Names(effects), ElementsAre("AbortEpoch", "FreeGroup", "FreeGroup", "FreeGroup",
                                          "CloseEndpoints", "CloseStream", "Finish"));
  EXPECT_THAT(All<AbortEpoch>(effects)[0].status, HasKind(ErrorKind::kMemberLeft));
  EXPECT_THAT(All<SendReport>(effects).back().report.holdings, IsEmpty());
  EXPECT_TRUE(All<CloseStream>(effects)[0].leaving);
  EXPECT_THAT(All<Finish>(effects)[0].status, IsOk());
  EXPECT_EQ(All<Finish>(effects)[0].exit_code, 0);
}

TEST(LeaveTest, LeavingNeedsNoVerdict) {
  AgentBed bed;
  bed.ToBuilt(kFive);
  bed.Do(StreamClosed{bed.session(), kReset});

  const std::vector<Effect> effects = bed.Answer(bed.Do(LeaveRequested{}));

  EXPECT_THAT(All<FreeGroup>(effects), SizeIs(3));
  EXPECT_THAT(All<OpenStream>(effects), IsEmpty());
  EXPECT_TRUE(All<CloseStream>(effects).at(0).leaving);
  EXPECT_THAT(All<Finish>(effects), SizeIs(1));
}

TEST(LeaveTest, LeavingTwiceIsLeavingOnce) {
  AgentBed bed;
  bed.ToActive(kFive);
  const std::vector<Effect> frees = bed.Do(LeaveRequested{});

  EXPECT_THAT(bed.Do(LeaveRequested{}), IsEmpty());
  EXPECT_THAT(All<Finish>(bed.Answer(frees)), SizeIs(1));
  EXPECT_THAT(bed.Do(LeaveRequested{}), IsEmpty());
}

TEST(LeaveTest, AssignmentsDoNotStopALeave) {
  AgentBed bed;
  bed.ToActive(kFive);
  const std::vector<Effect> frees = bed.Do(LeaveRequested{});

  EXPECT_THAT(Names(bed.Assign(bed.Attempt(Epoch{6}, AttemptStep::kPrepare))), IsEmpty());
  EXPECT_THAT(All<Finish>(bed.Answer(frees)), SizeIs(1));
}

TEST(LeaveTest, HeartbeatsGoOnWhileFreeing) {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.Do(LeaveRequested{});

  EXPECT_THAT(All<SendReport>(bed.Pass(bed.deadlines().heartbeat)), SizeIs(1));
}

TEST(LeaveTest, LeaveThatHangsFinishesAtTheRetireDeadline) {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.Do(LeaveRequested{});

  EXPECT_THAT(All<Finish>(bed.Pass(bed.deadlines().retire)), SizeIs(1));
}

TEST(DeleteTest, DeletedJobIsFreedReportedAndFinished) {
  AgentBed bed;
  bed.ToActive(kFive);
  Assignment deleted = bed.Committed(Epoch{0});
  deleted.deleted = true;

  const std::vector<Effect> effects = bed.Answer(bed.Assign(deleted));

  EXPECT_THAT(Names(effects), ElementsAre("AbortEpoch", "FreeGroup", "FreeGroup", "FreeGroup",
                                          "CloseEndpoints", "Finish"));
  EXPECT_THAT(All<AbortEpoch>(effects)[0].status, HasKind(ErrorKind::kJobDeleted));
  EXPECT_TRUE(std::holds_alternative<Finish>(effects.back()));
  const Report last = All<SendReport>(effects).back().report;
  EXPECT_THAT(last.holdings, IsEmpty());
  EXPECT_EQ(last.revision, deleted.revision);
  EXPECT_THAT(All<Finish>(effects)[0].status, IsOk());
}

TEST(DeleteTest, WhoHoldsNothingFinishesAtOnceWithAReport) {
  AgentBed bed;
  bed.Open();
  Assignment deleted = bed.Next();
  deleted.deleted = true;

  const std::vector<Effect> effects = bed.Assign(deleted);

  EXPECT_THAT(Names(effects), ElementsAre("Finish"));
  ASSERT_THAT(All<SendReport>(effects), SizeIs(1));
  EXPECT_EQ(All<SendReport>(effects)[0].report.revision, deleted.revision);
}

TEST(FinishedTest, NothingHasAnEffectAfterTheEnd) {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.Answer(bed.Do(LeaveRequested{}));
  const Event events[] = {
      StreamOpened{bed.session()},
      StreamClosed{bed.session(), kReset},
      AssignmentReceived{bed.session(), bed.Attempt(Epoch{6}, AttemptStep::kPrepare)},
      OperationFailed{OperationId{31}, kFive, GlobalRank{1}, "barrier #2", absl::Seconds(9)},
      DoingChanged{"barrier #3"},
      Tick{},
  };

  for (const Event& event : events) EXPECT_THAT(bed.Do(event), IsEmpty());
  EXPECT_THAT(bed.Pass(absl::Minutes(5)), IsEmpty());
}

TEST(StrandedTest, LeavingFreesWhatWasLeftRunning) {
  AgentBed bed;
  ToStranded(bed);

  const std::vector<Effect> effects = bed.Answer(bed.Do(LeaveRequested{}));

  EXPECT_THAT(All<FreeGroup>(effects), SizeIs(3));
  ASSERT_THAT(All<Finish>(effects), SizeIs(1));
  EXPECT_EQ(All<Finish>(effects)[0].exit_code, 0);
  EXPECT_EQ(bed.state().phase, AgentPhase::kFinished);
}

TEST(StrandedTest, OperationThatFailsIsAnsweredAtOnce) {
  AgentBed bed;
  ToStranded(bed);

  const std::vector<Effect> effects = bed.Do(
      OperationFailed{OperationId{31}, kFive, GlobalRank{1}, "barrier #2", absl::Seconds(9)});

  ASSERT_THAT(Names(effects), ElementsAre("EndOperation"));
  EXPECT_THAT(All<EndOperation>(effects)[0].status, HasKind(ErrorKind::kMemberSuspect));
}

TEST(StrandedTest, NothingElseHasAnEffect) {
  AgentBed bed;
  ToStranded(bed);

  EXPECT_THAT(bed.Do(AssignmentReceived{bed.session(), bed.Committed(Epoch{0})}), IsEmpty());
  EXPECT_THAT(bed.Do(PeerReset{kFive, GlobalRank{1}}), IsEmpty());
  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kActive);
}

TEST(JoinDeadlineTest, SaysWhatItWaitsFor) {
  AgentBed bed;
  bed.Open();
  Assignment waiting = bed.Next();
  waiting.waiting_for = "seats 1, 3 of 4 are empty";
  bed.Assign(waiting);
  EXPECT_THAT(All<Finish>(bed.Pass(absl::Minutes(3) - kTick)), IsEmpty());

  const std::vector<Effect> effects = bed.Pass(kTick);

  ASSERT_THAT(Names(effects), ElementsAre("CloseStream", "Finish"));
  EXPECT_TRUE(All<CloseStream>(effects)[0].leaving);
  EXPECT_THAT(All<Finish>(effects)[0].status,
              StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("seats 1, 3 of 4")));
  EXPECT_EQ(All<Finish>(effects)[0].exit_code, 10);
}

TEST(JoinDeadlineTest, WithoutAnyCoordinatorSaysSo) {
  AgentBed bed;

  const std::vector<Finish> ends = All<Finish>(bed.Pass(absl::Minutes(3)));

  ASSERT_THAT(ends, SizeIs(1));
  EXPECT_THAT(ends[0].status,
              StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("no coordinator answered")));
  EXPECT_EQ(ends[0].exit_code, 10);
}

TEST(JoinDeadlineTest, WithoutTheJobIsARefusal) {
  AgentBed bed;
  bed.Open();

  const std::vector<Finish> ends = All<Finish>(bed.Pass(absl::Minutes(3)));

  ASSERT_THAT(ends, SizeIs(1));
  EXPECT_EQ(ends[0].exit_code, 13);
}

TEST(JoinDeadlineTest, AfterAFailedBuildSaysWhyAndFreesFirst) {
  AgentBed bed;
  bed.ToPrepared(kFive);
  bed.Assign(bed.Attempt(kFive, AttemptStep::kBuild));
  bed.Do(BuildFailed{kFive, BuildFailure{"world#0", GlobalRank{3}, "rank 3 refused"}});

  const std::vector<Effect> effects = bed.Answer(bed.Pass(absl::Minutes(3)));

  EXPECT_THAT(Names(effects), ElementsAre("AbortEpoch", "CloseEndpoints", "CloseStream", "Finish"));
  EXPECT_THAT(All<Finish>(effects)[0].status,
              StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("rank 3 refused")));
  EXPECT_EQ(All<Finish>(effects)[0].exit_code, 12);
}

TEST(JoinDeadlineTest, WaitsForTheVerdictButTellsTheWaiters) {
  AgentBed bed;
  bed.ToBuilt(kFive);

  const std::vector<Effect> effects = bed.Pass(absl::Minutes(4));

  ASSERT_THAT(Names(effects), ElementsAre("CloseGates"));
  EXPECT_THAT(All<CloseGates>(effects)[0].status, HasKind(ErrorKind::kVerdictUnknown));
  EXPECT_THAT(Names(bed.Assign(bed.Committed(kFive))), ElementsAre("ActivateEpoch"));
}

TEST(JoinDeadlineTest, VerdictAgainstUsIsFollowedByTheDeadline) {
  AgentBed bed;
  bed.ToBuilt(kFive);
  bed.Pass(absl::Minutes(4));
  bed.Answer(bed.Assign(bed.Attempt(kFive, AttemptStep::kRollback)));

  EXPECT_THAT(Names(bed.Pass(kTick)), ElementsAre("CloseStream", "Finish"));
}

TEST(JoinDeadlineTest, MeansNothingToAMember) {
  AgentBed bed;
  bed.ToActive(kFive);

  EXPECT_THAT(Names(bed.Pass(absl::Minutes(4))), IsEmpty());
}

TEST(JoinDeadlineTest, ActiveOnceIsEnough) {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.Answer(bed.Assign(bed.Committed(Epoch{0})));
  ASSERT_THAT(bed.Held(), IsEmpty());

  EXPECT_THAT(Names(bed.Pass(absl::Minutes(4))), IsEmpty());
}

}  // namespace
}  // namespace muster::worker
