#include "worker/core/report.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/worker/core/agent_bed.h"

namespace muster::worker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Epoch kFive{5};

TEST(ReportTest, BeforeTheFirstAssignmentComesEverySecond) {
  AgentBed bed;
  bed.Open();

  EXPECT_THAT(All<SendReport>(bed.Pass(absl::Milliseconds(950))), IsEmpty());
  const std::vector<SendReport> reports = All<SendReport>(bed.Pass(kTick));

  ASSERT_THAT(reports, SizeIs(1));
  EXPECT_EQ(reports[0].session, SessionNumber{1});
  EXPECT_EQ(reports[0].report.job, JobUid{0});
  EXPECT_EQ(reports[0].report.store, StoreId{0});
}

TEST(ReportTest, AfterAnAssignmentComesAtTheHeartbeat) {
  AgentBed bed;
  bed.Open();
  bed.Assign(bed.Next());

  EXPECT_THAT(All<SendReport>(bed.Pass(bed.deadlines().heartbeat - kTick)), IsEmpty());
  EXPECT_THAT(All<SendReport>(bed.Pass(kTick)), SizeIs(1));
}

TEST(ReportTest, AcknowledgesTheNewestAssignmentAtOnce) {
  AgentBed bed;
  bed.Open();
  const Assignment assignment = bed.Next();

  const std::vector<SendReport> reports = All<SendReport>(bed.Assign(assignment));

  ASSERT_THAT(reports, SizeIs(1));
  const Report& report = reports[0].report;
  EXPECT_EQ(report.incarnation, kOurs);
  EXPECT_EQ(report.store, kStore);
  EXPECT_EQ(report.term, Term{4});
  EXPECT_EQ(report.revision, assignment.revision);
  EXPECT_EQ(report.job, kJobUid);
}

TEST(ReportTest, AssignmentSeenAgainIsAcknowledgedAgain) {
  AgentBed bed;
  bed.Open();
  const Assignment assignment = bed.Next();
  bed.Assign(assignment);

  const std::vector<Effect> effects = bed.Assign(assignment);

  EXPECT_THAT(Names(effects), IsEmpty());
  EXPECT_THAT(All<SendReport>(effects), SizeIs(1));
}

TEST(ReportTest, AssignmentOfThePastIsNotAnswered) {
  AgentBed bed;
  bed.Open();
  const Assignment early = bed.Next();
  bed.Assign(bed.Next());

  EXPECT_THAT(bed.Assign(early), IsEmpty());
}

TEST(ReportTest, NumbersRiseAcrossStreams) {
  AgentBed bed;
  std::vector<uint64_t> numbers;
  const auto note = [&numbers](const std::vector<Effect>& effects) {
    for (const OpenStream& dial : All<OpenStream>(effects)) {
      numbers.push_back(dial.hello.report.number);
    }
    for (const SendReport& sent : All<SendReport>(effects)) numbers.push_back(sent.report.number);
  };
  note(bed.first_effects());
  note(bed.Open());
  note(bed.Assign(bed.Next()));
  note(bed.Do(StreamClosed{bed.session(), absl::UnavailableError("reset")}));
  note(bed.Pass(kTick));
  note(bed.Open());
  note(bed.Assign(bed.Next()));

  EXPECT_THAT(numbers, ElementsAre(1, 2, 3, 4));
}

TEST(ReportTest, WhatChangedWhileDialingIsSentWhenTheStreamOpens) {
  AgentBed bed;
  bed.ToPreparing(kFive);
  bed.Do(StreamClosed{bed.session(), absl::UnavailableError("reset")});
  bed.Pass(kTick);
  EXPECT_THAT(bed.Do(EndpointsOpened{kFive, OurEndpoints()}), IsEmpty());

  const std::vector<SendReport> reports = All<SendReport>(bed.Open());

  ASSERT_THAT(reports, SizeIs(1));
  EXPECT_EQ(reports[0].report.holdings.at(0).state, HoldingState::kPrepared);
}

TEST(ReportTest, PingIsAnsweredAtOnceAndRemembered) {
  AgentBed bed;
  bed.Open();
  Assignment ping = bed.Next();
  ping.ping = 77;

  EXPECT_EQ(All<SendReport>(bed.Assign(ping)).at(0).report.pong, 77u);
  EXPECT_EQ(All<SendReport>(bed.Assign(bed.Next())).at(0).report.pong, 77u);
}

TEST(ReportTest, OperationRidesOnTheNextReport) {
  AgentBed bed;
  bed.ToActive(kFive);

  EXPECT_THAT(bed.Do(DoingChanged{"all_reduce #17 on world#0"}), IsEmpty());
  const std::vector<SendReport> reports = All<SendReport>(bed.Pass(bed.deadlines().heartbeat));

  ASSERT_THAT(reports, SizeIs(1));
  EXPECT_EQ(reports[0].report.doing, "all_reduce #17 on world#0");
}

TEST(ReportTest, ProbesAreLookedForOnceAndTheDeadReportedWhileListed) {
  AgentBed bed;
  bed.Open();
  const ProcessProbe gone{Incarnation{0xB1}, 4321, 99};
  const ProcessProbe alive{Incarnation{0xB2}, 4322, 98};
  Assignment assignment = bed.Next();
  assignment.probes = {gone};
  std::vector<Effect> effects = bed.Assign(assignment);
  ASSERT_THAT(All<ProbeProcess>(effects), SizeIs(1));
  EXPECT_EQ(All<ProbeProcess>(effects)[0].probe, gone);

  assignment = bed.Next();
  assignment.probes = {gone, alive};
  effects = bed.Assign(assignment);
  ASSERT_THAT(All<ProbeProcess>(effects), SizeIs(1));
  EXPECT_EQ(All<ProbeProcess>(effects)[0].probe, alive);

  effects = bed.Do(ProcessGone{gone.incarnation});
  ASSERT_THAT(All<SendReport>(effects), SizeIs(1));
  EXPECT_THAT(All<SendReport>(effects)[0].report.proved_dead, ElementsAre(gone.incarnation));

  effects = bed.Assign(bed.Next());
  EXPECT_THAT(All<SendReport>(effects).at(0).report.proved_dead, IsEmpty());
  EXPECT_THAT(bed.Do(ProcessGone{gone.incarnation}), IsEmpty());
}

TEST(ReportTest, NothingIsSentWithoutAStream) {
  AgentBed bed;

  EXPECT_THAT(All<SendReport>(bed.Pass(absl::Seconds(5))), IsEmpty());
}

}  // namespace
}  // namespace muster::worker
