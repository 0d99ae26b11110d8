#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/core/agent_bed.h"

namespace muster::worker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Epoch kFive{5};

// An active agent whose process does not run for longer than the lease.
AgentBed SleptThroughItsLease() {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.Sleep(bed.deadlines().lease + absl::Milliseconds(1));
  return bed;
}

TEST(SleepTest, SleepLongerThanTheLeaseClosesTheGatesAndDialsAgain) {
  AgentBed bed = SleptThroughItsLease();

  const std::vector<Effect> effects = bed.Do(Tick{});

  ASSERT_THAT(Names(effects), ElementsAre("CloseGates", "CloseStream", "OpenStream"));
  EXPECT_EQ(All<CloseGates>(effects)[0].epoch, kFive);
  EXPECT_THAT(All<CloseGates>(effects)[0].status, HasKind(ErrorKind::kCoordinatorLost));
  EXPECT_EQ(All<CloseStream>(effects)[0].session, SessionNumber{1});
  EXPECT_FALSE(All<CloseStream>(effects)[0].leaving);
  EXPECT_EQ(All<OpenStream>(effects)[0].hello.session, SessionNumber{2});
  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kActive);
}

TEST(SleepTest, SleepOfALeaseIsNotTooLong) {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.Sleep(bed.deadlines().lease);

  EXPECT_THAT(Names(bed.Do(Tick{})), IsEmpty());
}

TEST(SleepTest, GatesOpenOnTheFirstAssignmentOfTheNewStream) {
  AgentBed bed = SleptThroughItsLease();
  bed.Do(Tick{});
  EXPECT_THAT(Names(bed.Open()), IsEmpty());

  EXPECT_THAT(Names(bed.Assign(bed.Committed(kFive))), ElementsAre("OpenGates"));
  EXPECT_THAT(Names(bed.Assign(bed.Committed(kFive))), IsEmpty());
}

TEST(SleepTest, TheSameAssignmentAgainOpensTheGatesToo) {
  AgentBed bed = SleptThroughItsLease();
  const Assignment known = *bed.state().assignment;
  bed.Do(Tick{});
  bed.Open();

  EXPECT_THAT(Names(bed.Assign(known)), ElementsAre("OpenGates"));
}

TEST(SleepTest, AnAssignmentFromBeforeTheSleepOpensNothing) {
  AgentBed bed = SleptThroughItsLease();
  bed.Do(Tick{});

  EXPECT_THAT(bed.Do(AssignmentReceived{SessionNumber{1}, bed.Committed(kFive)}), IsEmpty());
  EXPECT_FALSE(bed.state().holdings[0].gates_open);
}

TEST(SleepTest, WhateverWakesTheAgentFindsTheSleep) {
  AgentBed bed;
  bed.ToBuilt(kFive);
  bed.Sleep(bed.deadlines().lease + absl::Milliseconds(1));

  const std::vector<Effect> effects =
      bed.Do(AssignmentReceived{SessionNumber{1}, bed.Committed(kFive)});

  EXPECT_THAT(Names(effects), ElementsAre("CloseStream", "OpenStream"));
  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kBuilt);
}

TEST(SleepTest, EpochThatEndedDuringTheSleepStaysClosed) {
  AgentBed bed = SleptThroughItsLease();
  bed.Do(Tick{});
  bed.Open();

  EXPECT_THAT(Names(bed.Assign(bed.Lost(kFive, {LostRankOne()}))), ElementsAre("EndEpoch"));
}

TEST(SleepTest, HeartbeatsGoOnWhileTheGatesAreClosed) {
  AgentBed bed = SleptThroughItsLease();
  bed.Do(Tick{});
  bed.Open();

  EXPECT_THAT(All<SendReport>(bed.Pass(bed.deadlines().heartbeat * 3)), SizeIs(3));
}

TEST(SleepTest, AStreamThatIsLostAwakeClosesNoGates) {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.Do(StreamClosed{bed.session(), absl::UnavailableError("reset")});

  EXPECT_THAT(All<CloseGates>(bed.Pass(bed.deadlines().lease * 4)), IsEmpty());
  EXPECT_TRUE(bed.state().holdings[0].gates_open);
}

TEST(SleepTest, SleepBetweenTwoDialsIsFollowedByOneDial) {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.Do(StreamClosed{bed.session(), absl::UnavailableError("reset")});
  bed.Sleep(bed.deadlines().lease * 2);

  EXPECT_THAT(Names(bed.Do(Tick{})), ElementsAre("CloseGates", "OpenStream"));
  EXPECT_THAT(Names(bed.Pass(absl::Seconds(5))), IsEmpty());
}

}  // namespace
}  // namespace muster::worker
