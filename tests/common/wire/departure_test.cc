#include "common/wire/departure.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

Exit SomeExit(bool by_signal, int32_t number) {
  return {.job = "wan",
          .worker = "w-3",
          .incarnation = Incarnation(77),
          .by_signal = by_signal,
          .number = number};
}

TEST(WireDepartureTest, LeaveSurvivesTheWire) {
  const Leave leave = {.job = "wan", .worker = "w-3", .incarnation = Incarnation(77)};
  EXPECT_THAT(FromProto(ToProto(leave)), IsOkAndHolds(leave));
}

TEST(WireDepartureTest, ExitSurvivesTheWire) {
  for (const Exit& exit : {SomeExit(false, 0), SomeExit(false, 3), SomeExit(false, 255),
                           SomeExit(true, 1), SomeExit(true, 9), SomeExit(true, 64)}) {
    EXPECT_THAT(FromProto(ToProto(exit)), IsOkAndHolds(exit));
  }
}

TEST(WireDepartureTest, ExitOutsideItsRangeIsRefused) {
  for (const Exit& exit : {SomeExit(false, -1), SomeExit(false, 256)}) {
    EXPECT_THAT(FromProto(ToProto(exit)),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr("exit.code ")));
  }
  for (const Exit& exit : {SomeExit(true, 0), SomeExit(true, 65)}) {
    EXPECT_THAT(FromProto(ToProto(exit)),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr("exit.signal ")));
  }
}

TEST(WireDepartureTest, ExitWithoutStatusIsRefused) {
  v1::ReportExitRequest wire = ToProto(SomeExit(false, 3));
  wire.clear_code();
  EXPECT_THAT(FromProto(wire), StatusIs(StatusCode::kInvalidArgument, HasSubstr("exit.code ")));
}

TEST(WireDepartureTest, IdentityIsHeldToItsRange) {
  const Leave good = {.job = "wan", .worker = "w-3", .incarnation = Incarnation(77)};
  Leave leave = good;
  leave.job = "Wan";
  EXPECT_THAT(FromProto(ToProto(leave)), HasKind(ErrorKind::kInvalidName));
  leave = good;
  leave.worker = std::string(kWorkerIdBytesMax + 1, 'w');
  EXPECT_THAT(FromProto(ToProto(leave)), HasKind(ErrorKind::kLimitExceeded));
  leave = good;
  leave.incarnation = Incarnation(0);
  EXPECT_THAT(FromProto(ToProto(leave)),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("leave.incarnation ")));
}

TEST(WireDepartureTest, ExitReadsAsWords) {
  EXPECT_EQ(ExitText(SomeExit(false, 3)), "exit code 3");
  EXPECT_EQ(ExitText(SomeExit(true, 9)), "signal 9");
}

}  // namespace
}  // namespace muster
