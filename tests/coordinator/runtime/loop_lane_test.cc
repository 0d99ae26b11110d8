#include "coordinator/runtime/loop_lane.h"

#include <optional>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/runtime/trace.h"

namespace muster::coordinator {
namespace {

using testing::Eq;

TEST(LoopLaneTest, WhatASenderCanRepeatHasNoKey) {
  EXPECT_THAT(LaneKeyOf(ApplyRequested()), Eq(std::nullopt));
  EXPECT_THAT(LaneKeyOf(DeleteRequested()), Eq(std::nullopt));
  EXPECT_THAT(LaneKeyOf(HelloReceived()), Eq(std::nullopt));
  EXPECT_THAT(LaneKeyOf(LeaveReceived()), Eq(std::nullopt));
}

TEST(LoopLaneTest, ReportsOfOneConnectionShareAKey) {
  EXPECT_EQ(LaneKeyOf(ReportOn(5, 8)), LaneKeyOf(ReportOn(5, 9)));
}

TEST(LoopLaneTest, DifferentThingsHaveDifferentKeys) {
  const std::set<std::optional<LaneKey>> keys = {
      LaneKeyOf(ReportOn(5, 8)),
      LaneKeyOf(ReportOn(6, 8)),
      LaneKeyOf(StreamReset{ConnectionId(5)}),
      LaneKeyOf(StreamReset{ConnectionId(6)}),
      LaneKeyOf(StreamCut{ConnectionId(5)}),
      LaneKeyOf(StreamCut{ConnectionId(6)}),
      LaneKeyOf(ExitReported{"wan", "w-1", Incarnation(5), "0"}),
      LaneKeyOf(ExitReported{"wan", "w-1", Incarnation(6), "0"}),
      LaneKeyOf(ExitReported{"wan", "w-2", Incarnation(5), "0"}),
      LaneKeyOf(ExitReported{"lm", "w-1", Incarnation(5), "0"}),
      LaneKeyOf(Journaled{WriteId(5), JournalResult::kWritten}),
      LaneKeyOf(Journaled{WriteId(6), JournalResult::kWritten}),
      LaneKeyOf(Tick()),
  };

  EXPECT_EQ(keys.size(), 13U);
  EXPECT_FALSE(keys.contains(std::nullopt));
}

}  // namespace
}  // namespace muster::coordinator
