#include "common/wire/reader.h"

#include "common/base/error_detail.h"
#include "common/layout/layout_spec.h"
#include "common/wire/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

google::protobuf::Duration Wire(int64_t seconds, int32_t nanos) {
  google::protobuf::Duration wire;
  wire.set_seconds(seconds);
  wire.set_nanos(nanos);
  return wire;
}

TEST(WireReaderTest, FieldsInRangeGiveTheirValues) {
  WireReader reader("report");
  EXPECT_EQ(reader.Int64("a", -7, -7, 9), -7);
  EXPECT_EQ(reader.Int32("b", 9, -7, 9), 9);
  EXPECT_EQ(reader.Counter<Epoch>("c", 1, 1), Epoch(1));
  EXPECT_EQ(reader.Rank<GlobalRank>("d", 0), GlobalRank(0));
  EXPECT_EQ(reader.Rank<GroupRank>("e", kWorldSizeMax - 1), GroupRank(kWorldSizeMax - 1));
  EXPECT_EQ(reader.NonZero("f", 5), 5u);
  EXPECT_EQ(reader.Text("g", "xyz", 3, 3), "xyz");
  EXPECT_EQ(reader.Bytes("h", "\xff", 1, 2), "\xff");
  EXPECT_EQ(reader.Time("i", true, Wire(2, 30)), absl::Seconds(2) + absl::Nanoseconds(30));
  EXPECT_EQ(reader.Count("j", 4, 4), 4);
  EXPECT_TRUE(reader.Present("k", true));
  EXPECT_THAT(reader.Finish(17), IsOkAndHolds(17));
}

TEST(WireReaderTest, FieldsOutsideTheirRangeAreRefused) {
  const auto refused = [](auto read) {
    WireReader reader("m");
    read(reader);
    return reader.status();
  };
  using R = WireReader;
  const absl::Status statuses[] = {
      refused([](R& r) { r.Int64("f", 3, 4, 9); }),
      refused([](R& r) { r.Int64("f", 10, 4, 9); }),
      refused([](R& r) { r.Int32("f", -1, 0); }),
      refused([](R& r) { r.Counter<Epoch>("f", 0, 1); }),
      refused([](R& r) { r.Rank<GlobalRank>("f", -1); }),
      refused([](R& r) { r.Rank<GlobalRank>("f", kWorldSizeMax); }),
      refused([](R& r) { r.NonZero("f", 0); }),
      refused([](R& r) { r.Text("f", "", 1, 5); }),
      refused([](R& r) { r.Text("f", "\xff", 0, 5); }),
      refused([](R& r) { r.Present("f", false); }),
      refused([](R& r) { r.Time("f", false, {}); }),
  };
  for (const absl::Status& status : statuses) {
    EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument, HasSubstr("m.f ")));
    EXPECT_THAT(status, HasKind(ErrorKind::kInvalidRequest));
  }
}

TEST(WireReaderTest, WhatIsTooLongIsRefusedAsOverTheLimit) {
  WireReader text("m");
  EXPECT_EQ(text.Text("f", "123456", 0, 5), "");
  EXPECT_THAT(text.status(), HasKind(ErrorKind::kLimitExceeded));
  WireReader list("m");
  EXPECT_EQ(list.Count("f", 6, 5), 0);
  EXPECT_THAT(list.status(), HasKind(ErrorKind::kLimitExceeded));
}

TEST(WireReaderTest, TimesOutsideTheirRangeAreRefused) {
  const google::protobuf::Duration bad[] = {
      Wire(-1, 0),
      Wire(0, -1),
      Wire(1, 1000000000),
      Wire(30 * 24 * 3600, 1),
      Wire(std::numeric_limits<int64_t>::max(), 0),
      Wire(std::numeric_limits<int64_t>::min(), std::numeric_limits<int32_t>::min())};
  for (const google::protobuf::Duration& wire : bad) {
    WireReader reader("m");
    EXPECT_EQ(reader.Time("f", true, wire), absl::ZeroDuration());
    EXPECT_THAT(reader.status(), StatusIs(StatusCode::kInvalidArgument)) << wire.DebugString();
  }
  WireReader reader("m");
  EXPECT_EQ(reader.Time("f", true, Wire(30 * 24 * 3600, 0)), kWireDurationMax);
  EXPECT_THAT(reader.status(), IsOk());
}

TEST(WireReaderTest, ErrorNamesThePathOfTheField) {
  WireReader reader("hello");
  {
    const WireReader::Scope report(reader, "report");
    const WireReader::Scope holding(reader, "holdings", 1);
    reader.Int64("epoch", -3, 1, 9);
  }
  EXPECT_EQ(reader.status().message(), "hello.report.holdings[1].epoch is -3, want 1 to 9");
}

TEST(WireReaderTest, ScopeThatEndedIsNotInThePath) {
  WireReader reader("hello");
  { const WireReader::Scope host(reader, "host"); }
  reader.NonZero("incarnation", 0);
  EXPECT_THAT(reader.status(),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("hello.incarnation ")));
}

TEST(WireReaderTest, FirstErrorIsKept) {
  WireReader reader("m");
  reader.NonZero("first", 0);
  reader.Unsupported("second", "x", "y");
  EXPECT_THAT(reader.Finish(1), StatusIs(StatusCode::kInvalidArgument, HasSubstr("m.first")));
}

TEST(WireReaderTest, UnsupportedNamesTheValueAndWhatIsSupported) {
  WireReader reader("spec");
  reader.Unsupported("preset", "megatron\n", "dims");
  EXPECT_THAT(reader.status(),
              StatusIs(StatusCode::kUnimplemented,
                       testing::AllOf(HasSubstr("'megatron\\n'"), HasSubstr("want dims"))));
  EXPECT_THAT(reader.status(), HasKind(ErrorKind::kUnsupportedMode));
}

TEST(WireReaderTest, TimeForTheWireIsCutToItsRange) {
  EXPECT_EQ(WireTime(absl::Seconds(3) + absl::Nanoseconds(7)).nanos(), 7);
  EXPECT_EQ(WireTime(absl::Nanoseconds(1) / 2).nanos(), 0);
  EXPECT_EQ(WireTime(-absl::Seconds(1)).seconds(), 0);
  EXPECT_EQ(WireTime(absl::InfiniteDuration()).seconds(), 30 * 24 * 3600);
}

}  // namespace
}  // namespace muster
