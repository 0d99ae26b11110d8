#include "worker/comm/lanes.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "worker/comm/work.h"

namespace muster {
namespace {

constexpr MonotonicTime kNever{absl::InfiniteDuration()};

MonotonicTime At(int seconds) { return MonotonicTime{absl::Seconds(seconds)}; }

class LanesTest : public testing::Test {
 protected:
  std::atomic<int> threads_{0};
  LanePool pool_{[this] { ++threads_; }};
};

TEST_F(LanesTest, OperationsOfOneLaneRunInOrderOnOneThread) {
  std::vector<int> order;
  {
    Lane lane(&pool_);
    for (int i = 0; i < 100; ++i) {
      ASSERT_THAT(lane.Post(kNever, [&order, i] { order.push_back(i); }), IsOk());
    }
  }
  ASSERT_EQ(order.size(), 100U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(threads_, 1);
}

TEST_F(LanesTest, BlockedLaneDoesNotHoldUpAnother) {
  absl::Notification go;
  Lane blocked(&pool_);
  Lane free(&pool_);
  ASSERT_THAT(blocked.Post(kNever, [&go] { go.WaitForNotification(); }), IsOk());

  ASSERT_THAT(free.Post(kNever, [&go] { go.Notify(); }), IsOk());

  go.WaitForNotification();
}

TEST_F(LanesTest, ThreadsAreUsedAgain) {
  for (int i = 0; i < 20; ++i) {
    Lane lane(&pool_);
    absl::Notification ran;
    ASSERT_THAT(lane.Post(kNever, [&ran] { ran.Notify(); }), IsOk());
    ran.WaitForNotification();
  }
  // A thread may still be on its way back when the next operation is there.
  EXPECT_LE(threads_, 20);
  EXPECT_GE(threads_, 1);
}

TEST_F(LanesTest, EarliestDeadlineIsThatOfWhatRunsAndWhatWaits) {
  absl::Notification go;
  Lane lane(&pool_);
  EXPECT_EQ(lane.EarliestDeadline(), kNever);

  ASSERT_THAT(lane.Post(At(30), [&go] { go.WaitForNotification(); }), IsOk());
  EXPECT_EQ(lane.EarliestDeadline(), At(30));
  ASSERT_THAT(lane.Post(At(5), [] {}), IsOk());
  EXPECT_EQ(lane.EarliestDeadline(), At(5));
  ASSERT_THAT(lane.Post(At(9), [] {}), IsOk());
  EXPECT_EQ(lane.EarliestDeadline(), At(5));

  go.Notify();
}

TEST(WorkTest, WaitGivesTheOutcomeEachTime) {
  auto state = std::make_shared<WorkState>();
  const auto work = MakeWork(state);
  EXPECT_FALSE(work->IsDone());

  state->Finish(absl::AbortedError("enough"));

  EXPECT_TRUE(work->IsDone());
  EXPECT_THAT(work->Wait(), StatusIs(absl::StatusCode::kAborted));
  EXPECT_THAT(work->Wait(), StatusIs(absl::StatusCode::kAborted));
}

TEST(WorkTest, DestructorWaitsUntilItIsDone) {
  std::atomic<bool> done{false};
  LanePool pool([] {});
  Lane lane(&pool);
  auto state = std::make_shared<WorkState>();
  auto work = MakeWork(state);
  ASSERT_THAT(lane.Post(kNever,
                        [&done, state] {
                          done = true;
                          state->Finish(absl::OkStatus());
                        }),
              IsOk());

  work.reset();

  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace muster
