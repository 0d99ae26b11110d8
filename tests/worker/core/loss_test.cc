#include "common/base/error_detail.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/core/agent_bed.h"
#include "worker/core/messages.h"
#include "worker/core/verdicts.h"

namespace muster::worker {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Lt;
using testing::SizeIs;

constexpr Epoch kFive{5};
constexpr Epoch kSix{6};

OperationFailed FailedOperation(uint64_t number, absl::Duration patience = absl::Seconds(9)) {
  return OperationFailed{OperationId{number}, kFive, GlobalRank{1}, "all_reduce #17 on world#0",
                         patience};
}

LostMember LostRankThree() {
  LostMember lost = LostRankOne();
  lost.rank = GlobalRank{3};
  lost.worker = "w3";
  lost.hostname = "gpu-b";
  lost.cause = LossCause::kExit;
  lost.silent_for = absl::Milliseconds(40);
  lost.doing.clear();
  return lost;
}

TEST(LossTest, LossEndsTheEpochAtOnceAndOnce) {
  AgentBed bed;
  bed.ToActive(kFive);

  const std::vector<Effect> effects = bed.Assign(bed.Lost(kFive, {LostRankOne()}));

  ASSERT_THAT(Names(effects), ElementsAre("EndEpoch"));
  EXPECT_EQ(All<EndEpoch>(effects)[0].epoch, kFive);
  EXPECT_THAT(All<EndEpoch>(effects)[0].status, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(All<SendReport>(effects).at(0).report.holdings.at(0).state, HoldingState::kEnded);
  EXPECT_THAT(Names(bed.Assign(bed.Lost(kFive, {LostRankOne(), LostRankThree()}))), IsEmpty());
}

TEST(LossTest, DetailNamesEveryoneThatIsLost) {
  AgentBed bed;
  bed.ToActive(kFive);

  const std::vector<EndEpoch> ends =
      All<EndEpoch>(bed.Assign(bed.Lost(kFive, {LostRankThree(), LostRankOne()})));

  ASSERT_THAT(ends, SizeIs(1));
  const std::optional<ErrorDetail> detail = DetailOf(ends[0].status);
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->kind, ErrorKind::kMemberLost);
  EXPECT_EQ(detail->job, "wan");
  EXPECT_EQ(detail->epoch, kFive);
  EXPECT_THAT(detail->ranks, ElementsAre(GlobalRank{3}, GlobalRank{1}));
  EXPECT_THAT(detail->workers, ElementsAre("w3", "w1"));
  EXPECT_THAT(detail->hosts, ElementsAre("gpu-b", "gpu-a"));
}

TEST(LossTest, TextIsMadeForPeople) {
  AgentBed bed;

  const absl::Status status = LossStatus(bed.state(), kFive, {LostRankOne(), LostRankThree()});

  EXPECT_EQ(status.message(),
            "job 'wan' epoch 5 is over, it lost rank 1 (worker w1 on gpu-a): silent for 10.2s, "
            "last in all_reduce #17 on world#0. Also lost: rank 3 (worker w3 on gpu-b): its "
            "process ended, last heard 40ms ago. Look first at the log of w1.");
}

TEST(LossTest, TextStaysShortWhateverManyAreLost) {
  AgentBed bed;
  std::vector<LostMember> lost;
  for (int32_t rank = 0; rank < 3000; ++rank) {
    lost.push_back(LostRankOne());
    lost.back().rank = GlobalRank{rank * 2};
  }

  const absl::Status status = LossStatus(bed.state(), kFive, lost);

  EXPECT_THAT(std::string(status.message()), SizeIs(Lt(kErrorMessageMaxBytes + 1)));
  EXPECT_THAT(DetailOf(status)->ranks, SizeIs(3000));
}

TEST(LossTest, LossOfAnEpochThatIsOnlyBuiltHereActivatesAndEndsIt) {
  AgentBed bed;
  bed.ToBuilt(kFive);

  EXPECT_THAT(Names(bed.Assign(bed.Lost(kFive, {LostRankOne()}))),
              ElementsAre("ActivateEpoch", "EndEpoch"));
}

TEST(LossTest, EndedEpochIsNeverActiveAgain) {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.Assign(bed.Lost(kFive, {LostRankOne()}));

  EXPECT_THAT(Names(bed.Assign(bed.Committed(kFive))), IsEmpty());
  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kEnded);
}

TEST(LossTest, EndedEpochKeepsItsResourcesUntilTheNextIsCommitted) {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.Assign(bed.Lost(kFive, {LostRankOne()}));
  EXPECT_THAT(Names(bed.Pass(absl::Seconds(30))), IsEmpty());
  bed.ToBuilt(kSix);
  ASSERT_THAT(bed.Held(), ElementsAre(kFive, kSix));

  const std::vector<Effect> effects = bed.Assign(bed.Committed(kSix));

  EXPECT_THAT(Names(effects), ElementsAre("ActivateEpoch", "AbortEpoch", "FreeGroup"));
  EXPECT_EQ(All<AbortEpoch>(effects)[0].epoch, kFive);
  EXPECT_EQ(bed.StateOf(kSix), HoldingState::kActive);
}

TEST(LossTest, EndedEpochThatIsNoLongerListedIsFreed) {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.Assign(bed.Lost(kFive, {LostRankOne()}));

  bed.Answer(bed.Assign(bed.Committed(Epoch{0})));

  EXPECT_THAT(bed.Held(), IsEmpty());
}

TEST(VerdictTest, OperationWaitsForTheVerdictAndEndsWithIt) {
  AgentBed bed;
  bed.ToActive(kFive);
  EXPECT_THAT(Names(bed.Do(FailedOperation(31))), IsEmpty());
  EXPECT_THAT(Names(bed.Pass(absl::Milliseconds(200))), IsEmpty());

  const std::vector<Effect> effects = bed.Assign(bed.Lost(kFive, {LostRankOne()}));

  ASSERT_THAT(Names(effects), ElementsAre("EndEpoch", "EndOperation"));
  EXPECT_EQ(All<EndOperation>(effects)[0].operation, OperationId{31});
  EXPECT_EQ(All<EndOperation>(effects)[0].status, All<EndEpoch>(effects)[0].status);
  EXPECT_THAT(All<EndOperation>(bed.Pass(absl::Seconds(1))), IsEmpty());
}

TEST(VerdictTest, WithoutAVerdictTheOperationEndsUnconfirmed) {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.Do(FailedOperation(31));
  EXPECT_THAT(Names(bed.Pass(bed.deadlines().verdict - kTick)), IsEmpty());

  const std::vector<EndOperation> ended = All<EndOperation>(bed.Pass(kTick));

  ASSERT_THAT(ended, SizeIs(1));
  EXPECT_THAT(ended[0].status,
              AllOf(StatusIs(absl::StatusCode::kUnavailable, HasSubstr("unconfirmed")),
                    HasKind(ErrorKind::kMemberSuspect)));
  EXPECT_THAT(DetailOf(ended[0].status)->ranks, ElementsAre(GlobalRank{1}));
  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kActive);
}

TEST(VerdictTest, OperationDoesNotWaitBeyondItsOwnDeadline) {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.Do(FailedOperation(31, absl::Milliseconds(100)));
  bed.Do(FailedOperation(32, absl::Milliseconds(200)));

  EXPECT_THAT(Names(bed.Pass(absl::Milliseconds(50))), IsEmpty());
  const std::vector<EndOperation> first = All<EndOperation>(bed.Pass(absl::Milliseconds(50)));
  const std::vector<EndOperation> second = All<EndOperation>(bed.Pass(absl::Milliseconds(100)));

  ASSERT_THAT(first, SizeIs(1));
  EXPECT_EQ(first[0].operation, OperationId{31});
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(second[0].operation, OperationId{32});
}

TEST(VerdictTest, OperationWithoutPatienceEndsAtOnce) {
  AgentBed bed;
  bed.ToActive(kFive);
  OperationFailed failed = FailedOperation(31, absl::ZeroDuration());
  failed.suspect.reset();

  const std::vector<EndOperation> ended = All<EndOperation>(bed.Do(failed));

  ASSERT_THAT(ended, SizeIs(1));
  EXPECT_THAT(ended[0].status, HasKind(ErrorKind::kMemberSuspect));
  EXPECT_THAT(DetailOf(ended[0].status)->ranks, IsEmpty());
}

TEST(VerdictTest, OperationOfAnEndedEpochEndsAtOnceWithTheLoss) {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.Assign(bed.Lost(kFive, {LostRankOne()}));

  const std::vector<EndOperation> ended = All<EndOperation>(bed.Do(FailedOperation(31)));

  ASSERT_THAT(ended, SizeIs(1));
  EXPECT_THAT(ended[0].status, HasKind(ErrorKind::kMemberLost));
}

TEST(VerdictTest, OperationOfAnEpochThatIsGoneEndsAtOnce) {
  AgentBed bed;
  bed.ToActive(kSix);

  const std::vector<EndOperation> ended = All<EndOperation>(bed.Do(FailedOperation(31)));

  ASSERT_THAT(ended, SizeIs(1));
  EXPECT_THAT(ended[0].status, AllOf(StatusIs(absl::StatusCode::kFailedPrecondition),
                                     HasKind(ErrorKind::kStaleEpoch)));
  EXPECT_EQ(DetailOf(ended[0].status)->epoch, kSix);
}

TEST(VerdictTest, ResetOfAPeerIsReportedAtOnceAndOnce) {
  AgentBed bed;
  bed.ToActive(kFive);

  const std::vector<SendReport> reports = All<SendReport>(bed.Do(PeerReset{kFive, GlobalRank{3}}));
  bed.Do(PeerReset{kFive, GlobalRank{1}});

  ASSERT_THAT(reports, SizeIs(1));
  EXPECT_THAT(reports[0].report.reset_peers, ElementsAre(GlobalRank{3}));
  EXPECT_THAT(All<SendReport>(bed.Do(PeerReset{kFive, GlobalRank{3}})), IsEmpty());
  EXPECT_THAT(bed.state().last_report->reset_peers, ElementsAre(GlobalRank{1}, GlobalRank{3}));
}

TEST(VerdictTest, ResetsAreOfTheActiveEpochOnly) {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.Do(PeerReset{kFive, GlobalRank{3}});
  bed.Assign(bed.Lost(kFive, {LostRankThree()}));

  bed.Do(PeerReset{kFive, GlobalRank{1}});

  EXPECT_THAT(bed.state().last_report->reset_peers, IsEmpty());
}

}  // namespace
}  // namespace muster::worker
