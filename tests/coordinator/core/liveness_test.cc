#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/coordinator/core/testbed.h"
#include "tests/testing/status_matchers.h"

namespace muster::coordinator {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr absl::Duration kGrace = absl::Milliseconds(150);

TEST(LivenessTest, ResetIsNoLossIfTheWorkerComesBackInTime) {
  Testbed bed;
  bed.Form(2);
  bed.Reset("w1");
  bed.Pass(kGrace - absl::Milliseconds(1), {"w0"});

  Hello hello = bed.HelloOf(1);
  hello.report = bed.report("w1");
  ++hello.report.number;
  bed.Connect(hello);
  bed.Pass(absl::Seconds(5), {"w0", "w1"});

  EXPECT_THAT(bed.AssignmentOf("w0").lost, IsEmpty());
  EXPECT_THAT(bed.AssignmentOf("w1").lost, IsEmpty());
}

TEST(LivenessTest, ResetBecomesALossWhenTheGraceRunsOutAndAllAreToldAtOnce) {
  Testbed bed;
  bed.Form(3);
  bed.Reset("w1");

  bed.Pass(kGrace, {"w0", "w2"});

  for (const char* survivor : {"w0", "w2"}) {
    ASSERT_THAT(bed.AssignmentOf(survivor).lost, SizeIs(1));
    EXPECT_EQ(bed.AssignmentOf(survivor).lost[0].worker, "w1");
    EXPECT_EQ(bed.AssignmentOf(survivor).lost[0].cause, LossCause::kReset);
  }
}

TEST(LivenessTest, PeersResetMakesTheSuspicionALossAtOnce) {
  Testbed bed;
  bed.Form(2);
  bed.Reset("w1");
  bed.report("w0").reset_peers = {GlobalRank(1)};

  bed.Send("w0");

  EXPECT_THAT(bed.AssignmentOf("w0").lost, SizeIs(1));
}

TEST(LivenessTest, AccusationAloneLosesNobody) {
  Testbed bed;
  bed.Form(3);
  bed.report("w0").reset_peers = {GlobalRank(1)};
  bed.report("w2").reset_peers = {GlobalRank(1)};

  bed.Pass(absl::Seconds(2), {"w0", "w1", "w2"});

  EXPECT_THAT(bed.AssignmentOf("w0").lost, IsEmpty());
}

TEST(LivenessTest, SilenceForALeaseIsALossAndAHeartbeatIsNot) {
  Testbed bed;
  bed.Form(2);
  const absl::Duration lease = bed.job().deadlines.lease;

  bed.Pass(lease - absl::Milliseconds(50), {"w0"});
  EXPECT_THAT(bed.AssignmentOf("w0").lost, IsEmpty());
  bed.Pass(absl::Milliseconds(50), {"w0"});

  ASSERT_THAT(bed.AssignmentOf("w0").lost, SizeIs(1));
  EXPECT_EQ(bed.AssignmentOf("w0").lost[0].cause, LossCause::kSilence);
  EXPECT_EQ(bed.AssignmentOf("w0").lost[0].silent_for, lease);
}

TEST(LivenessTest, PauseOfTheCoordinatorCountsAgainstNobody) {
  Testbed bed;
  bed.Form(2);
  bed.Pass(absl::Milliseconds(50), {"w0", "w1"});

  Testbed paused = bed;
  paused.Pass(absl::Milliseconds(50));
  paused.JumpBy(absl::Minutes(5));
  paused.Feed(Tick{});

  EXPECT_THAT(paused.AssignmentOf("w0").lost, IsEmpty());
  EXPECT_FALSE(paused.Last<Note>().empty());
}

TEST(LivenessTest, ManyResetsAtOnceAreOurOwnFault) {
  Testbed bed;
  bed.Form(8);
  for (int n = 0; n < 8; ++n) bed.Reset("w" + std::to_string(n));

  bed.Pass(absl::Seconds(2));

  EXPECT_THAT(bed.job().committed->lost, IsEmpty());
  EXPECT_EQ(bed.job().workers.at("w7").presence, Presence::kSuspect);
}

TEST(LivenessTest, CutOfOurOwnRaisesNothing) {
  Testbed bed;
  bed.Form(2);
  const ConnectionId stream = bed.job().workers.at("w1").connection;

  bed.Feed(StreamCut{stream});
  bed.Pass(absl::Seconds(2), {"w0"});

  EXPECT_THAT(bed.AssignmentOf("w0").lost, IsEmpty());
}

TEST(LivenessTest, ExitNoticeIsALossAtOnceAndTheFirstCauseStaysFirst) {
  Testbed bed;
  bed.Form(3);

  bed.Feed(ExitReported{"wan", "w2", Incarnation(102), "signal 9"});
  bed.Feed(ExitReported{"wan", "w0", Incarnation(100), "exit 1"});

  const Assignment& told = bed.AssignmentOf("w1");
  ASSERT_THAT(told.lost, SizeIs(2));
  EXPECT_EQ(told.lost[0].worker, "w2");
  EXPECT_EQ(told.lost[0].cause, LossCause::kExit);
  EXPECT_EQ(told.lost[1].worker, "w0");
}

TEST(LivenessTest, ExitNoticeOfAnEarlierProcessChangesNothing) {
  Testbed bed;
  bed.Form(2);

  bed.Feed(ExitReported{"wan", "w1", Incarnation(55), "exit 0"});

  EXPECT_THAT(bed.AssignmentOf("w0").lost, IsEmpty());
}

TEST(LivenessTest, ReturnOfTheIdentityFillsTheSeatAndAllFormANewEpoch) {
  Testbed bed;
  bed.Form(2);
  bed.Feed(ExitReported{"wan", "w1", Incarnation(101), "signal 9"});
  bed.Say("w0", {Testbed::Has(1, HoldingState::kEnded)});

  Hello hello = bed.HelloOf(1);
  hello.incarnation = hello.report.incarnation = Incarnation(901);
  bed.Connect(hello);

  ASSERT_TRUE(bed.AssignmentOf("w0").attempt.has_value());
  EXPECT_EQ(bed.AssignmentOf("w0").attempt->epoch, Epoch(2));
  EXPECT_EQ(bed.AssignmentOf("w1").attempt->rank, GlobalRank(1));
  EXPECT_EQ(bed.AssignmentOf("w1").committed, Epoch()) << "told of an epoch it was never in";
}

TEST(LivenessTest, SpareDoesNotTakeASeatOfARunningJobByItself) {
  Testbed bed;
  bed.Form(2, /*spares=*/1);
  bed.Connect(bed.HelloOf(2));
  bed.Pass(absl::Seconds(1), {"w0", "w1", "w2"});

  bed.Feed(ExitReported{"wan", "w1", Incarnation(101), "signal 9"});
  bed.Pass(absl::Seconds(1), {"w0", "w2"});

  EXPECT_FALSE(bed.job().attempt.has_value());
  EXPECT_EQ(bed.job().seats[1], "w1");
}

}  // namespace
}  // namespace muster::coordinator
