#include "coordinator/core/verdict.h"

#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster::coordinator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kReduce[] = "all_reduce sum float32 x1024";
constexpr char kGather[] = "all_gather float32 x7";

// A member whose newest calls are `calls`, the first of them as number `first`; all ended well but
// for the last one, which is as `last` says.
Witness Told(int32_t rank, std::vector<std::string> calls, uint64_t first = 1,
             OperationState last = OperationState::kRunning) {
  Witness witness{GlobalRank(rank), "w" + std::to_string(rank), std::vector<OperationRecord>(),
                  absl::ZeroDuration()};
  for (size_t i = 0; i < calls.size(); ++i) {
    const bool newest = i + 1 == calls.size();
    witness.records->push_back({first + i, calls[i], newest ? last : OperationState::kDone,
                                absl::Seconds(static_cast<int64_t>(calls.size() - i))});
  }
  return witness;
}

Witness Mute(int32_t rank) {
  return {GlobalRank(rank), "w" + std::to_string(rank), std::nullopt, absl::Seconds(9)};
}

TEST(VerdictTest, AllDoneNeedsNone) {
  EXPECT_FALSE(Judge("dit.sp#0", {}).has_value());
  EXPECT_FALSE(Judge("dit.sp#0", {Told(4, {kReduce}, 1, OperationState::kDone),
                                  Told(6, {kReduce}, 1, OperationState::kDone)})
                   .has_value());
}

TEST(VerdictTest, WhoCalledSomethingElseThanMostIsNamed) {
  const auto verdict =
      Judge("dit.sp#0", {Told(4, {kReduce, kReduce}, 16), Told(6, {kReduce, kGather}, 16),
                         Told(8, {kReduce, kReduce}, 16)});
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->kind, VerdictKind::kDiverged);
  EXPECT_EQ(verdict->sequence, 17U);
  EXPECT_THAT(verdict->ranks, ElementsAre(GlobalRank(6)));
  EXPECT_EQ(verdict->text,
            "as #17 rank 6 called all_gather float32 x7, the others (ranks 4, 8) all_reduce sum "
            "float32 x1024");
}

TEST(VerdictTest, WithoutMajorityBothSidesAreNamed) {
  const auto verdict = Judge("dit.sp#0", {Told(1, {kReduce}), Told(3, {kGather})});
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->kind, VerdictKind::kDiverged);
  EXPECT_THAT(verdict->ranks, ElementsAre(GlobalRank(1), GlobalRank(3)));
}

TEST(VerdictTest, FirstDivergenceCountsNotTheNewest) {
  const auto verdict =
      Judge("g", {Told(0, {kReduce, kGather, kReduce}, 5), Told(1, {kReduce, kReduce, kGather}, 5),
                  Told(2, {kReduce, kReduce, kGather}, 5)});
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->sequence, 6U);
  EXPECT_THAT(verdict->ranks, ElementsAre(GlobalRank(0)));
}

TEST(VerdictTest, WhoHasNotCalledIsNamedWithItsLastCall) {
  const auto verdict = Judge("g", {Told(0, {kGather, kReduce}, 16), Told(1, {kGather, kReduce}, 16),
                                   Told(2, {kGather}, 16, OperationState::kDone)});
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->kind, VerdictKind::kNotCalled);
  EXPECT_EQ(verdict->sequence, 17U);
  EXPECT_THAT(verdict->ranks, ElementsAre(GlobalRank(2)));
  EXPECT_EQ(verdict->text,
            "ranks 0-1 wait in #17 all_reduce sum float32 x1024, which rank 2 has not called; the "
            "last call of rank 2 was #16 all_gather float32 x7, 1s ago");
}

TEST(VerdictTest, WhoCalledNothingAtAllIsNamed) {
  const auto verdict = Judge("g", {Told(0, {kReduce}), Told(1, {})});
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->kind, VerdictKind::kNotCalled);
  EXPECT_THAT(verdict->text, HasSubstr("it has called nothing on this group"));
}

TEST(VerdictTest, WhoDoesNotTellIsNamedWithItsSilence) {
  const auto verdict = Judge("g", {Told(0, {kReduce}), Mute(1), Told(2, {kReduce})});
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->kind, VerdictKind::kUntold);
  EXPECT_THAT(verdict->ranks, ElementsAre(GlobalRank(1)));
  EXPECT_THAT(verdict->text, HasSubstr("rank 1 (w1, last heard 9s ago)"));
}

TEST(VerdictTest, AllInTheSameCallBlamesNobody) {
  const auto verdict = Judge("g", {Told(0, {kReduce}), Told(1, {kReduce})});
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->kind, VerdictKind::kInside);
  EXPECT_THAT(verdict->ranks, IsEmpty());
}

TEST(VerdictTest, WhatIsForgottenByOneMemberIsNotHeldAgainstIt) {
  const auto verdict = Judge("g", {Told(0, {kReduce, kReduce, kReduce}, 1), Told(1, {kReduce}, 3)});
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->kind, VerdictKind::kInside);
  EXPECT_EQ(verdict->sequence, 3U);
}

}  // namespace
}  // namespace muster::coordinator
