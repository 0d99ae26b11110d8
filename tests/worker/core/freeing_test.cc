#include "worker/core/freeing.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/core/agent_bed.h"

namespace muster::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Epoch kFive{5};

// Brings the agent into kBuilding with world#0 built and dit.sp#0 under way.
void ToHalfBuilt(AgentBed& bed) {
  bed.ToPrepared(kFive);
  bed.Assign(bed.Attempt(kFive, AttemptStep::kBuild));
  bed.Do(GroupBuilt{kFive, kWorld});
}

TEST(FreeingTest, FreesInReverseOrderOneStepAfterTheOther) {
  AgentBed bed;
  bed.ToBuilt(kFive);

  std::vector<Effect> effects = bed.Assign(bed.Attempt(kFive, AttemptStep::kRollback));
  ASSERT_THAT(Names(effects), ElementsAre("AbortEpoch", "FreeGroup"));
  EXPECT_EQ(All<FreeGroup>(effects)[0].group, kTp);

  effects = bed.Do(GroupFreed{kFive, kTp, ""});
  EXPECT_EQ(All<FreeGroup>(effects).at(0).group, kSp);

  effects = bed.Do(GroupFreed{kFive, kSp, ""});
  EXPECT_EQ(All<FreeGroup>(effects).at(0).group, kWorld);

  effects = bed.Do(GroupFreed{kFive, kWorld, ""});
  EXPECT_THAT(Names(effects), ElementsAre("CloseEndpoints"));

  effects = bed.Do(EndpointsClosed{kFive});
  EXPECT_THAT(Names(effects), IsEmpty());
  ASSERT_THAT(All<SendReport>(effects), SizeIs(1));
  EXPECT_THAT(All<SendReport>(effects)[0].report.holdings, IsEmpty());
  EXPECT_THAT(All<SendReport>(effects)[0].report.leaks, IsEmpty());
}

TEST(FreeingTest, FreeingIsReported) {
  AgentBed bed;
  bed.ToBuilt(kFive);

  const std::vector<SendReport> reports =
      All<SendReport>(bed.Assign(bed.Attempt(kFive, AttemptStep::kRollback)));

  ASSERT_THAT(reports, SizeIs(1));
  EXPECT_EQ(reports[0].report.holdings.at(0).state, HoldingState::kFreeing);
}

TEST(FreeingTest, GroupUnderWayIsFreedTooAndItsAnswerIsLate) {
  const Event answers[] = {
      GroupBuilt{kFive, kSp}, BuildFailed{kFive, BuildFailure{"dit.sp#0", std::nullopt, "aborted"}},
      Tick{},  // No answer at all.
  };
  for (const Event& answer : answers) {
    AgentBed bed;
    ToHalfBuilt(bed);

    std::vector<Effect> effects = bed.Assign(bed.Attempt(kFive, AttemptStep::kRollback));
    ASSERT_THAT(Names(effects), ElementsAre("AbortEpoch", "FreeGroup"));
    EXPECT_EQ(All<FreeGroup>(effects)[0].group, kSp);
    EXPECT_THAT(Names(bed.Do(answer)), IsEmpty());

    effects = bed.Answer(bed.Do(GroupFreed{kFive, kSp, ""}));
    EXPECT_THAT(Names(effects), ElementsAre("FreeGroup", "CloseEndpoints"));
    EXPECT_THAT(bed.Held(), IsEmpty());
    EXPECT_THAT(bed.state().leaks, IsEmpty());
  }
}

TEST(FreeingTest, AnswersOfAnotherStepChangeNothing) {
  AgentBed bed;
  bed.ToBuilt(kFive);
  bed.Assign(bed.Attempt(kFive, AttemptStep::kRollback));

  EXPECT_THAT(bed.Do(GroupFreed{kFive, kWorld, ""}), IsEmpty());
  EXPECT_THAT(bed.Do(EndpointsClosed{kFive}), IsEmpty());
  bed.Do(GroupFreed{kFive, kTp, ""});
  EXPECT_THAT(bed.Do(GroupFreed{kFive, kTp, "again"}), IsEmpty());
  EXPECT_THAT(bed.state().leaks, IsEmpty());
}

TEST(FreeingTest, AnswerBeforeAnythingWasAskedChangesNothing) {
  AgentBed bed;
  bed.ToActive(kFive);

  EXPECT_THAT(bed.Do(GroupFreed{kFive, kTp, ""}), IsEmpty());
  EXPECT_THAT(bed.Do(EndpointsClosed{kFive}), IsEmpty());
  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kActive);
}

TEST(FreeingTest, WhatAGroupLeavesBehindIsReportedByName) {
  AgentBed bed;
  bed.ToBuilt(kFive);
  bed.Assign(bed.Attempt(kFive, AttemptStep::kRollback));

  const std::vector<SendReport> reports =
      All<SendReport>(bed.Do(GroupFreed{kFive, kTp, "2 sockets"}));

  ASSERT_THAT(reports, SizeIs(1));
  EXPECT_THAT(reports[0].report.leaks, ElementsAre(Leak{kFive, "dit.tp#1: 2 sockets"}));
}

TEST(FreeingTest, RollbackGivesUpAtTheAbortDeadlineButAsksForAll) {
  AgentBed bed;
  bed.ToBuilt(kFive);
  bed.Assign(bed.Attempt(kFive, AttemptStep::kRollback));
  EXPECT_THAT(Names(bed.Pass(bed.deadlines().abort - kTick)), IsEmpty());

  const std::vector<Effect> effects = bed.Pass(kTick);

  EXPECT_THAT(Names(effects), ElementsAre("FreeGroup", "FreeGroup", "CloseEndpoints"));
  EXPECT_THAT(bed.Held(), IsEmpty());
  ASSERT_THAT(bed.state().leaks, SizeIs(1));
  EXPECT_THAT(bed.state().leaks[0].what, HasSubstr("dit.tp#1, dit.sp#0, world#0, endpoints"));
  EXPECT_TRUE(bed.state().answers_due);
}

TEST(FreeingTest, RetireSkipsTheStepThatHangsAndFreesTheOthers) {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.Assign(bed.Committed(Epoch{0}));

  const std::vector<Effect> effects = bed.Pass(bed.deadlines().abort);
  ASSERT_THAT(Names(effects), ElementsAre("FreeGroup"));
  EXPECT_EQ(All<FreeGroup>(effects)[0].group, kSp);
  EXPECT_THAT(bed.Do(GroupFreed{kFive, kTp, ""}), IsEmpty());
  bed.Answer(effects);

  EXPECT_THAT(bed.Held(), IsEmpty());
  ASSERT_THAT(bed.state().leaks, SizeIs(1));
  EXPECT_THAT(bed.state().leaks[0].what, HasSubstr("dit.tp#1"));
}

TEST(FreeingTest, RetireOfHangingStepsIsBoundedAsAWhole) {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.Assign(bed.Committed(Epoch{0}));

  bed.Pass(bed.deadlines().retire - kTick);
  EXPECT_THAT(bed.Held(), ElementsAre(kFive));
  bed.Pass(kTick);

  EXPECT_THAT(bed.Held(), IsEmpty());
}

TEST(FreeingTest, EndpointsThatDoNotCloseAreALeakToo) {
  AgentBed bed;
  bed.ToPrepared(kFive);
  bed.Assign(bed.Attempt(kFive, AttemptStep::kRollback));

  const std::vector<Effect> effects = bed.Pass(bed.deadlines().abort);

  EXPECT_THAT(Names(effects), IsEmpty());
  EXPECT_THAT(bed.Held(), IsEmpty());
  ASSERT_THAT(bed.state().leaks, SizeIs(1));
  EXPECT_THAT(bed.state().leaks[0].what, HasSubstr("endpoints"));
  EXPECT_THAT(bed.Do(EndpointsClosed{kFive}), IsEmpty());
}

TEST(FreeingTest, OnlyTheNewestLeaksAreKept) {
  AgentBed bed;
  for (int64_t epoch = 1; epoch <= kLeaksMax + 3; ++epoch) {
    bed.ToPrepared(Epoch{epoch});
    bed.Assign(bed.Attempt(Epoch{epoch}, AttemptStep::kRollback));
    bed.Pass(bed.deadlines().abort);
  }

  ASSERT_THAT(bed.state().leaks, SizeIs(kLeaksMax));
  EXPECT_EQ(bed.state().leaks.front().epoch, Epoch{4});
  EXPECT_EQ(bed.state().leaks.back().epoch, Epoch{kLeaksMax + 3});
}

TEST(FreeingTest, OperationsThatWaitEndWithTheEpoch) {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.Do(OperationFailed{OperationId{31}, kFive, GlobalRank{3}, "broadcast #8 on dit.tp#1",
                         absl::Seconds(9)});

  const std::vector<EndOperation> ended = All<EndOperation>(bed.Assign(bed.Committed(Epoch{0})));

  ASSERT_THAT(ended, SizeIs(1));
  EXPECT_EQ(ended[0].operation, OperationId{31});
  EXPECT_THAT(ended[0].status, HasKind(ErrorKind::kEpochRetired));
}

}  // namespace
}  // namespace muster::worker
