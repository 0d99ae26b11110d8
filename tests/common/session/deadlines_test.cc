#include "common/session/deadlines.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using absl::Milliseconds;
using absl::Minutes;
using absl::Nanoseconds;
using absl::Seconds;
using absl::StatusCode;
using testing::AllOf;
using testing::HasSubstr;

TEST(DeadlinesTest, EveryDeadlineFollowsFromRecovery) {
  const absl::StatusOr<Deadlines> d = DeriveDeadlines(Seconds(90));

  ASSERT_THAT(d, IsOk());
  EXPECT_EQ(d->recovery, Seconds(90));
  EXPECT_EQ(d->lease, Seconds(30));
  EXPECT_EQ(d->heartbeat, Seconds(6));
  EXPECT_EQ(d->margin, Seconds(6));
  EXPECT_EQ(d->prepare, Seconds(15));
  EXPECT_EQ(d->build, Seconds(30));
  EXPECT_EQ(d->retire, Seconds(15));
  EXPECT_EQ(d->abort, Seconds(2));
  EXPECT_EQ(d->coordinator_lost, Seconds(180));
  EXPECT_EQ(d->join, Minutes(10));
  EXPECT_EQ(d->reattach_window, Seconds(10));
  EXPECT_EQ(d->reattach_grace, Milliseconds(150));
  EXPECT_EQ(d->ping, Milliseconds(200));
  EXPECT_EQ(d->verdict, Milliseconds(250));
}

TEST(DeadlinesTest, ShortRecoveryShortensWhatIsCapped) {
  const absl::StatusOr<Deadlines> d = DeriveDeadlines(Seconds(6));

  ASSERT_THAT(d, IsOk());
  EXPECT_EQ(d->abort, Milliseconds(600));
  EXPECT_EQ(d->reattach_window, Seconds(2));
}

TEST(DeadlinesTest, DerivedOnesAreWholeNanoseconds) {
  const absl::StatusOr<Deadlines> d = DeriveDeadlines(Seconds(10));

  ASSERT_THAT(d, IsOk());
  EXPECT_EQ(d->lease, Nanoseconds(3333333333));
  EXPECT_EQ(d->heartbeat, Nanoseconds(666666666));
  EXPECT_EQ(d->prepare, Nanoseconds(1666666666));
}

TEST(DeadlinesTest, OverridesReplaceWhatIsDerived) {
  DeadlineOverrides overrides;
  overrides.lease = Seconds(20);
  overrides.heartbeat = Seconds(3);
  overrides.prepare = Seconds(7);
  overrides.build = Seconds(11);
  overrides.retire = Seconds(13);
  overrides.abort = Seconds(1);
  overrides.coordinator_lost = Seconds(47);
  overrides.join = Minutes(3);

  const absl::StatusOr<Deadlines> d = DeriveDeadlines(Seconds(30), overrides);

  ASSERT_THAT(d, IsOk());
  EXPECT_EQ(d->lease, Seconds(20));
  EXPECT_EQ(d->heartbeat, Seconds(3));
  EXPECT_EQ(d->margin, Seconds(4));
  EXPECT_EQ(d->prepare, Seconds(7));
  EXPECT_EQ(d->build, Seconds(11));
  EXPECT_EQ(d->retire, Seconds(13));
  EXPECT_EQ(d->abort, Seconds(1));
  EXPECT_EQ(d->coordinator_lost, Seconds(47));
  EXPECT_EQ(d->join, Minutes(3));
  EXPECT_EQ(d->reattach_window, Seconds(10));
}

TEST(DeadlinesTest, HeartbeatFollowsAnOverriddenLease) {
  const absl::StatusOr<Deadlines> d =
      DeriveDeadlines(Seconds(30), {.lease = Seconds(5), .heartbeat = std::nullopt});

  ASSERT_THAT(d, IsOk());
  EXPECT_EQ(d->heartbeat, Seconds(1));
  EXPECT_EQ(d->margin, Seconds(1));
}

TEST(DeadlinesTest, RecoveryIsTakenAtBothEndsOfItsRangeOnly) {
  EXPECT_THAT(DeriveDeadlines(kRecoveryMin), IsOk());
  EXPECT_THAT(DeriveDeadlines(kRecoveryMax, {.join = absl::Hours(12)}), IsOk());
  EXPECT_THAT(DeriveDeadlines(kRecoveryMin - Nanoseconds(1)), HasKind(ErrorKind::kInvalidRequest));
  EXPECT_THAT(DeriveDeadlines(kRecoveryMax + Nanoseconds(1), {.join = absl::Hours(13)}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("want 1s to 24h")));
  EXPECT_THAT(DeriveDeadlines(absl::InfiniteDuration()), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(DeriveDeadlines(-Seconds(30)), StatusIs(StatusCode::kInvalidArgument));
}

TEST(DeadlinesTest, DeadlineThatIsNotPositiveIsRefusedByName) {
  EXPECT_THAT(DeriveDeadlines(Seconds(30), {.build = absl::ZeroDuration()}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("build 0")));
  EXPECT_THAT(DeriveDeadlines(Seconds(30), {.retire = -Seconds(2)}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("retire -2s")));
  EXPECT_THAT(DeriveDeadlines(Seconds(30), {.lease = Nanoseconds(1)}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("heartbeat 0")));
}

struct Inverted {
  DeadlineOverrides overrides;
  const char* low;
  const char* high;
};

TEST(DeadlinesTest, InvertedDeadlinesAreRefusedWithBothValues) {
  const Inverted cases[] = {
      {{.heartbeat = Seconds(5) + Nanoseconds(1)}, "2 x heartbeat 10.000000002s", "lease 10s"},
      {{.lease = Seconds(61)}, "lease 1m1s", "coordinator_lost 1m"},
      {{.coordinator_lost = Seconds(9)}, "lease 10s", "coordinator_lost 9s"},
      {{.join = Seconds(14)}, "prepare + build 15s", "join 14s"},
      {{.abort = Seconds(6)}, "abort 6s", "retire 5s"},
  };
  for (const Inverted& c : cases) {
    EXPECT_THAT(DeriveDeadlines(Seconds(30), c.overrides),
                StatusIs(StatusCode::kInvalidArgument, AllOf(HasSubstr(c.low), HasSubstr(c.high))));
    EXPECT_THAT(DeriveDeadlines(Seconds(30), c.overrides), HasKind(ErrorKind::kInvalidRequest));
  }
}

TEST(DeadlinesTest, EqualDeadlinesAreNotInverted) {
  DeadlineOverrides overrides;
  overrides.heartbeat = Seconds(5);
  overrides.coordinator_lost = Seconds(10);
  overrides.join = Seconds(15);
  overrides.abort = Seconds(5);

  EXPECT_THAT(DeriveDeadlines(Seconds(30), overrides), IsOk());
}

}  // namespace
}  // namespace muster
