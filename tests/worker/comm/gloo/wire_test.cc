#include "worker/comm/gloo/wire.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "worker/comm/gloo/calls.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::span<const std::byte> BytesOfText(const std::string& text) {
  return std::as_bytes(std::span<const char>(text));
}

TEST(WireTest, IdentitySurvivesTheWire) {
  const Identity identity{.job = JobUid(0xfedcba9876543210),
                          .epoch = Epoch(3),
                          .group = 0x123456789abcdef0,
                          .rank = GroupRank(255),
                          .incarnation = Incarnation(0x8000000000000001)};
  EXPECT_EQ(DecodeIdentity(Encode(identity)), identity);
}

TEST(WireTest, FarewellSurvivesTheWire) {
  const Farewell farewell{.reason = FarewellReason::kLost,
                          .suspects = {GroupRank(0), GroupRank(7), GroupRank(8), GroupRank(255)}};
  EXPECT_EQ(DecodeFarewell(Encode(farewell)), farewell);
}

TEST(WireTest, RecordsAreTakenOffOneByOne) {
  Record first{.call = {.sequence = 9,
                        .operation = Operation::kBroadcast,
                        .dtype = DType::kComplex64,
                        .reduce = ReduceOp::kMax,
                        .count = int64_t{1} << 40U,
                        .root = GroupRank(3),
                        .refusal = Refusal::kUnsupported,
                        .counts_hash = 0xfedcba9876543210,
                        .common_hash = 0x0f1e2d3c4b5a6978},
               .payload = "the reason"};
  Record second{.call = {}, .payload = std::string(kInlineBytesMax, 'x')};
  std::string bytes;
  Append(first, &bytes);
  Append(second, &bytes);
  std::span<const std::byte> rest = BytesOfText(bytes);

  const std::optional<Record> one = TakeRecord(&rest);
  const std::optional<Record> two = TakeRecord(&rest);

  ASSERT_TRUE(one.has_value() && two.has_value());
  EXPECT_EQ(one->call, first.call);
  EXPECT_EQ(one->payload, first.payload);
  EXPECT_EQ(two->call, second.call);
  EXPECT_EQ(two->payload, second.payload);
  EXPECT_TRUE(rest.empty());
}

TEST(WireTest, BytesThatAreNoMessageGiveNothing) {
  const std::string garbage(kRecordBytesMax, '\x5a');
  std::span<const std::byte> bytes = BytesOfText(garbage);
  EXPECT_EQ(DecodeIdentity(bytes), std::nullopt);
  EXPECT_EQ(DecodeFarewell(bytes), std::nullopt);
  EXPECT_FALSE(TakeRecord(&bytes).has_value());
  EXPECT_EQ(DecodeIdentity({}), std::nullopt);
  EXPECT_EQ(DecodeFarewell({}), std::nullopt);
}

// Every byte of a good record is changed to every value: nothing may be read beyond its end.
TEST(WireTest, RecordWithAWrongByteIsReadOrNotButNeverBeyondItsEnd) {
  std::string good;
  Append({.call = {}, .payload = "abc"}, &good);
  for (size_t at = 0; at < good.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string bad = good;
      bad[at] = static_cast<char>(value);
      std::span<const std::byte> bytes = BytesOfText(bad);
      const std::optional<Record> record = TakeRecord(&bytes);
      if (record.has_value()) {
        EXPECT_LE(record->payload.size(), 3U);
      }
    }
  }
}

TEST(WireTest, GroupHashIsTheSameEverywhere) {
  EXPECT_EQ(GroupHash(""), 0xcbf29ce484222325U);
  EXPECT_EQ(GroupHash("a"), 0xaf63dc4c8601ec8cU);
}

GroupFacts FourMembers() {
  GroupFacts facts{
      .job = {}, .epoch = Epoch(4), .id = {}, .name = "job/dit.sp#1", .rank = {}, .members = {}};
  for (int r = 0; r < 4; ++r) facts.members.push_back({GlobalRank(4 + r), Incarnation(1)});
  return facts;
}

std::map<GroupRank, Record> SameCalls() {
  std::map<GroupRank, Record> records;
  for (int r = 0; r < 4; ++r) {
    Record record;
    record.call.sequence = 17;
    record.call.operation = Operation::kAllReduce;
    record.call.dtype = DType::kFloat32;
    record.call.count = 8;
    records.emplace(GroupRank(r), record);
  }
  return records;
}

TEST(CallsTest, SameCallsAreFine) {
  EXPECT_THAT(CompareCalls(FourMembers(), "all_reduce #17", SameCalls()), IsOk());
}

TEST(CallsTest, MinorityIsNamedWithWhatBothSidesCalled) {
  auto records = SameCalls();
  records[GroupRank(2)].call.operation = Operation::kAllGather;

  const absl::Status status = CompareCalls(FourMembers(), "all_reduce #17", records);

  EXPECT_EQ(DetailOf(status)->ranks, std::vector<GlobalRank>{GlobalRank(6)});
  EXPECT_EQ(status.message(),
            "all_reduce #17 on group 'job/dit.sp#1' epoch 4: members called different operations: "
            "ranks 4-5, 7 called all_reduce(sum, float32 x 8), rank 6 called "
            "all_gather(float32 x 8)");
}

TEST(CallsTest, RefusalsComeBeforeMismatches) {
  auto records = SameCalls();
  records[GroupRank(1)].call.count = 9;
  records[GroupRank(3)].call.refusal = Refusal::kInvalid;
  records[GroupRank(3)].payload = "output has no memory";

  const absl::Status status = CompareCalls(FourMembers(), "all_reduce #17", records);

  EXPECT_THAT(status, HasKind(ErrorKind::kOperationRefused));
  EXPECT_THAT(DetailOf(status)->ranks, ElementsAre(GlobalRank(7)));
  EXPECT_THAT(std::string(status.message()), HasSubstr("output has no memory"));
}

}  // namespace
}  // namespace muster
