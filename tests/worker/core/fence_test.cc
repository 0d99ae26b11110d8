#include "worker/core/fence.h"

#include "common/base/error_detail.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/core/agent_bed.h"
#include "worker/core/connection.h"

namespace muster::worker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr StoreId kOtherStore{72};
constexpr JobUid kOtherJob{9002};

// The assignment that AgentBed::Next() gives first is (term 4, revision 11).
struct FenceCase {
  const char* what;
  StoreId store;
  JobUid job;
  Term term;
  Revision revision;
  Incarnation to;
  FenceResult while_free;     // Nothing is held.
  FenceResult while_holding;  // An epoch is held.
};

const FenceCase kCases[] = {
    {"next revision", kStore, kJobUid, Term{4}, Revision{12}, kOurs, FenceResult::kAdopt,
     FenceResult::kAdopt},
    {"the same again", kStore, kJobUid, Term{4}, Revision{11}, kOurs, FenceResult::kDuplicate,
     FenceResult::kDuplicate},
    {"lower revision", kStore, kJobUid, Term{4}, Revision{10}, kOurs, FenceResult::kIgnore,
     FenceResult::kIgnore},
    {"higher term starts revisions again", kStore, kJobUid, Term{5}, Revision{1}, kOurs,
     FenceResult::kAdopt, FenceResult::kAdopt},
    {"lower term with a higher revision", kStore, kJobUid, Term{3}, Revision{99}, kOurs,
     FenceResult::kLowerTerm, FenceResult::kLowerTerm},
    {"for an earlier incarnation", kStore, kJobUid, Term{4}, Revision{12}, Incarnation{0xA1},
     FenceResult::kIgnore, FenceResult::kIgnore},
    {"other store", kOtherStore, kJobUid, Term{1}, Revision{1}, kOurs, FenceResult::kAdopt,
     FenceResult::kStranger},
    {"other store for an earlier incarnation", kOtherStore, kJobUid, Term{9}, Revision{1},
     Incarnation{0xA1}, FenceResult::kIgnore, FenceResult::kIgnore},
    {"other job of the name", kStore, kOtherJob, Term{4}, Revision{12}, kOurs, FenceResult::kAdopt,
     FenceResult::kStranger},
    {"other job of the name, late", kStore, kOtherJob, Term{4}, Revision{10}, kOurs,
     FenceResult::kIgnore, FenceResult::kIgnore},
    {"other job of a lower term", kStore, kOtherJob, Term{3}, Revision{99}, kOurs,
     FenceResult::kLowerTerm, FenceResult::kLowerTerm},
};

TEST(FenceTest, JudgesEveryKindOfAssignment) {
  AgentBed bed;
  bed.Open();
  bed.Assign(bed.Next());
  AgentState holding = bed.state();
  HeldEpoch held;
  held.epoch = Epoch{5};
  held.state = HoldingState::kBuilt;
  holding.holdings.push_back(held);

  for (const FenceCase& c : kCases) {
    SCOPED_TRACE(c.what);
    Assignment assignment = *bed.state().assignment;
    assignment.store = c.store;
    assignment.job = c.job;
    assignment.term = c.term;
    assignment.revision = c.revision;
    assignment.to = c.to;

    EXPECT_EQ(JudgeAssignment(bed.state(), assignment), c.while_free);
    EXPECT_EQ(JudgeAssignment(holding, assignment), c.while_holding);
  }
}

TEST(FenceTest, WhatIsBeingFreedMakesAStrangerWait) {
  AgentBed bed;
  bed.ToActive(Epoch{5});
  bed.Assign(bed.Committed(Epoch{0}));
  ASSERT_EQ(bed.StateOf(Epoch{5}), HoldingState::kFreeing);
  Assignment other = bed.Next();
  other.store = kOtherStore;

  const std::vector<Effect> effects = bed.Assign(other);

  EXPECT_THAT(Names(effects), ElementsAre("CloseStream"));
  EXPECT_EQ(bed.state().link.state, LinkState::kWaiting);
  EXPECT_EQ(bed.state().assignment->store, kStore);
}

TEST(FenceTest, LateAssignmentWithARollbackDoesNotFreeWhatWasCommittedSince) {
  AgentBed bed;
  bed.ToBuilt(Epoch{5});
  const Assignment late = bed.Attempt(Epoch{5}, AttemptStep::kRollback);
  bed.Assign(bed.Committed(Epoch{5}));

  EXPECT_THAT(bed.Assign(late), IsEmpty());
  EXPECT_EQ(bed.StateOf(Epoch{5}), HoldingState::kActive);
}

TEST(FenceTest, LowerTermIsRefusedAndLeftForLater) {
  AgentBed bed;
  bed.ToBuilt(Epoch{5});
  Assignment old = bed.Committed(Epoch{5});
  old.term = Term{3};

  const std::vector<Effect> effects = bed.Assign(old);

  ASSERT_THAT(Names(effects), ElementsAre("CloseStream"));
  EXPECT_FALSE(All<CloseStream>(effects)[0].leaving);
  EXPECT_EQ(bed.StateOf(Epoch{5}), HoldingState::kBuilt);
  EXPECT_EQ(bed.state().link.state, LinkState::kWaiting);
  EXPECT_THAT(All<OpenStream>(bed.Pass(kRedialPauseMax)), SizeIs(1));
}

TEST(FenceTest, HigherTermCommitsWhatALowerOneBuilt) {
  AgentBed bed;
  bed.ToBuilt(Epoch{5});
  bed.Reconnect();
  Assignment verdict = bed.Committed(Epoch{5});
  verdict.term = Term{5};
  verdict.revision = Revision{1};

  EXPECT_THAT(Names(bed.Assign(verdict)), ElementsAre("ActivateEpoch"));
}

TEST(FenceTest, UnknownStoreStrandsAMemberAndTouchesNothingOfIt) {
  AgentBed bed;
  bed.ToActive(Epoch{5});
  bed.Do(OperationFailed{OperationId{31}, Epoch{5}, GlobalRank{3}, "broadcast #8 on dit.tp#1",
                         absl::Seconds(9)});
  Assignment other = bed.Next();
  other.store = kOtherStore;
  other.committed = Epoch{0};

  const std::vector<Effect> effects = bed.Assign(other);

  ASSERT_THAT(Names(effects), ElementsAre("EndOperation", "CloseStream", "Finish"));
  EXPECT_THAT(All<EndOperation>(effects)[0].status, HasKind(ErrorKind::kMemberSuspect));
  EXPECT_EQ(All<Finish>(effects)[0].exit_code, 10);
  EXPECT_THAT(All<Finish>(effects)[0].status, HasKind(ErrorKind::kUnknownStore));
  EXPECT_THAT(All<Finish>(effects)[0].status, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(bed.state().phase, AgentPhase::kStranded);
  EXPECT_EQ(bed.StateOf(Epoch{5}), HoldingState::kActive);
  EXPECT_EQ(bed.state().assignment->store, kStore);
  EXPECT_THAT(bed.Pass(absl::Minutes(10)), IsEmpty());
}

TEST(FenceTest, CoordinatorThatDoesNotKnowOurStoreStrandsAMember) {
  for (const ErrorKind kind : {ErrorKind::kUnknownStore, ErrorKind::kUnknownJob}) {
    AgentBed bed;
    bed.ToBuilt(Epoch{5});
    ErrorDetail detail;
    detail.kind = kind;

    const std::vector<Effect> effects = bed.Do(StreamClosed{
        bed.session(), MakeError(absl::StatusCode::kFailedPrecondition, "who?", detail)});

    ASSERT_THAT(Names(effects), ElementsAre("Finish"));
    EXPECT_EQ(All<Finish>(effects)[0].exit_code, 10);
    EXPECT_EQ(bed.StateOf(Epoch{5}), HoldingState::kBuilt);
  }
}

TEST(FenceTest, OtherJobOfTheNameStrandsAMember) {
  AgentBed bed;
  bed.ToActive(Epoch{5});
  Assignment other = bed.Next();
  other.job = kOtherJob;

  const std::vector<Effect> effects = bed.Assign(other);

  EXPECT_THAT(Names(effects), ElementsAre("CloseStream", "Finish"));
  EXPECT_EQ(bed.StateOf(Epoch{5}), HoldingState::kActive);
}

TEST(FenceTest, UnknownStoreIsFollowedByWhoHoldsNothing) {
  AgentBed bed;
  bed.ToPrepared(Epoch{5});
  bed.Answer(bed.Assign(bed.Attempt(Epoch{5}, AttemptStep::kRollback)));
  ASSERT_THAT(bed.Held(), IsEmpty());
  Assignment other = bed.Attempt(Epoch{1}, AttemptStep::kPrepare);
  other.store = kOtherStore;
  other.job = kOtherJob;
  other.term = Term{1};
  other.revision = Revision{1};

  const std::vector<Effect> effects = bed.Assign(other);

  EXPECT_THAT(Names(effects), ElementsAre("OpenEndpoints"));
  ASSERT_THAT(All<SendReport>(effects), SizeIs(1));
  const Report report = All<SendReport>(effects)[0].report;
  EXPECT_EQ(report.store, kOtherStore);
  EXPECT_EQ(report.job, kOtherJob);
  EXPECT_EQ(report.term, Term{1});
}

TEST(FenceTest, WhoHoldsNothingForgetsTheStoreThatNobodyKnows) {
  AgentBed bed;
  bed.Open();
  bed.Assign(bed.Next());
  ErrorDetail detail;
  detail.kind = ErrorKind::kUnknownStore;
  bed.Do(StreamClosed{bed.session(),
                      MakeError(absl::StatusCode::kFailedPrecondition, "who?", detail)});

  const std::vector<OpenStream> dials = All<OpenStream>(bed.Pass(kTick));

  ASSERT_THAT(dials, SizeIs(1));
  EXPECT_EQ(dials[0].hello.report.store, StoreId{0});
  EXPECT_EQ(dials[0].hello.report.job, JobUid{0});
}

TEST(FenceTest, UnknownStoreIsNotFollowedWhileAnAnswerOfAnOldEpochMayStillCome) {
  AgentBed bed;
  bed.ToPrepared(Epoch{5});
  bed.Assign(bed.Attempt(Epoch{5}, AttemptStep::kRollback));
  bed.Pass(bed.deadlines().abort);  // CloseEndpoints is never answered.
  ASSERT_THAT(bed.Held(), IsEmpty());
  Assignment other = bed.Next();
  other.store = kOtherStore;

  const std::vector<Effect> effects = bed.Assign(other);

  EXPECT_THAT(Names(effects), ElementsAre("CloseStream", "Finish"));
  EXPECT_EQ(bed.state().phase, AgentPhase::kFinished);
}

TEST(FenceTest, AttemptIsEnteredOnceWhateverBecameOfIt) {
  AgentBed bed;
  bed.ToPrepared(Epoch{5});
  bed.Answer(bed.Assign(bed.Attempt(Epoch{5}, AttemptStep::kRollback)));

  EXPECT_THAT(Names(bed.Assign(bed.Attempt(Epoch{5}, AttemptStep::kPrepare))), IsEmpty());
  EXPECT_THAT(Names(bed.Assign(bed.Attempt(Epoch{4}, AttemptStep::kPrepare))), IsEmpty());
  EXPECT_THAT(Names(bed.Assign(bed.Attempt(Epoch{6}, AttemptStep::kPrepare))),
              ElementsAre("OpenEndpoints"));
  EXPECT_THAT(bed.Held(), ElementsAre(Epoch{6}));
}

TEST(FenceTest, AnswersOfEpochsThatAreNotHeldChangeNothing) {
  AgentBed bed;
  bed.ToPrepared(Epoch{6});
  const Event late[] = {
      EndpointsOpened{Epoch{5}, OurEndpoints()},
      GroupBuilt{Epoch{5}, kWorld},
      BuildFailed{Epoch{5}, BuildFailure{"world#0", GlobalRank{1}, "late"}},
      GroupFreed{Epoch{5}, kWorld, "a thread"},
      EndpointsClosed{Epoch{5}},
      PeerReset{Epoch{5}, GlobalRank{1}},
  };

  for (const Event& event : late) EXPECT_THAT(bed.Do(event), IsEmpty());
  EXPECT_EQ(bed.StateOf(Epoch{6}), HoldingState::kPrepared);
}

}  // namespace
}  // namespace muster::worker
