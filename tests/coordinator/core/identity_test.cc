#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/coordinator/core/testbed.h"
#include "tests/testing/status_matchers.h"

namespace muster::coordinator {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Hello NewProcess(Testbed& bed, int n, uint64_t incarnation) {
  Hello hello = bed.HelloOf(n);
  hello.incarnation = hello.report.incarnation = Incarnation(incarnation);
  hello.host.pid = 7000 + n;
  return hello;
}

TEST(IdentityTest, HolderThatAnswersThePingKeepsItsPlaceAndBothAreNamed) {
  Testbed bed;
  bed.Form(2);
  const ConnectionId holder = bed.job().workers.at("w1").connection;
  const Report holders_report = bed.report("w1");
  const ConnectionId newcomer = bed.Connect(NewProcess(bed, 1, 901));
  EXPECT_FALSE(bed.Closed(newcomer).has_value());
  const uint64_t ping = bed.job().workers.at("w1").ping;
  ASSERT_NE(ping, 0u);

  Report answer = holders_report;
  ++answer.number;
  answer.pong = ping;
  bed.Feed(ReportReceived{holder, answer});

  ASSERT_TRUE(bed.Closed(newcomer).has_value());
  EXPECT_THAT(*bed.Closed(newcomer), HasKind(ErrorKind::kDuplicateIdentity));
  EXPECT_THAT(std::string(bed.Closed(newcomer)->message()), HasSubstr("pid 1001"));
  EXPECT_THAT(std::string(bed.Closed(newcomer)->message()), HasSubstr("pid 7001"));
  EXPECT_THAT(bed.job().committed->lost, IsEmpty());
}

TEST(IdentityTest, SilentHolderIsFencedAndItsDeviceWaitsForProofOfItsEnd) {
  Testbed bed;
  bed.Form(2);
  const ConnectionId holder = bed.job().workers.at("w1").connection;
  bed.Connect(NewProcess(bed, 1, 901));

  bed.Pass(absl::Milliseconds(200), {"w0"});

  ASSERT_TRUE(bed.Closed(holder).has_value());
  EXPECT_THAT(*bed.Closed(holder), HasKind(ErrorKind::kStaleIncarnation));
  ASSERT_THAT(bed.AssignmentOf("w0").lost, SizeIs(1));
  EXPECT_EQ(bed.AssignmentOf("w0").lost[0].cause, LossCause::kSuperseded);
  EXPECT_FALSE(bed.job().attempt.has_value()) << "the old process may still hold the device";
  const std::vector<ProcessProbe> want = {{Incarnation(101), 1001, 0}};
  EXPECT_EQ(bed.AssignmentOf("w1").probes, want);

  bed.report("w1").proved_dead = {Incarnation(101)};
  bed.Send("w1");
  EXPECT_TRUE(bed.job().attempt.has_value());
}

TEST(IdentityTest, ZombieIsGivenUpAfterLeaseAndMargin) {
  Testbed bed;
  bed.Form(2);
  bed.Connect(NewProcess(bed, 1, 901));
  bed.Pass(absl::Milliseconds(200), {"w0", "w1"});
  ASSERT_THAT(bed.job().zombies, SizeIs(1));

  bed.Pass(bed.job().deadlines.lease + bed.job().deadlines.margin, {"w0", "w1"});

  EXPECT_THAT(bed.job().zombies, IsEmpty());
  EXPECT_TRUE(bed.job().attempt.has_value());
}

TEST(IdentityTest, FencedProcessMayNotComeBack) {
  Testbed bed;
  bed.Form(2);
  bed.Feed(ExitReported{"wan", "w1", Incarnation(101), "signal 9"});

  const ConnectionId back = bed.Connect(bed.HelloOf(1));

  ASSERT_TRUE(bed.Closed(back).has_value());
  EXPECT_THAT(*bed.Closed(back), HasKind(ErrorKind::kStaleIncarnation));
}

TEST(IdentityTest, ProcessThatWasOnlySilentComesBackToItsSeat) {
  Testbed bed;
  bed.Form(2);
  bed.Pass(bed.job().deadlines.lease, {"w0"});
  ASSERT_THAT(bed.AssignmentOf("w0").lost, SizeIs(1));
  bed.Say("w0", {Testbed::Has(1, HoldingState::kEnded)});

  Hello hello = bed.HelloOf(1);
  hello.report = bed.report("w1");
  ++hello.report.number;
  bed.Connect(hello);
  EXPECT_THAT(bed.AssignmentOf("w1").lost, SizeIs(1)) << "it must hear that its epoch is over";
  bed.Say("w1", {Testbed::Has(1, HoldingState::kEnded)});

  ASSERT_TRUE(bed.job().attempt.has_value());
  EXPECT_EQ(bed.job().attempt->epoch, Epoch(2));
}

TEST(IdentityTest, SameDeviceOfOneHostIsRefusedNamingBothAndOfAnotherHostIsFine) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 3));
  bed.Connect(bed.HelloOf(0));
  Hello twin = bed.HelloOf(1);
  twin.device = bed.HelloOf(0).device;

  const ConnectionId refused = bed.Connect(twin);
  ASSERT_TRUE(bed.Closed(refused).has_value());
  EXPECT_THAT(*bed.Closed(refused), HasKind(ErrorKind::kDuplicateDevice));
  EXPECT_THAT(std::string(bed.Closed(refused)->message()), HasSubstr("'w0'"));
  EXPECT_THAT(std::string(bed.Closed(refused)->message()), HasSubstr("'w1'"));

  twin.worker = "w2";
  twin.incarnation = twin.report.incarnation = Incarnation(102);
  twin.host.host_id = "other";
  EXPECT_FALSE(bed.Closed(bed.Connect(twin)).has_value());
}

TEST(IdentityTest, ReturningWorkerWhoseDeviceWentToAnotherIsRefused) {
  Testbed bed;
  bed.Form(2, /*spares=*/1);
  bed.Pass(bed.job().deadlines.lease, {"w0"});
  bed.Pass(bed.job().deadlines.margin, {"w0"});
  Hello other = bed.HelloOf(7);
  other.device = bed.HelloOf(1).device;
  EXPECT_FALSE(bed.Closed(bed.Connect(other)).has_value());

  Hello back = bed.HelloOf(1);
  back.report = bed.report("w1");
  const ConnectionId stream = bed.Connect(back);

  ASSERT_TRUE(bed.Closed(stream).has_value());
  EXPECT_THAT(*bed.Closed(stream), HasKind(ErrorKind::kDuplicateDevice));
}

TEST(IdentityTest, WorkerBeyondSeatsAndSparesIsRefused) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 2, /*spares=*/1));
  bed.ConnectAll(3);

  const ConnectionId fourth = bed.Connect(bed.HelloOf(3));

  ASSERT_TRUE(bed.Closed(fourth).has_value());
  EXPECT_THAT(*bed.Closed(fourth), HasKind(ErrorKind::kJobFull));
  EXPECT_EQ(bed.Closed(fourth)->code(), absl::StatusCode::kResourceExhausted);
}

TEST(IdentityTest, WantedRankIsGivenOnceAndRefusedTwice) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 2));
  Hello first = bed.HelloOf(0);
  first.wanted_rank = GlobalRank(1);
  bed.Connect(first);
  Hello second = bed.HelloOf(1);
  second.wanted_rank = GlobalRank(1);
  const ConnectionId refused = bed.Connect(second);
  EXPECT_THAT(*bed.Closed(refused), HasKind(ErrorKind::kSeatTaken));

  second.wanted_rank.reset();
  bed.Connect(second);

  EXPECT_EQ(bed.job().seats, (std::vector<WorkerId>{"w1", "w0"}));
}

TEST(IdentityTest, WorkerWhoseWantedRankWentToAnotherFillsAVacantSeat) {
  Testbed bed;
  bed.Form(2);
  bed.Feed(ExitReported{"wan", "w0", Incarnation(100), "signal 9"});
  bed.Say("w1", {Testbed::Has(1, HoldingState::kEnded)});
  Hello hello = bed.HelloOf(2);
  hello.wanted_rank = GlobalRank(1);

  const ConnectionId stream = bed.Connect(hello);

  EXPECT_FALSE(bed.Closed(stream).has_value());
  EXPECT_EQ(bed.AssignmentOf("w2").attempt->rank, GlobalRank(0));
}

TEST(IdentityTest, OlderStreamOfTheSameProcessIsTurnedAway) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 2));
  const Hello older = bed.HelloOf(0);
  bed.Connect(bed.HelloOf(0));

  const ConnectionId late = bed.Connect(older);

  EXPECT_THAT(*bed.Closed(late), HasKind(ErrorKind::kStaleSession));
}

TEST(IdentityTest, HelloOfAnUnknownJobWaitsForItsCreation) {
  Testbed bed;
  bed.ConnectAll(2);

  bed.Apply(Testbed::Spec("wan", 2));

  EXPECT_TRUE(bed.AssignmentOf("w0").attempt.has_value());
}

TEST(IdentityTest, HelloOfAnUnknownJobEndsAtItsDeadline) {
  Testbed bed;
  Hello hello = bed.HelloOf(0);
  hello.join_deadline = absl::Seconds(3);
  const ConnectionId stream = bed.Connect(hello);

  bed.Pass(absl::Seconds(3));

  EXPECT_THAT(*bed.Closed(stream), HasKind(ErrorKind::kUnknownJob));
}

TEST(IdentityTest, ReportThatArrivesLateChangesNothing) {
  Testbed bed;
  bed.Apply(Testbed::Spec("wan", 2));
  bed.ConnectAll(2);
  Report old = bed.report("w0");
  old.holdings = {Testbed::Has(1, HoldingState::kFailed)};
  old.job = bed.job().uid;
  bed.Say("w0", {Testbed::Has(1, HoldingState::kPrepared)});

  bed.Feed(ReportReceived{bed.job().workers.at("w0").connection, old});

  EXPECT_EQ(bed.job().attempt->phase, AttemptPhase::kPreparing);
}

}  // namespace
}  // namespace muster::coordinator
