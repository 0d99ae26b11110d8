#include "worker/comm/gloo/counts.h"

#include <limits>
#include <string>
#include <vector>

#include "common/base/error_detail.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "worker/comm/gloo/calls.h"
#include "worker/comm/gloo/slots.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

GroupFacts Members(int32_t size) {
  GroupFacts facts{
      .job = {}, .epoch = Epoch(4), .id = {}, .name = "job/dit.sp#1", .rank = {}, .members = {}};
  for (int r = 0; r < size; ++r) facts.members.push_back({GlobalRank(4 + r), Incarnation(1)});
  return facts;
}

std::vector<GlobalRank> BlamedBy(const absl::Status& status) {
  return DetailOf(status).value_or(ErrorDetail()).ranks;
}

TEST(CountsTest, CountsSurviveTheWire) {
  const std::vector<int64_t> counts = {0, 1, 256, std::numeric_limits<int64_t>::max()};
  EXPECT_EQ(PackCounts(counts).size(), 32U);
  EXPECT_EQ(UnpackCounts(PackCounts(counts)), counts);
  EXPECT_EQ(UnpackCounts(""), std::vector<int64_t>());
}

TEST(CountsTest, SharesThatDifferNameTheMinorityAndTheFirstPlace) {
  EXPECT_THAT(CompareShares(Members(3), "all_gatherv #2", {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}),
              IsOk());
  const absl::Status status =
      CompareShares(Members(3), "all_gatherv #2", {{1, 2, 3}, {1, 5, 0}, {1, 2, 3}});
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status, HasKind(ErrorKind::kOperationMismatch));
  EXPECT_THAT(BlamedBy(status), ElementsAre(GlobalRank(5)));
  EXPECT_EQ(
      status.message(),
      "all_gatherv #2 on group 'job/dit.sp#1' epoch 4: counts differ between ranks: counts[1] "
      "is 2 on ranks 4, 6, 5 on rank 5");
}

TEST(CountsTest, SharesWithoutAMajorityNameBothSides) {
  EXPECT_THAT(BlamedBy(CompareShares(Members(2), "x", {{1, 2}, {2, 1}})),
              ElementsAre(GlobalRank(4), GlobalRank(5)));
}

TEST(CountsTest, PairsNameWhoeverIsPartOfMostDifferences) {
  const CountsByRank sends = {{0, 1, 2}, {3, 0, 5}, {6, 7, 0}};
  CountsByRank wants = {{0, 3, 6}, {1, 0, 7}, {2, 5, 0}};
  EXPECT_THAT(ComparePairs(Members(3), "x", sends, wants), IsOk());
  wants[1] = {8, 0, 9};
  const absl::Status status = ComparePairs(Members(3), "x", sends, wants);
  EXPECT_THAT(BlamedBy(status), ElementsAre(GlobalRank(5)));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("rank 4 sends 1 elements to rank 5, which wants 8, rank 6 sends 7 elements "
                        "to rank 5, which wants 9"));
}

TEST(CountsTest, WhatARankDoesNotFitToItselfIsItsOwnFault) {
  EXPECT_THAT(BlamedBy(ComparePairs(Members(2), "x", {{1, 2}, {3, 4}}, {{5, 3}, {2, 4}})),
              ElementsAre(GlobalRank(4)));
}

// Calls that are not compared must not meet if anything in them differs.
TEST(SlotsTest, UncheckedCallsThatDifferHaveDifferentSlots) {
  const OperationCall call{.operation = Operation::kReduceScatterV,
                           .input = {nullptr, 8, DType::kFloat32},
                           .reduce = ReduceOp::kSum,
                           .counts = {4, 4}};
  const auto slot_of = [](const OperationCall& other, uint64_t sequence) {
    Call header = HeaderOf(other);
    header.sequence = sequence;
    return UncheckedSlot(header);
  };
  const uint64_t slot = slot_of(call, 5);
  EXPECT_EQ(slot_of(call, 5), slot);
  EXPECT_NE(slot_of(call, 6), slot);
  OperationCall other = call;
  other.counts = {5, 3};
  EXPECT_NE(slot_of(other, 5), slot);
  other = call;
  other.reduce = ReduceOp::kMax;
  EXPECT_NE(slot_of(other, 5), slot);
  other = call;
  other.input.dtype = DType::kInt32;
  EXPECT_NE(slot_of(other, 5), slot);
  other = call;
  other.input.count = 9;
  EXPECT_NE(slot_of(other, 5), slot);
  other = call;
  other.operation = Operation::kAllReduce;
  EXPECT_NE(slot_of(other, 5), slot);
}

TEST(SlotsTest, SendAndRecvOfOneMessageMeet) {
  const Call send = HeaderOf({.operation = Operation::kSend, .input = {nullptr, 8, DType::kInt8}});
  Call recv = HeaderOf({.operation = Operation::kRecv, .output = {nullptr, 8, DType::kInt8}});
  EXPECT_EQ(UncheckedMessageSlot(send, true), UncheckedMessageSlot(recv, true));
  EXPECT_NE(UncheckedMessageSlot(send, true), UncheckedMessageSlot(recv, false));
  recv.count = 9;
  EXPECT_NE(UncheckedMessageSlot(send, true), UncheckedMessageSlot(recv, true));
}

}  // namespace
}  // namespace muster
