#include "worker/core/connection.h"

#include "common/base/error_detail.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/core/agent_bed.h"

namespace muster::worker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const absl::Status kReset = absl::UnavailableError("connection reset");

absl::Status Refusal(ErrorKind kind) {
  ErrorDetail detail;
  detail.kind = kind;
  return MakeError(absl::StatusCode::kFailedPrecondition, "refused", detail);
}

TEST(ConnectionTest, StartDialsAndSaysWhoDials) {
  AgentBed bed;

  const std::vector<OpenStream> dials = All<OpenStream>(bed.first_effects());

  ASSERT_THAT(dials, SizeIs(1));
  const Hello& hello = dials[0].hello;
  EXPECT_EQ(hello.job, "wan");
  EXPECT_EQ(hello.worker, "w2");
  EXPECT_EQ(hello.incarnation, kOurs);
  EXPECT_EQ(hello.session, SessionNumber{1});
  EXPECT_EQ(hello.host, WanOptions().host);
  EXPECT_EQ(hello.device, WanOptions().device);
  EXPECT_EQ(hello.wanted_rank, GlobalRank{2});
  EXPECT_EQ(hello.join_deadline, absl::Minutes(3));
  EXPECT_EQ(hello.report.number, 1u);
  EXPECT_EQ(hello.report.incarnation, kOurs);
}

TEST(ConnectionTest, ResetLeadsToTheNextSessionAfterAPause) {
  AgentBed bed;
  bed.Open();
  EXPECT_THAT(Names(bed.Do(StreamClosed{bed.session(), kReset})), IsEmpty());

  const std::vector<OpenStream> dials = All<OpenStream>(bed.Pass(kTick));

  ASSERT_THAT(dials, SizeIs(1));
  EXPECT_EQ(dials[0].hello.session, SessionNumber{2});
  EXPECT_EQ(dials[0].hello.join_deadline, absl::Minutes(3) - kTick);
}

TEST(ConnectionTest, PausesGrowToTheirLimitAndChanceTakesAtMostHalf) {
  AgentBed bed;
  absl::Duration full = kRedialPauseMin;
  for (int i = 0; i < 12; ++i) {
    bed.Do(StreamClosed{bed.session(), kReset});
    const absl::Duration pause = bed.state().link.redial_at - bed.now();

    EXPECT_GE(pause, full / 2) << "pause " << i;
    EXPECT_LE(pause, full) << "pause " << i;

    bed.Pass(kRedialPauseMax);
    full = std::min(full * 2, kRedialPauseMax);
  }
  EXPECT_EQ(full, kRedialPauseMax);
}

TEST(ConnectionTest, PausesOfAgentsThatStartTogetherDiffer) {
  AgentOptions other = WanOptions();
  other.seed = 1235;
  AgentBed bed;
  AgentBed other_bed(other);
  bed.Do(StreamClosed{bed.session(), kReset});
  other_bed.Do(StreamClosed{other_bed.session(), kReset});

  EXPECT_NE(bed.state().link.redial_at, other_bed.state().link.redial_at);
}

TEST(ConnectionTest, AnAssignmentMakesPausesShortAgain) {
  AgentBed bed;
  for (int i = 0; i < 6; ++i) {
    bed.Do(StreamClosed{bed.session(), kReset});
    bed.Pass(kRedialPauseMax);
  }
  bed.Open();
  bed.Assign(bed.Next());
  bed.Do(StreamClosed{bed.session(), kReset});

  EXPECT_LE(bed.state().link.redial_at - bed.now(), kRedialPauseMin);
}

TEST(ConnectionTest, AStreamThatOnlyOpensKeepsPausesLong) {
  AgentBed bed;
  for (int i = 0; i < 6; ++i) {
    bed.Open();
    bed.Do(StreamClosed{bed.session(), kReset});
    bed.Pass(kRedialPauseMax);
  }
  bed.Open();
  bed.Do(StreamClosed{bed.session(), kReset});

  EXPECT_GE(bed.state().link.redial_at - bed.now(), kRedialPauseMax / 2);
}

TEST(ConnectionTest, EventsOfAnEarlierStreamChangeNothing) {
  AgentBed bed;
  bed.Open();
  bed.Reconnect();
  ASSERT_EQ(bed.session(), SessionNumber{2});

  EXPECT_THAT(bed.Do(StreamClosed{SessionNumber{1}, Refusal(ErrorKind::kJobFull)}), IsEmpty());
  EXPECT_THAT(
      bed.Do(AssignmentReceived{SessionNumber{1}, bed.Attempt(Epoch{5}, AttemptStep::kPrepare)}),
      IsEmpty());
  EXPECT_EQ(bed.state().link.state, LinkState::kOpen);
  EXPECT_FALSE(bed.state().assignment.has_value());
}

TEST(ConnectionTest, EventsOfAStreamThatIsNotOpenYetChangeNothing) {
  AgentBed bed;

  EXPECT_THAT(bed.Do(StreamOpened{SessionNumber{7}}), IsEmpty());
  EXPECT_EQ(bed.state().link.state, LinkState::kDialing);
}

TEST(ConnectionTest, AnAssignmentMayOvertakeTheNewsThatTheStreamIsOpen) {
  AgentBed bed;

  const std::vector<Effect> effects = bed.Assign(bed.Attempt(Epoch{5}, AttemptStep::kPrepare));

  EXPECT_THAT(Names(effects), ElementsAre("OpenEndpoints"));
  EXPECT_THAT(All<SendReport>(effects), SizeIs(1));
}

TEST(ConnectionTest, ReconnectingKeepsTheActiveEpochUntouched) {
  AgentBed bed;
  bed.ToActive(Epoch{5});

  EXPECT_THAT(Names(bed.Do(StreamClosed{bed.session(), kReset})), IsEmpty());
  const std::vector<Effect> effects = bed.Pass(kTick);

  EXPECT_THAT(Names(effects), ElementsAre("OpenStream"));
  const Report report = All<OpenStream>(effects)[0].hello.report;
  ASSERT_THAT(report.holdings, SizeIs(1));
  EXPECT_EQ(report.holdings[0].epoch, Epoch{5});
  EXPECT_EQ(report.holdings[0].state, HoldingState::kActive);
  EXPECT_EQ(report.store, kStore);
}

TEST(ConnectionTest, OvertakenStreamsComeBack) {
  for (const ErrorKind kind :
       {ErrorKind::kStaleSession, ErrorKind::kLowerTerm, ErrorKind::kMailboxFull}) {
    AgentBed bed;
    bed.Do(StreamClosed{bed.session(), Refusal(kind)});

    EXPECT_EQ(bed.state().link.state, LinkState::kWaiting) << KindName(kind);
  }
}

struct RefusalCase {
  ErrorKind kind;
  int exit_code;
};

TEST(ConnectionTest, RefusalsFinishWithTheCodeOfTheirKind) {
  const RefusalCase cases[] = {
      {ErrorKind::kStaleIncarnation, 11}, {ErrorKind::kSeatTaken, 11},
      {ErrorKind::kMemberLost, 11},       {ErrorKind::kEpochConflict, 11},
      {ErrorKind::kStaleEpoch, 11},       {ErrorKind::kJobFull, 13},
      {ErrorKind::kDuplicateDevice, 13},  {ErrorKind::kDuplicateIdentity, 13},
      {ErrorKind::kRankOutOfRange, 13},   {ErrorKind::kInvalidRequest, 13},
      {ErrorKind::kProtocolMismatch, 13}, {ErrorKind::kUnknownJob, 13},
      {ErrorKind::kJobDeleted, 13},       {ErrorKind::kUnknown, 13},
      {ErrorKind::kDeadlineExceeded, 10},
  };
  for (const RefusalCase& c : cases) {
    SCOPED_TRACE(std::string(KindName(c.kind)));
    AgentBed bed;

    const std::vector<Effect> effects = bed.Do(StreamClosed{bed.session(), Refusal(c.kind)});

    ASSERT_THAT(Names(effects), ElementsAre("Finish"));
    EXPECT_EQ(All<Finish>(effects)[0].exit_code, c.exit_code);
    EXPECT_THAT(All<Finish>(effects)[0].status, HasKind(c.kind));
    EXPECT_EQ(bed.state().phase, AgentPhase::kFinished);
  }
}

TEST(ConnectionTest, RefusalOfAMemberFreesEverythingBeforeItFinishes) {
  AgentBed bed;
  bed.ToActive(Epoch{5});

  const std::vector<Effect> effects =
      bed.Answer(bed.Do(StreamClosed{bed.session(), Refusal(ErrorKind::kStaleIncarnation)}));

  EXPECT_THAT(Names(effects), ElementsAre("AbortEpoch", "FreeGroup", "FreeGroup", "FreeGroup",
                                          "CloseEndpoints", "Finish"));
  EXPECT_THAT(All<AbortEpoch>(effects)[0].status, HasKind(ErrorKind::kStaleIncarnation));
  EXPECT_EQ(All<Finish>(effects)[0].exit_code, 11);
}

TEST(ConnectionTest, JobThatWasDeletedMeanwhileIsACleanEndForItsMember) {
  AgentBed bed;
  bed.ToActive(Epoch{5});

  const std::vector<Effect> effects =
      bed.Answer(bed.Do(StreamClosed{bed.session(), Refusal(ErrorKind::kJobDeleted)}));

  ASSERT_THAT(All<Finish>(effects), SizeIs(1));
  EXPECT_THAT(All<Finish>(effects)[0].status, IsOk());
  EXPECT_EQ(All<Finish>(effects)[0].exit_code, 0);
  EXPECT_THAT(bed.Held(), IsEmpty());
}

TEST(ConnectionTest, NothingIsDialedWhileEverythingIsFreed) {
  AgentBed bed;
  bed.ToActive(Epoch{5});
  bed.Do(LeaveRequested{});
  bed.Do(StreamClosed{bed.session(), kReset});

  EXPECT_THAT(All<OpenStream>(bed.Pass(absl::Seconds(1))), IsEmpty());
  EXPECT_EQ(bed.state().link.state, LinkState::kShut);
}

}  // namespace
}  // namespace muster::worker
