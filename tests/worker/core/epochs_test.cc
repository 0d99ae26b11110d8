#include "worker/core/epochs.h"

#include <memory>
#include <utility>

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
constexpr Epoch kSix{6};
constexpr Epoch kSeven{7};

const BuildFailure& FailureOf(const AgentBed& bed) { return *bed.state().holdings.front().failure; }

TEST(EpochsTest, PrepareOpensEndpointsForTheBuiltGroupsInOrder) {
  AgentBed bed;

  const std::vector<OpenEndpoints> asked = All<OpenEndpoints>(bed.ToPreparing(kFive));

  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_EQ(asked[0].epoch, kFive);
  EXPECT_EQ(asked[0].rank, kOurRank);
  EXPECT_EQ(*asked[0].spec, WanSpec());
  EXPECT_THAT(asked[0].groups, ElementsAre(GroupMembership{kWorld, GroupRank{2}, 4},
                                           GroupMembership{kSp, GroupRank{1}, 2},
                                           GroupMembership{kTp, GroupRank{0}, 2}));
}

TEST(EpochsTest, GroupsThatAreNotEagerGetNoCommunicator) {
  AgentBed bed;
  bed.Open();
  JobSpec spec = WanSpec();
  spec.layout.world_mode = BuildMode::kNone;
  spec.layout.meshes[0].host_dim_modes = {{"tp", BuildMode::kLazy}};
  Assignment assignment = bed.Attempt(kFive, AttemptStep::kPrepare);
  assignment.spec = std::make_shared<const JobSpec>(spec);

  const std::vector<OpenEndpoints> asked = All<OpenEndpoints>(bed.Assign(assignment));

  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_THAT(asked[0].groups, ElementsAre(GroupMembership{kSp, GroupRank{1}, 2}));
}

TEST(EpochsTest, OpenEndpointsAreReportedByGroupAndMember) {
  AgentBed bed;

  const std::vector<SendReport> reports = All<SendReport>(bed.ToPrepared(kFive));

  ASSERT_THAT(reports, SizeIs(1));
  const Holding& holding = reports[0].report.holdings.at(0);
  EXPECT_EQ(holding.state, HoldingState::kPrepared);
  std::vector<std::string> bytes;
  for (const Endpoint& endpoint : holding.endpoints) bytes.push_back(endpoint.bytes);
  EXPECT_THAT(bytes, ElementsAre("world:2>0", "world:2>1", "world:2>3", "sp:2>0", "tp:2>3"));
}

TEST(EpochsTest, PrepareThatIsSeenTwiceOpensOnce) {
  AgentBed bed;
  bed.ToPrepared(kFive);

  EXPECT_THAT(Names(bed.Assign(bed.Attempt(kFive, AttemptStep::kPrepare))), IsEmpty());
  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kPrepared);
}

TEST(EpochsTest, BuildsOneGroupAtATimeInAscendingOrder) {
  AgentBed bed;
  bed.ToPrepared(kFive);

  std::vector<Effect> effects = bed.Assign(bed.Attempt(kFive, AttemptStep::kBuild));
  ASSERT_THAT(Names(effects), ElementsAre("BuildGroup"));
  EXPECT_EQ(All<BuildGroup>(effects)[0].group.id, kWorld);
  EXPECT_EQ(All<BuildGroup>(effects)[0].deadline, bed.deadlines().build);
  EXPECT_THAT(All<BuildGroup>(effects)[0].peers,
              ElementsAre(AllPeers()[0], AllPeers()[1], AllPeers()[2]));

  bed.Sleep(absl::Seconds(3));
  effects = bed.Do(GroupBuilt{kFive, kWorld});
  ASSERT_THAT(Names(effects), ElementsAre("BuildGroup"));
  EXPECT_EQ(All<BuildGroup>(effects)[0].group.id, kSp);
  EXPECT_EQ(All<BuildGroup>(effects)[0].deadline, bed.deadlines().build - absl::Seconds(3));
  EXPECT_THAT(All<BuildGroup>(effects)[0].peers, ElementsAre(AllPeers()[3]));

  effects = bed.Do(GroupBuilt{kFive, kSp});
  ASSERT_THAT(Names(effects), ElementsAre("BuildGroup"));
  EXPECT_EQ(All<BuildGroup>(effects)[0].group.id, kTp);

  effects = bed.Do(GroupBuilt{kFive, kTp});
  EXPECT_THAT(Names(effects), IsEmpty());
  ASSERT_THAT(All<SendReport>(effects), SizeIs(1));
  EXPECT_EQ(All<SendReport>(effects)[0].report.holdings.at(0).state, HoldingState::kBuilt);
}

TEST(EpochsTest, EndpointsLeaveTheReportOnceAllArePrepared) {
  AgentBed bed;
  bed.ToPrepared(kFive);

  const std::vector<SendReport> reports =
      All<SendReport>(bed.Assign(bed.Attempt(kFive, AttemptStep::kBuild)));

  ASSERT_THAT(reports, SizeIs(1));
  EXPECT_EQ(reports[0].report.holdings.at(0).state, HoldingState::kBuilding);
  EXPECT_THAT(reports[0].report.holdings.at(0).endpoints, IsEmpty());
}

TEST(EpochsTest, BuildWaitsForThePeersOfTheNextGroupOnly) {
  AgentBed bed;
  bed.ToPrepared(kFive);
  Assignment partly = bed.Attempt(kFive, AttemptStep::kBuild);
  partly.attempt->peers[3].endpoint.clear();  // Rank 0 in dit.sp#0.

  EXPECT_THAT(Names(bed.Assign(partly)), ElementsAre("BuildGroup"));
  EXPECT_THAT(Names(bed.Do(GroupBuilt{kFive, kWorld})), IsEmpty());
  const std::vector<Effect> effects = bed.Assign(bed.Attempt(kFive, AttemptStep::kBuild));

  ASSERT_THAT(Names(effects), ElementsAre("BuildGroup"));
  EXPECT_EQ(All<BuildGroup>(effects)[0].group.id, kSp);
}

TEST(EpochsTest, BuildThatOvertakesTheOpeningOfEndpointsWaitsForIt) {
  AgentBed bed;
  bed.ToPreparing(kFive);

  EXPECT_THAT(Names(bed.Assign(bed.Attempt(kFive, AttemptStep::kBuild))), IsEmpty());
  EXPECT_THAT(Names(bed.Do(EndpointsOpened{kFive, OurEndpoints()})), ElementsAre("BuildGroup"));
}

TEST(EpochsTest, BuildOfAnAttemptThatWasNeverPreparedIsNotEntered) {
  AgentBed bed;
  bed.Open();

  EXPECT_THAT(Names(bed.Assign(bed.Attempt(kFive, AttemptStep::kBuild))), IsEmpty());
  EXPECT_THAT(bed.Held(), IsEmpty());
}

TEST(EpochsTest, AWorkerWithoutGroupsIsBuiltAtOnce) {
  AgentBed bed;
  bed.Open();
  JobSpec spec = WanSpec();
  spec.layout.world_mode = BuildMode::kNone;
  spec.layout.meshes[0].host_mode = BuildMode::kNone;
  Assignment prepare = bed.Attempt(kFive, AttemptStep::kPrepare);
  Assignment build = bed.Attempt(kFive, AttemptStep::kBuild);
  prepare.spec = build.spec = std::make_shared<const JobSpec>(spec);
  build.attempt->peers.clear();

  EXPECT_THAT(All<OpenEndpoints>(bed.Assign(prepare)).at(0).groups, IsEmpty());
  bed.Do(EndpointsOpened{kFive, {}});
  bed.Assign(build);

  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kBuilt);
}

TEST(EpochsTest, PeerAtAnotherRanksPlaceFailsTheEpoch) {
  AgentBed bed;
  bed.ToPrepared(kFive);
  Assignment swapped = bed.Attempt(kFive, AttemptStep::kBuild);
  std::swap(swapped.attempt->peers[0].global_rank, swapped.attempt->peers[1].global_rank);

  EXPECT_THAT(Names(bed.Assign(swapped)), IsEmpty());

  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kFailed);
  EXPECT_EQ(FailureOf(bed).group, "world#0");
  EXPECT_EQ(FailureOf(bed).peer, GlobalRank{1});
  EXPECT_THAT(FailureOf(bed).reason, HasSubstr("want rank 0"));
}

TEST(EpochsTest, PeerAtOurPlaceOrOutsideTheGroupFailsTheEpoch) {
  for (const GroupRank place : {GroupRank{2}, GroupRank{4}, GroupRank{-1}}) {
    AgentBed bed;
    bed.ToPrepared(kFive);
    Assignment wrong = bed.Attempt(kFive, AttemptStep::kBuild);
    wrong.attempt->peers[2].rank = place;

    bed.Assign(wrong);

    EXPECT_EQ(bed.StateOf(kFive), HoldingState::kFailed) << place;
  }
}

TEST(EpochsTest, SpecWithoutALayoutFailsTheEpochAndLeavesNothingToFree) {
  JobSpec bad = WanSpec();
  bad.layout.meshes[0].dims = {{"sp", 3}, {"tp", 2}};
  for (const auto& spec :
       {std::make_shared<const JobSpec>(bad), std::shared_ptr<const JobSpec>()}) {
    AgentBed bed;
    bed.Open();
    Assignment assignment = bed.Attempt(kFive, AttemptStep::kPrepare);
    assignment.spec = spec;

    const std::vector<Effect> effects = bed.Assign(assignment);
    EXPECT_THAT(Names(effects), IsEmpty());
    ASSERT_THAT(All<SendReport>(effects), SizeIs(1));
    EXPECT_EQ(All<SendReport>(effects)[0].report.holdings.at(0).state, HoldingState::kFailed);
    EXPECT_FALSE(FailureOf(bed).reason.empty());

    EXPECT_THAT(Names(bed.Assign(bed.Attempt(kFive, AttemptStep::kRollback))), IsEmpty());
    EXPECT_THAT(bed.Held(), IsEmpty());
  }
}

TEST(EpochsTest, RankOutsideTheWorldFailsTheEpoch) {
  AgentBed bed;
  bed.Open();
  Assignment assignment = bed.Attempt(kFive, AttemptStep::kPrepare);
  assignment.attempt->rank = GlobalRank{4};

  bed.Assign(assignment);

  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kFailed);
  EXPECT_THAT(FailureOf(bed).reason, HasSubstr("rank 4"));
}

TEST(EpochsTest, FailedBuildIsReportedAndWaitsForItsRollback) {
  AgentBed bed;
  bed.ToPrepared(kFive);
  bed.Assign(bed.Attempt(kFive, AttemptStep::kBuild));

  std::vector<Effect> effects =
      bed.Do(BuildFailed{kFive, BuildFailure{"world#0", GlobalRank{3}, std::string(600, 'x')}});

  EXPECT_THAT(Names(effects), IsEmpty());
  ASSERT_THAT(All<SendReport>(effects), SizeIs(1));
  const Holding holding = All<SendReport>(effects)[0].report.holdings.at(0);
  EXPECT_EQ(holding.state, HoldingState::kFailed);
  EXPECT_EQ(holding.failure->peer, GlobalRank{3});
  EXPECT_THAT(holding.failure->reason, SizeIs(kReasonBytesMax));
  EXPECT_THAT(Names(bed.Pass(absl::Seconds(20))), IsEmpty());

  effects = bed.Answer(bed.Assign(bed.Attempt(kFive, AttemptStep::kRollback)));
  EXPECT_THAT(Names(effects), ElementsAre("AbortEpoch", "CloseEndpoints"));
}

TEST(EpochsTest, FailureToOpenEndpointsFailsTheEpoch) {
  AgentBed bed;
  bed.ToPreparing(kFive);

  bed.Do(BuildFailed{kFive, BuildFailure{"", std::nullopt, "no free port"}});

  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kFailed);
  EXPECT_EQ(FailureOf(bed).reason, "no free port");
}

TEST(EpochsTest, EndpointsThatDoNotOpenInTimeFailTheEpoch) {
  AgentBed bed;
  bed.ToPreparing(kFive);

  EXPECT_THAT(Names(bed.Pass(bed.deadlines().prepare - kTick)), IsEmpty());
  EXPECT_THAT(Names(bed.Pass(kTick)), ElementsAre("AbortEpoch"));

  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kFailed);
  EXPECT_THAT(Names(bed.Do(EndpointsOpened{kFive, OurEndpoints()})), IsEmpty());
  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kFailed);
}

TEST(EpochsTest, PreparedIsJudgedByTheCoordinatorAsLongAsThereIsOne) {
  AgentBed bed;
  bed.ToPrepared(kFive);

  EXPECT_THAT(Names(bed.Pass(bed.deadlines().prepare * 3)), IsEmpty());
  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kPrepared);

  bed.Do(StreamClosed{bed.session(), absl::UnavailableError("reset")});
  bed.Pass(kTick);
  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kFailed);
}

TEST(EpochsTest, BuildDeadlineNamesTheGroupAndThoseItJoins) {
  AgentBed bed;
  bed.ToPrepared(kFive);
  bed.Assign(bed.Attempt(kFive, AttemptStep::kBuild));
  bed.Pass(absl::Seconds(4));
  bed.Do(GroupBuilt{kFive, kWorld});

  std::vector<Effect> effects = bed.Pass(bed.deadlines().build - absl::Seconds(4));

  ASSERT_THAT(Names(effects), ElementsAre("AbortEpoch"));
  EXPECT_THAT(All<AbortEpoch>(effects)[0].status, HasKind(ErrorKind::kBuildFailed));
  EXPECT_EQ(FailureOf(bed).group, "dit.sp#0");
  EXPECT_THAT(FailureOf(bed).reason, AllOf(HasSubstr("build deadline"), HasSubstr("ranks 0")));

  effects = bed.Answer(bed.Assign(bed.Attempt(kFive, AttemptStep::kRollback)));
  EXPECT_THAT(Names(effects), ElementsAre("FreeGroup", "FreeGroup", "CloseEndpoints"));
}

TEST(EpochsTest, BuildDeadlineNamesThoseWithoutEndpoints) {
  AgentBed bed;
  bed.ToPrepared(kFive);
  Assignment partly = bed.Attempt(kFive, AttemptStep::kBuild);
  partly.attempt->peers.erase(partly.attempt->peers.begin() + 1);  // Rank 1 in the world.
  partly.attempt->peers[1].endpoint.clear();                       // Rank 3.
  bed.Assign(partly);

  bed.Pass(bed.deadlines().build);

  EXPECT_EQ(FailureOf(bed).group, "world#0");
  EXPECT_EQ(FailureOf(bed).peer, std::nullopt);
  EXPECT_THAT(FailureOf(bed).reason, HasSubstr("no endpoint of ranks 1, 3"));
}

TEST(EpochsTest, BuildDeadlineAccusesTheOnlyOneWithoutAnEndpoint) {
  AgentBed bed;
  bed.ToPrepared(kFive);
  Assignment partly = bed.Attempt(kFive, AttemptStep::kBuild);
  partly.attempt->peers[2].endpoint.clear();
  bed.Assign(partly);

  bed.Pass(bed.deadlines().build);

  EXPECT_EQ(FailureOf(bed).peer, GlobalRank{3});
}

TEST(EpochsTest, AnswersAfterTheBuildDeadlineDoNotMakeTheEpochBuilt) {
  AgentBed bed;
  bed.ToPrepared(kFive);
  bed.Assign(bed.Attempt(kFive, AttemptStep::kBuild));
  bed.Pass(bed.deadlines().build);

  EXPECT_THAT(Names(bed.Do(GroupBuilt{kFive, kWorld})), IsEmpty());

  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kFailed);
  const std::vector<Effect> effects =
      bed.Answer(bed.Assign(bed.Attempt(kFive, AttemptStep::kRollback)));
  ASSERT_THAT(Names(effects), ElementsAre("FreeGroup", "CloseEndpoints"));
  EXPECT_EQ(All<FreeGroup>(effects)[0].group, kWorld);
}

TEST(EpochsTest, BuildThatFailsAfterItsDeadlineLeavesNothingOfItToFree) {
  AgentBed bed;
  bed.ToPrepared(kFive);
  bed.Assign(bed.Attempt(kFive, AttemptStep::kBuild));
  bed.Pass(bed.deadlines().build);

  bed.Do(BuildFailed{kFive, BuildFailure{"world#0", std::nullopt, "aborted"}});

  EXPECT_THAT(FailureOf(bed).reason, HasSubstr("build deadline"));
  EXPECT_THAT(Names(bed.Assign(bed.Attempt(kFive, AttemptStep::kRollback))),
              ElementsAre("CloseEndpoints"));
}

TEST(EpochsTest, BuiltHasNoDeadline) {
  AgentBed bed;
  bed.ToBuilt(kFive);

  EXPECT_THAT(Names(bed.Pass(absl::Seconds(170))), IsEmpty());
  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kBuilt);
}

TEST(EpochsTest, CommitOpensTheEpochToUsers) {
  AgentBed bed;
  bed.ToBuilt(kFive);

  const std::vector<Effect> effects = bed.Assign(bed.Committed(kFive));

  ASSERT_THAT(Names(effects), ElementsAre("ActivateEpoch"));
  EXPECT_EQ(All<ActivateEpoch>(effects)[0].epoch, kFive);
  EXPECT_EQ(All<ActivateEpoch>(effects)[0].rank, kOurRank);
  ASSERT_THAT(All<SendReport>(effects), SizeIs(1));
  EXPECT_EQ(All<SendReport>(effects)[0].report.holdings.at(0).state, HoldingState::kActive);
  EXPECT_THAT(Names(bed.Assign(bed.Committed(kFive))), IsEmpty());
}

TEST(EpochsTest, CommitOfWhatIsNotBuiltHereIsNotOursToActivate) {
  AgentBed bed;
  bed.ToPrepared(kFive);

  EXPECT_THAT(Names(bed.Assign(bed.Committed(kFive))), IsEmpty());
  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kPrepared);
  AgentBed stranger;
  stranger.Open();
  EXPECT_THAT(Names(stranger.Assign(stranger.Committed(kSix))), IsEmpty());
}

TEST(EpochsTest, CommitOfAnotherSeatIsNotOursToActivate) {
  AgentBed bed;
  bed.ToBuilt(kFive);
  Assignment assignment = bed.Committed(kFive);
  assignment.committed_rank = GlobalRank{3};

  EXPECT_THAT(Names(bed.Assign(assignment)), IsEmpty());
  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kBuilt);
}

TEST(EpochsTest, NextCommitRetiresTheEpochBefore) {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.ToBuilt(kSix);
  ASSERT_THAT(bed.Held(), ElementsAre(kFive, kSix));

  const std::vector<Effect> effects = bed.Answer(bed.Assign(bed.Committed(kSix)));

  EXPECT_THAT(Names(effects), ElementsAre("AbortEpoch", "FreeGroup", "ActivateEpoch", "FreeGroup",
                                          "FreeGroup", "CloseEndpoints"));
  EXPECT_EQ(All<AbortEpoch>(effects)[0].epoch, kFive);
  EXPECT_THAT(
      All<AbortEpoch>(effects)[0].status,
      AllOf(StatusIs(absl::StatusCode::kFailedPrecondition), HasKind(ErrorKind::kEpochRetired)));
  EXPECT_THAT(bed.Held(), ElementsAre(kSix));
}

TEST(EpochsTest, ThirdEpochWaitsUntilOneIsFreed) {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.ToPrepared(kSix);
  std::vector<Effect> frees = bed.Assign(bed.Attempt(kSeven, AttemptStep::kPrepare));

  ASSERT_THAT(Names(frees), ElementsAre("AbortEpoch", "CloseEndpoints"));
  EXPECT_THAT(bed.Held(), ElementsAre(kFive, kSix));

  EXPECT_THAT(Names(bed.Do(EndpointsClosed{kSix})), ElementsAre("OpenEndpoints"));
  EXPECT_THAT(bed.Held(), ElementsAre(kFive, kSeven));
}

TEST(EpochsTest, NewAttemptIsEnteredWhileTheOneBeforeIsFreed) {
  AgentBed bed;
  bed.ToPrepared(kFive);

  EXPECT_THAT(Names(bed.Assign(bed.Attempt(kSix, AttemptStep::kPrepare))),
              ElementsAre("AbortEpoch", "CloseEndpoints", "OpenEndpoints"));
}

TEST(EpochsTest, RollbackOfTheCommittedEpochIsContradictoryAndFreesNothing) {
  AgentBed bed;
  bed.ToActive(kFive);
  Assignment assignment = bed.Attempt(kFive, AttemptStep::kRollback);
  ASSERT_EQ(assignment.committed, kFive);

  EXPECT_THAT(Names(bed.Assign(assignment)), IsEmpty());
}

TEST(InDoubtTest, BuiltIsFreedByItsRollbackOnly) {
  AgentBed bed;
  bed.ToBuilt(kFive);
  bed.Do(StreamClosed{bed.session(), absl::UnavailableError("reset")});
  EXPECT_THAT(All<AbortEpoch>(bed.Pass(bed.deadlines().build * 3)), IsEmpty());
  ASSERT_EQ(bed.StateOf(kFive), HoldingState::kBuilt);
  bed.Open();

  const std::vector<Effect> effects =
      bed.Answer(bed.Assign(bed.Attempt(kFive, AttemptStep::kRollback)));

  EXPECT_THAT(Names(effects),
              ElementsAre("AbortEpoch", "FreeGroup", "FreeGroup", "FreeGroup", "CloseEndpoints"));
  EXPECT_THAT(All<AbortEpoch>(effects)[0].status, HasKind(ErrorKind::kTransitionRolledBack));
}

TEST(InDoubtTest, BuiltIsFreedByANewTermThatDoesNotListIt) {
  AgentBed bed;
  bed.ToBuilt(kFive);
  bed.Reconnect();
  Assignment assignment = bed.Next();
  assignment.term = Term{5};
  assignment.revision = Revision{1};

  bed.Assign(assignment);

  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kFreeing);
}

TEST(InDoubtTest, WaitersAreToldOnceAndTheEpochIsKept) {
  AgentBed bed;
  bed.ToBuilt(kFive);
  bed.Do(StreamClosed{bed.session(), absl::UnavailableError("reset")});

  const std::vector<Effect> effects = bed.Pass(bed.deadlines().coordinator_lost * 2);

  ASSERT_THAT(All<CloseGates>(effects), SizeIs(1));
  EXPECT_EQ(All<CloseGates>(effects)[0].epoch, kFive);
  EXPECT_THAT(All<CloseGates>(effects)[0].status,
              AllOf(StatusIs(absl::StatusCode::kUnavailable), HasKind(ErrorKind::kVerdictUnknown)));
  EXPECT_THAT(All<Finish>(effects), IsEmpty());
  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kBuilt);

  bed.Open();
  EXPECT_THAT(Names(bed.Assign(bed.Committed(kFive))), ElementsAre("ActivateEpoch"));
}

TEST(InDoubtTest, NobodyIsToldBeforeTheCoordinatorIsLostForLong) {
  AgentBed bed;
  bed.ToBuilt(kFive);
  bed.Pass(bed.deadlines().coordinator_lost);  // With a coordinator nothing is lost.
  bed.Do(StreamClosed{bed.session(), absl::UnavailableError("reset")});

  EXPECT_THAT(All<CloseGates>(bed.Pass(bed.deadlines().coordinator_lost - kTick)), IsEmpty());
}

TEST(InDoubtTest, WhatWasNeverBuiltIsFreedWithoutACoordinator) {
  AgentBed bed;
  bed.ToPrepared(kFive);
  bed.Do(StreamClosed{bed.session(), absl::UnavailableError("reset")});

  EXPECT_THAT(All<CloseEndpoints>(bed.Pass(bed.deadlines().coordinator_lost - kTick)), IsEmpty());
  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kFailed);
  EXPECT_THAT(All<CloseEndpoints>(bed.Pass(kTick)), SizeIs(1));
  bed.Do(EndpointsClosed{kFive});
  EXPECT_THAT(bed.Held(), IsEmpty());
}

TEST(InDoubtTest, ActiveGoesOnWithoutACoordinator) {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.Do(StreamClosed{bed.session(), absl::UnavailableError("reset")});

  const std::vector<Effect> effects = bed.Pass(bed.deadlines().coordinator_lost * 2);

  EXPECT_THAT(All<CloseGates>(effects), IsEmpty());
  EXPECT_THAT(All<AbortEpoch>(effects), IsEmpty());
  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kActive);
}

}  // namespace
}  // namespace muster::worker
