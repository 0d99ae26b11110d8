#include "common/wire/report.h"

#include <functional>
#include <limits>
#include <string>

#include "common/wire/limits.h"
#include "common/wire/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/common/wire/random_values.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

TEST(WireReportTest, ReportsSurviveTheWire) {
  Random random(11);
  for (int i = 0; i < 500; ++i) {
    const Report report = RandomReport(random);
    v1::Report wire;
    ASSERT_TRUE(wire.ParseFromString(ToProto(report).SerializeAsString()));
    ASSERT_THAT(FromProto(wire), IsOkAndHolds(report)) << "value " << i;
  }
}

TEST(WireReportTest, HellosSurviveTheWire) {
  Random random(12);
  for (int i = 0; i < 500; ++i) {
    const Hello hello = RandomHello(random);
    v1::Hello wire;
    ASSERT_TRUE(wire.ParseFromString(ToProto(hello).SerializeAsString()));
    ASSERT_THAT(FromProto(wire), IsOkAndHolds(hello)) << "value " << i;
  }
}

// A report with one of everything.
v1::Report FullReport() {
  Report report;
  report.incarnation = Incarnation(7001);
  report.number = 3;
  report.holdings.resize(2);
  report.holdings[0].epoch = Epoch(4);
  report.holdings[0].state = HoldingState::kActive;
  report.holdings[1].epoch = Epoch(5);
  report.holdings[1].state = HoldingState::kFailed;
  report.holdings[1].failure =
      BuildFailure{.group = "dit.sp#1", .peer = GlobalRank(2), .reason = "refused"};
  report.holdings[1].endpoints = {
      {.group = {.kind = 1, .index = 2}, .from = GroupRank(1), .to = GroupRank(0), .bytes = "abc"}};
  report.leaks = {{.epoch = Epoch(3), .what = "a port"}};
  report.reset_peers = {GlobalRank(6)};
  report.proved_dead = {Incarnation(7002)};
  return ToProto(report);
}

v1::Hello FullHello() {
  Hello hello;
  hello.job = "wan";
  hello.worker = "w-3";
  hello.incarnation = Incarnation(7001);
  hello.session = SessionNumber(1);
  hello.host.host_id = "host-a";
  hello.device = {.uuid = "GPU-5", .index = 4};
  hello.wanted_rank = GlobalRank(8);
  v1::Hello wire = ToProto(hello);
  *wire.mutable_report() = FullReport();
  return wire;
}

struct BadReport {
  const char* path;
  std::function<void(v1::Report&)> spoil;
};

TEST(WireReportTest, EveryFieldOfAReportIsHeldToItsRange) {
  ASSERT_THAT(FromProto(FullReport()), IsOk());
  const BadReport cases[] = {
      {"report.incarnation ", [](v1::Report& r) { r.set_incarnation(0); }},
      {"report.number ", [](v1::Report& r) { r.set_number(0); }},
      {"report.term ", [](v1::Report& r) { r.set_term(-1); }},
      {"report.revision ", [](v1::Report& r) { r.set_revision(-1); }},
      {"report.holdings ", [](v1::Report& r) { r.add_holdings()->set_epoch(9); }},
      {"report.holdings[0].epoch ", [](v1::Report& r) { r.mutable_holdings(0)->set_epoch(0); }},
      {"report.holdings[1].epoch ", [](v1::Report& r) { r.mutable_holdings(1)->set_epoch(4); }},
      {"report.holdings[0].state ",
       [](v1::Report& r) { r.mutable_holdings(0)->set_state(v1::HOLDING_STATE_UNSPECIFIED); }},
      {"report.holdings[0].state ",
       [](v1::Report& r) { r.mutable_holdings(0)->set_state(static_cast<v1::HoldingState>(77)); }},
      {"report.holdings[0].failure ",
       [](v1::Report& r) { r.mutable_holdings(0)->mutable_failure()->set_reason("x"); }},
      {"report.holdings[1].failure ",
       [](v1::Report& r) { r.mutable_holdings(1)->clear_failure(); }},
      {"report.holdings[1].failure.group ",
       [](v1::Report& r) {
         r.mutable_holdings(1)->mutable_failure()->set_group(std::string(257, 'g'));
       }},
      {"report.holdings[1].failure.peer ",
       [](v1::Report& r) { r.mutable_holdings(1)->mutable_failure()->set_peer(-1); }},
      {"report.holdings[1].failure.reason ",
       [](v1::Report& r) {
         r.mutable_holdings(1)->mutable_failure()->set_reason(std::string(513, 'r'));
       }},
      {"report.leaks[0].epoch ", [](v1::Report& r) { r.mutable_leaks(0)->set_epoch(0); }},
      {"report.leaks[0].what ",
       [](v1::Report& r) { r.mutable_leaks(0)->set_what(std::string(513, 'w')); }},
      {"report.leaks ",
       [](v1::Report& r) {
         while (r.leaks_size() <= kLeaksMax) r.add_leaks()->set_epoch(1);
       }},
      {"report.reset_peers ", [](v1::Report& r) { r.set_reset_peers(0, kWorldSizeMax); }},
      {"report.reset_peers ",
       [](v1::Report& r) { r.mutable_reset_peers()->Resize(kSessionListMax + 1, 1); }},
      {"report.proved_dead ", [](v1::Report& r) { r.set_proved_dead(0, 0); }},
      {"report.proved_dead ",
       [](v1::Report& r) { r.mutable_proved_dead()->Resize(kSessionListMax + 1, 1); }},
      {"report.doing ", [](v1::Report& r) { r.set_doing(std::string(513, 'd')); }},
      {"report.doing ", [](v1::Report& r) { r.set_doing("\xff"); }},
  };
  for (const BadReport& c : cases) {
    v1::Report wire = FullReport();
    c.spoil(wire);
    EXPECT_THAT(FromProto(wire), StatusIs(StatusCode::kInvalidArgument, HasSubstr(c.path)));
  }
}

TEST(WireReportTest, EveryFieldOfAnEndpointIsHeldToItsRange) {
  const BadReport cases[] = {
      {".group ",
       [](v1::Report& r) { r.mutable_holdings(1)->mutable_endpoints(0)->clear_group(); }},
      {".group.kind ",
       [](v1::Report& r) {
         r.mutable_holdings(1)->mutable_endpoints(0)->mutable_group()->set_kind(-1);
       }},
      {".group.index ",
       [](v1::Report& r) {
         r.mutable_holdings(1)->mutable_endpoints(0)->mutable_group()->set_index(-1);
       }},
      {".from ", [](v1::Report& r) { r.mutable_holdings(1)->mutable_endpoints(0)->set_from(-1); }},
      {".to ", [](v1::Report& r) { r.mutable_holdings(1)->mutable_endpoints(0)->set_to(-1); }},
      {".data ", [](v1::Report& r) { r.mutable_holdings(1)->mutable_endpoints(0)->set_data(""); }},
      {".data ",
       [](v1::Report& r) {
         r.mutable_holdings(1)->mutable_endpoints(0)->set_data(
             std::string(kEndpointBytesMax + 1, 'e'));
       }},
  };
  for (const BadReport& c : cases) {
    v1::Report wire = FullReport();
    c.spoil(wire);
    EXPECT_THAT(FromProto(wire),
                StatusIs(StatusCode::kInvalidArgument,
                         HasSubstr(std::string("report.holdings[1].endpoints[0]") + c.path)));
  }
}

TEST(WireReportTest, TooManyEndpointsAreRefused) {
  v1::Report wire = FullReport();
  v1::Holding& holding = *wire.mutable_holdings(1);
  const v1::Endpoint endpoint = holding.endpoints(0);
  while (holding.endpoints_size() <= kSessionListMax) *holding.add_endpoints() = endpoint;
  EXPECT_THAT(FromProto(wire), HasKind(ErrorKind::kLimitExceeded));
}

struct BadHello {
  const char* path;
  std::function<void(v1::Hello&)> spoil;
};

TEST(WireReportTest, EveryFieldOfAHelloIsHeldToItsRange) {
  ASSERT_THAT(FromProto(FullHello()), IsOk());
  const BadHello cases[] = {
      {"protocol.min ", [](v1::Hello& h) { h.clear_protocol(); }},
      {"protocol.max ", [](v1::Hello& h) { h.mutable_protocol()->set_max(0); }},
      {"hello.job ", [](v1::Hello& h) { h.set_job(""); }},
      {"hello.job ", [](v1::Hello& h) { h.set_job("No"); }},
      {"hello.job ", [](v1::Hello& h) { h.set_job(std::string(64, 'j')); }},
      {"hello.worker ", [](v1::Hello& h) { h.set_worker(""); }},
      {"hello.worker ", [](v1::Hello& h) { h.set_worker(std::string(129, 'w')); }},
      {"hello.incarnation ", [](v1::Hello& h) { h.set_incarnation(0); }},
      {"hello.session ", [](v1::Hello& h) { h.set_session(0); }},
      {"hello.host ", [](v1::Hello& h) { h.clear_host(); }},
      {"hello.host.host_id ", [](v1::Hello& h) { h.mutable_host()->set_host_id(""); }},
      {"hello.host.hostname ",
       [](v1::Hello& h) { h.mutable_host()->set_hostname(std::string(257, 'h')); }},
      {"hello.host.boot_id ",
       [](v1::Hello& h) { h.mutable_host()->set_boot_id(std::string(129, 'b')); }},
      {"hello.host.pid_namespace ",
       [](v1::Hello& h) { h.mutable_host()->set_pid_namespace(std::string(129, 'p')); }},
      {"hello.host.pid ", [](v1::Hello& h) { h.mutable_host()->set_pid(-1); }},
      {"hello.host.process_start ", [](v1::Hello& h) { h.mutable_host()->set_process_start(-1); }},
      {"hello.device.uuid ", [](v1::Hello& h) { h.mutable_device()->set_uuid(""); }},
      {"hello.device.index ", [](v1::Hello& h) { h.mutable_device()->set_index(-1); }},
      {"hello.wanted_rank ", [](v1::Hello& h) { h.set_wanted_rank(-1); }},
      {"hello.join_deadline ", [](v1::Hello& h) { h.clear_join_deadline(); }},
      {"hello.join_deadline ", [](v1::Hello& h) { h.mutable_join_deadline()->set_seconds(-1); }},
      {"hello.report ", [](v1::Hello& h) { h.clear_report(); }},
      {"hello.report.number ", [](v1::Hello& h) { h.mutable_report()->set_number(0); }},
      {"hello.report.incarnation ", [](v1::Hello& h) { h.mutable_report()->set_incarnation(9); }},
  };
  for (const BadHello& c : cases) {
    v1::Hello wire = FullHello();
    c.spoil(wire);
    EXPECT_THAT(FromProto(wire), StatusIs(StatusCode::kInvalidArgument, HasSubstr(c.path)));
  }
}

v1::ProtocolRange Range(int32_t min, int32_t max) {
  v1::ProtocolRange range;
  range.set_min(min);
  range.set_max(max);
  return range;
}

TEST(WireReportTest, HighestCommonProtocolIsChosen) {
  EXPECT_THAT(ChooseProtocol(Range(kProtocolMin, kProtocolMax)), IsOkAndHolds(kProtocolMax));
  EXPECT_THAT(ChooseProtocol(Range(1, std::numeric_limits<int32_t>::max())),
              IsOkAndHolds(kProtocolMax));
}

TEST(WireReportTest, NoCommonProtocolIsRefusedWithBothRanges) {
  v1::Hello wire = FullHello();
  *wire.mutable_protocol() = Range(kProtocolMax + 1, kProtocolMax + 4);
  EXPECT_THAT(FromProto(wire), StatusIs(StatusCode::kFailedPrecondition,
                                        testing::AllOf(HasSubstr("2 to 5"), HasSubstr("1 to 1"))));
  EXPECT_THAT(FromProto(wire), HasKind(ErrorKind::kProtocolMismatch));
}

TEST(WireReportTest, TextForPeopleIsMadeToFit) {
  Report report;
  report.incarnation = Incarnation(1);
  report.number = 1;
  report.doing = std::string(600, '\xff');

  const v1::Report wire = ToProto(report);

  EXPECT_LE(wire.doing().size(), kDoingBytesMax);
  EXPECT_TRUE(IsUtf8(wire.doing()));
  EXPECT_THAT(FromProto(wire), IsOk());
}

TEST(WireReportTest, DeviceWithoutUuidIsNone) {
  Hello hello;
  hello.device = {.uuid = "", .index = 3};
  EXPECT_FALSE(ToProto(hello).has_device());
}

}  // namespace
}  // namespace muster
