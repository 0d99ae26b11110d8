#include "common/base/clock.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/base/clock_reading.h"
#include "common/base/wall_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/signal.h"

namespace muster {
namespace {

using testing::ElementsAre;

TEST(RealClockTest, ReadingsDoNotGoBackAndAllClocksAgree) {
  const RealClock a;
  const RealClock b;

  const MonotonicTime first = a.Now();
  const MonotonicTime second = b.Now();
  const MonotonicTime third = a.Now();

  EXPECT_LE(first, second);
  EXPECT_LE(second, third);
  EXPECT_LT(third - first, absl::Minutes(1));
}

TEST(RealClockTest, ACallbackRunsNotBeforeItsTime) {
  RealClock clock;
  Signal ran;
  MonotonicTime at;
  const MonotonicTime when = clock.Now() + absl::Milliseconds(20);

  clock.RunAt(when, [&] {
    at = clock.Now();
    ran.Give();
  });

  ASSERT_TRUE(ran.Comes());
  EXPECT_GE(at, when);
}

TEST(RealClockTest, CallbacksRunInOrderOfTimeThenOfRegistration) {
  RealClock clock;
  std::vector<std::string> order;
  Signal ran;
  const MonotonicTime soon = clock.Now() + absl::Milliseconds(20);

  clock.RunAt(soon + absl::Milliseconds(2), [&] { ran.Give(); });
  clock.RunAt(soon + absl::Milliseconds(1), [&] { order.push_back("later"); });
  clock.RunAt(soon, [&] { order.push_back("first"); });
  clock.RunAt(soon, [&] { order.push_back("second"); });

  ASSERT_TRUE(ran.Comes());
  EXPECT_THAT(order, ElementsAre("first", "second", "later"));
}

TEST(RealClockTest, AnEarlierCallbackOvertakesTheOneWaitedFor) {
  RealClock clock;
  Signal ran;

  clock.RunAt(clock.Now() + absl::Hours(1), [] { ADD_FAILURE() << "an hour has not passed"; });
  clock.RunAt(MonotonicTime(), [&] { ran.Give(); });

  EXPECT_TRUE(ran.Comes());
}

TEST(RealClockTest, ACallbackMayUseTheClock) {
  RealClock clock;
  Signal ran;

  clock.RunAt(clock.Now(), [&] {
    const TimerId never = clock.RunAt(clock.Now(), [] { ADD_FAILURE() << "was taken back"; });
    clock.Cancel(never);
    clock.RunAt(clock.Now(), [&] { ran.Give(); });
  });

  EXPECT_TRUE(ran.Comes());
}

TEST(RealClockTest, ATimerTakenBackNeverRuns) {
  RealClock clock;
  Signal after;
  const MonotonicTime soon = clock.Now() + absl::Milliseconds(10);

  const TimerId timer = clock.RunAt(soon, [] { ADD_FAILURE() << "was taken back"; });
  clock.Cancel(timer);
  clock.RunAt(soon, [&] { after.Give(); });

  EXPECT_TRUE(after.Comes());
}

TEST(RealClockTest, CancelWaitsForACallbackThatRuns) {
  RealClock clock;
  Signal started;
  Signal cancelled;

  const TimerId timer = clock.RunAt(clock.Now(), [&] {
    started.Give();
    EXPECT_FALSE(cancelled.Comes(absl::Milliseconds(50)));
  });
  ASSERT_TRUE(started.Comes());
  clock.Cancel(timer);
  cancelled.Give();
}

TEST(RealClockTest, ACallbackMayTakeItselfBack) {
  RealClock clock;
  Signal ran;
  Signal known;
  TimerId self;

  self = clock.RunAt(clock.Now(), [&] {
    ASSERT_TRUE(known.Comes());
    clock.Cancel(self);
    ran.Give();
  });
  known.Give();

  EXPECT_TRUE(ran.Comes());
}

TEST(RealClockTest, UnknownAndFinishedTimersMayBeTakenBack) {
  RealClock clock;
  Signal ran;
  const TimerId timer = clock.RunAt(clock.Now(), [&] { ran.Give(); });
  ASSERT_TRUE(ran.Comes());

  clock.Cancel(timer);
  clock.Cancel(timer);
  clock.Cancel(TimerId());
  clock.Cancel(TimerId(12345));
}

TEST(RealClockTest, TheEndOfAClockDropsWhatIsNotDue) {
  const auto owned = std::make_shared<int>(1);
  {
    RealClock clock;
    clock.RunAt(clock.Now() + absl::Hours(1), [owned] { ADD_FAILURE() << *owned; });
    clock.RunAt(MonotonicTime{absl::InfiniteDuration()}, [owned] { ADD_FAILURE() << *owned; });
    EXPECT_EQ(owned.use_count(), 3);
  }
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(MonitorTest, AWaitEndsAtItsDeadline) {
  Monitor monitor;
  MonitorLock lock(&monitor);
  const MonotonicTime deadline = ReadMonotonicClock() + absl::Milliseconds(10);

  while (monitor.WaitUntil(deadline)) continue;

  EXPECT_GE(ReadMonotonicClock(), deadline);
}

TEST(MonitorTest, ADeadlineInThePastDoesNotWait) {
  Monitor monitor;
  MonitorLock lock(&monitor);

  EXPECT_FALSE(monitor.WaitUntil(MonotonicTime{-absl::InfiniteDuration()}));
}

TEST(MonitorTest, ANotificationEndsAWaitWithoutDeadline) {
  Monitor monitor;
  bool ready = false;
  std::thread notifier([&] {
    MonitorLock lock(&monitor);
    ready = true;
    monitor.NotifyAll();
  });
  {
    MonitorLock lock(&monitor);
    while (!ready) monitor.WaitUntil(MonotonicTime{absl::InfiniteDuration()});
  }
  notifier.join();
}

TEST(WallClockTest, TimesAreWrittenInUtcToTheMillisecond) {
  const absl::Time time =
      absl::FromCivil(absl::CivilSecond(2026, 3, 2, 10, 15, 4), absl::UTCTimeZone()) +
      absl::Microseconds(218'999);

  EXPECT_EQ(FormatWallClock(time), "2026-03-02T10:15:04.218Z");
  EXPECT_EQ(FormatWallClock(absl::UnixEpoch()), "1970-01-01T00:00:00.000Z");
}

TEST(WallClockTest, TheTimeOfDayIsAfterThisWasWritten) {
  EXPECT_GT(ReadWallClock(), absl::FromUnixSeconds(1'700'000'000));
}

}  // namespace
}  // namespace muster
