#include "common/wire/error.h"

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/wire/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/common/wire/random_values.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using absl::StatusCode;
using testing::HasSubstr;
using testing::SizeIs;

TEST(WireErrorTest, DetailsSurviveTheWire) {
  Random random(41);
  for (int i = 0; i < 1000; ++i) {
    const ErrorDetail detail = RandomErrorDetail(random);
    v1::ErrorDetail wire;
    ASSERT_TRUE(wire.ParseFromString(ToProto(detail).SerializeAsString()));
    ASSERT_THAT(FromProto(wire), IsOkAndHolds(detail)) << "value " << i;
  }
}

TEST(WireErrorTest, ConsecutiveRanksAreOneRange) {
  ErrorDetail detail;
  for (const int32_t rank : {7, 8, 9, 3, 5, 6}) detail.ranks.emplace_back(rank);

  const v1::ErrorDetail wire = ToProto(detail);

  ASSERT_EQ(wire.ranks_size(), 3);
  EXPECT_EQ(wire.ranks(0).first(), 7);
  EXPECT_EQ(wire.ranks(0).count(), 3);
  EXPECT_EQ(wire.ranks(2).first(), 5);
  EXPECT_EQ(wire.ranks(2).count(), 2);
}

TEST(WireErrorTest, StatusSurvivesTheWire) {
  ErrorDetail detail;
  detail.kind = ErrorKind::kMemberLost;
  detail.job = "wan";
  detail.ranks = {GlobalRank(5)};
  const absl::Status status = MakeError(StatusCode::kUnavailable, "rank 5 was lost", detail);

  const absl::Status read =
      DecodeStatus(static_cast<int>(status.code()), "rank 5 was lost", EncodeStatusDetails(status));

  EXPECT_EQ(read, status);
  EXPECT_EQ(DetailOf(read), detail);
}

TEST(WireErrorTest, StatusWithoutDetailHasNone) {
  const absl::Status status = absl::NotFoundError("no job");
  EXPECT_EQ(EncodeStatusDetails(status), "");
  EXPECT_EQ(DecodeStatus(5, "no job", ""), status);
  EXPECT_EQ(EncodeStatusDetails(absl::OkStatus()), "");
}

TEST(WireErrorTest, EveryCodeSurvivesAndOthersAreUnknown) {
  EXPECT_THAT(DecodeStatus(0, "ignored", "ignored"), IsOk());
  for (int code = 1; code <= 16; ++code) {
    EXPECT_EQ(static_cast<int>(DecodeStatus(code, "m", "").code()), code);
  }
  for (const int code : {-1, 17, 99, std::numeric_limits<int>::max()}) {
    EXPECT_THAT(DecodeStatus(code, "m", ""), StatusIs(StatusCode::kUnknown, HasSubstr("m")));
  }
}

TEST(WireErrorTest, DetailsThatCannotBeReadLeaveCodeAndMessage) {
  v1::ErrorDetail bad;
  bad.set_epoch(-1);
  for (const std::string& details :
       {std::string("\xff\xff\xff"), bad.SerializeAsString(), std::string(4000, '\0')}) {
    const absl::Status status = DecodeStatus(14, "gone", details);
    EXPECT_THAT(status, StatusIs(StatusCode::kUnavailable, HasSubstr("gone")));
    EXPECT_EQ(DetailOf(status), std::nullopt);
  }
}

TEST(WireErrorTest, KindOfANewerPeerIsUnknown) {
  v1::ErrorDetail wire;
  wire.set_kind("not_yet_invented");
  wire.set_job("wan");
  const absl::StatusOr<ErrorDetail> detail = FromProto(wire);
  ASSERT_THAT(detail, IsOk());
  EXPECT_EQ(detail->kind, ErrorKind::kUnknown);
  EXPECT_EQ(detail->job, "wan");
}

// As many as an error carries; each rank is a range of its own.
ErrorDetail HugeDetail() {
  ErrorDetail detail;
  detail.kind = ErrorKind::kDeadlineExceeded;
  detail.remedy = "Look at host-0.";
  for (int i = 0; i < 10000; ++i) {
    detail.ranks.emplace_back(2 * i);
    detail.workers.push_back(absl::StrCat("worker-", i));
    detail.hosts.push_back(absl::StrCat("host-", i));
  }
  return detail;
}

TEST(WireErrorTest, LongListsLoseTheirTails) {
  const absl::Status status = MakeError(StatusCode::kDeadlineExceeded, "late", HugeDetail());

  const std::string details = EncodeStatusDetails(status);

  EXPECT_LE(details.size(), kErrorDetailBytesMax);
  EXPECT_GT(details.size(), kErrorDetailBytesMax - 300);
  const std::optional<ErrorDetail> read = DetailOf(DecodeStatus(4, "late", details));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->kind, ErrorKind::kDeadlineExceeded);
  EXPECT_EQ(read->remedy, "Look at host-0.");
  EXPECT_THAT(read->hosts, SizeIs(0));
  EXPECT_THAT(read->workers, SizeIs(0));
  ASSERT_GT(read->ranks.size(), 300u);
  EXPECT_EQ(read->ranks[300], GlobalRank(600));
}

TEST(WireErrorTest, HostsGoBeforeWorkersAndWorkersBeforeRanks) {
  ErrorDetail detail = HugeDetail();
  detail.ranks.resize(50);
  detail.workers.resize(100);
  const absl::Status status = MakeError(StatusCode::kDeadlineExceeded, "late", detail);

  const std::optional<ErrorDetail> read =
      DetailOf(DecodeStatus(4, "late", EncodeStatusDetails(status)));

  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->ranks, detail.ranks);
  EXPECT_EQ(read->workers, detail.workers);
  EXPECT_GT(read->hosts.size(), 50u);
  EXPECT_LT(read->hosts.size(), 300u);
}

TEST(WireErrorTest, TenThousandConsecutiveRanksAreAllKept) {
  ErrorDetail detail = HugeDetail();
  for (int32_t i = 0; i < 10000; ++i) detail.ranks[static_cast<size_t>(i)] = GlobalRank(i);
  const absl::Status status = MakeError(StatusCode::kDeadlineExceeded, "late", detail);

  const std::optional<ErrorDetail> read =
      DetailOf(DecodeStatus(4, "late", EncodeStatusDetails(status)));

  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->ranks, detail.ranks);
}

TEST(WireErrorTest, HostileDetailsAreRefusedByField) {
  v1::ErrorDetail wire;
  wire.add_ranks()->set_count(0);
  EXPECT_THAT(FromProto(wire), StatusIs(StatusCode::kInvalidArgument, HasSubstr("ranks[0].count")));
  wire.mutable_ranks(0)->set_count(std::numeric_limits<int32_t>::max());
  EXPECT_THAT(FromProto(wire), StatusIs(StatusCode::kInvalidArgument, HasSubstr("ranks[0].count")));
  wire.mutable_ranks(0)->set_first(std::numeric_limits<int32_t>::max());
  wire.mutable_ranks(0)->set_count(2);
  EXPECT_THAT(FromProto(wire), StatusIs(StatusCode::kInvalidArgument, HasSubstr("ranks[0].count")));
  wire.mutable_ranks(0)->set_count(1);
  EXPECT_THAT(FromProto(wire), IsOk());
  wire.set_kind(std::string(64, 'k'));
  EXPECT_THAT(FromProto(wire), StatusIs(StatusCode::kInvalidArgument, HasSubstr("detail.kind")));
  wire.clear_kind();
  wire.add_hosts(std::string(257, 'h'));
  EXPECT_THAT(FromProto(wire), StatusIs(StatusCode::kInvalidArgument, HasSubstr("detail.hosts")));
}

}  // namespace
}  // namespace muster
