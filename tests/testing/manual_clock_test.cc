#include "tests/testing/manual_clock.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/signal.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

MonotonicTime At(int64_t seconds) { return MonotonicTime{absl::Seconds(seconds)}; }

// Notes what ran and when.
class Recorder {
 public:
  explicit Recorder(ManualClock& clock) : clock_(clock) {}

  std::function<void()> Note(std::string name) {
    return [this, name] {
      notes_.push_back(absl::StrCat(name, "@", absl::ToInt64Seconds(clock_.Now().since_start)));
    };
  }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  ManualClock& clock_;
  std::vector<std::string> notes_;
};

TEST(ManualClockTest, ItStandsStillUntilMoved) {
  ManualClock clock;

  EXPECT_EQ(clock.Now(), At(0));
  clock.Advance(absl::Seconds(3));
  EXPECT_EQ(clock.Now(), At(3));
}

TEST(ManualClockTest, DueCallbacksRunInOrderAtTheirOwnTimes) {
  ManualClock clock;
  Recorder recorder(clock);
  clock.RunAt(At(5), recorder.Note("b"));
  clock.RunAt(At(9), recorder.Note("d"));
  clock.RunAt(At(5), recorder.Note("c"));
  clock.RunAt(At(2), recorder.Note("a"));

  clock.Advance(absl::Seconds(5));

  EXPECT_THAT(recorder.notes(), ElementsAre("a@2", "b@5", "c@5"));
  EXPECT_EQ(clock.pending(), 1u);
}

TEST(ManualClockTest, ATimeThatHasPassedRunsWithTheNextMove) {
  ManualClock clock;
  Recorder recorder(clock);
  clock.Advance(absl::Seconds(7));
  clock.RunAt(At(1), recorder.Note("late"));
  EXPECT_THAT(recorder.notes(), IsEmpty());

  clock.Advance(absl::ZeroDuration());

  EXPECT_THAT(recorder.notes(), ElementsAre("late@7"));
}

TEST(ManualClockTest, ACallbackMayRegisterMoreWithinTheSameMove) {
  ManualClock clock;
  Recorder recorder(clock);
  clock.RunAt(At(1), [&] {
    clock.RunAt(At(3), recorder.Note("within"));
    clock.RunAt(At(8), recorder.Note("beyond"));
  });

  clock.Advance(absl::Seconds(4));

  EXPECT_THAT(recorder.notes(), ElementsAre("within@3"));
  EXPECT_EQ(clock.Now(), At(4));
}

TEST(ManualClockTest, ACallbackMayTakeBackItselfAndOthers) {
  ManualClock clock;
  Recorder recorder(clock);
  const TimerId other = clock.RunAt(At(2), recorder.Note("other"));
  TimerId self;
  self = clock.RunAt(At(1), [&] {
    clock.Cancel(self);
    clock.Cancel(other);
  });

  clock.Advance(absl::Seconds(4));

  EXPECT_THAT(recorder.notes(), IsEmpty());
  EXPECT_EQ(clock.pending(), 0u);
}

TEST(ManualClockTest, TakingBackReleasesWhatTheCallbackHolds) {
  ManualClock clock;
  const auto owned = std::make_shared<int>(1);
  const TimerId timer = clock.RunAt(At(1), [owned] { ADD_FAILURE() << *owned; });

  clock.Cancel(timer);

  EXPECT_EQ(owned.use_count(), 1);
}

TEST(ManualClockTest, CancelFromAnotherThreadWaitsForTheCallback) {
  ManualClock clock;
  Signal started;
  Signal cancelled;
  const TimerId timer = clock.RunAt(At(1), [&] {
    started.Give();
    EXPECT_FALSE(cancelled.Comes(absl::Milliseconds(50)));
  });
  std::thread mover([&] { clock.Advance(absl::Seconds(1)); });

  EXPECT_TRUE(started.Comes());
  clock.Cancel(timer);
  cancelled.Give();

  mover.join();
}

}  // namespace
}  // namespace muster
