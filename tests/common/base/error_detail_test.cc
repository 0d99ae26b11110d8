#include "common/base/error_detail.h"

#include <limits>
#include <set>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using absl::StatusCode;
using testing::EndsWith;
using testing::Optional;
using testing::SizeIs;

std::vector<GlobalRank> Ranks(std::initializer_list<int32_t> values) {
  std::vector<GlobalRank> ranks;
  for (const int32_t value : values) ranks.push_back(GlobalRank(value));
  return ranks;
}

ErrorDetail FullDetail() {
  return {.kind = ErrorKind::kDeadlineExceeded,
          .job = "train",
          .group = "train/dit.tp#1",
          .epoch = Epoch(4),
          .ranks = Ranks({5, 6, 9}),
          .workers = {"w-51", "w-7f", "w-80"},
          .hosts = {"gpu-2", "gpu-3"},
          .remedy = "Look first at the log of w-51."};
}

TEST(ErrorKindTest, EveryKindHasItsOwnNameAndIsFoundByIt) {
  std::set<std::string_view> names;
  for (const ErrorKind kind : AllKinds()) {
    EXPECT_THAT(KindName(kind), testing::MatchesRegex("[a-z]+(_[a-z]+)*"));
    EXPECT_THAT(ParseKind(KindName(kind)), Optional(kind));
    names.insert(KindName(kind));
  }
  EXPECT_EQ(names.size(), AllKinds().size());
}

TEST(ErrorKindTest, NamesAreWhatTheirKindsSay) {
  EXPECT_EQ(KindName(ErrorKind::kUnknown), "unknown");
  EXPECT_EQ(KindName(ErrorKind::kStaleEpoch), "stale_epoch");
  EXPECT_EQ(KindName(ErrorKind::kOptimizerInstancesNotDivisorExpert),
            "optimizer_instances_not_divisor_expert");
  EXPECT_EQ(KindName(ErrorKind::kConfigInvalid), "config_invalid");
}

TEST(ErrorKindTest, OtherNamesAreNoKinds) {
  for (const std::string_view name : {"", "Stale_epoch", "stale_epoch ", "stale", "no_such_kind"}) {
    EXPECT_EQ(ParseKind(name), std::nullopt) << name;
  }
}

TEST(ErrorKindTest, ANumberThatIsNoKindHasTheNameOfUnknown) {
  EXPECT_EQ(KindName(static_cast<ErrorKind>(-1)), "unknown");
  EXPECT_EQ(KindName(static_cast<ErrorKind>(100000)), "unknown");
}

TEST(ErrorDetailTest, AStatusKeepsCodeMessageAndDetail) {
  const absl::Status status =
      MakeError(StatusCode::kDeadlineExceeded, "2 of 4 ranks did not join", FullDetail());

  EXPECT_THAT(status, StatusIs(StatusCode::kDeadlineExceeded, "2 of 4 ranks did not join"));
  EXPECT_THAT(DetailOf(status), Optional(FullDetail()));
}

TEST(ErrorDetailTest, AStatusOfAnotherMakingHasNoDetail) {
  EXPECT_EQ(DetailOf(absl::OkStatus()), std::nullopt);
  EXPECT_EQ(DetailOf(absl::NotFoundError("no job 'wan'")), std::nullopt);
}

TEST(ErrorDetailTest, StatusesWithDifferentDetailsDiffer) {
  ErrorDetail other = FullDetail();
  other.epoch = Epoch(5);

  EXPECT_EQ(MakeError(StatusCode::kAborted, "same text", FullDetail()),
            MakeError(StatusCode::kAborted, "same text", FullDetail()));
  EXPECT_NE(MakeError(StatusCode::kAborted, "same text", FullDetail()),
            MakeError(StatusCode::kAborted, "same text", other));
}

TEST(ErrorDetailTest, AMessageAtTheLimitStaysAndALongerOneIsCut) {
  const std::string fits(kErrorMessageMaxBytes, 'm');

  EXPECT_EQ(MakeError(StatusCode::kInternal, fits, {}).message(), fits);
  EXPECT_EQ(MakeError(StatusCode::kInternal, fits + "n", {}).message(),
            std::string(kErrorMessageMaxBytes - 3, 'm') + "...");
}

TEST(ErrorDetailTest, ACutNeverLeavesAPartOfALetter) {
  // Four bytes each, so that the cut falls into one for every start but one.
  for (size_t start = 0; start < 4; ++start) {
    std::string text(start, 'x');
    while (text.size() <= kErrorMessageMaxBytes) text += "\xF0\x9F\x90\xA6";

    std::string cut(MakeError(StatusCode::kInternal, text, {}).message());

    ASSERT_THAT(cut, EndsWith("..."));
    EXPECT_LE(cut.size(), kErrorMessageMaxBytes);
    EXPECT_GT(cut.size(), kErrorMessageMaxBytes - 4);
    EXPECT_EQ((cut.size() - 3 - start) % 4, 0u) << start;
  }
}

TEST(ErrorDetailTest, NamesListsAndTheRemedyAreCutToTheirLimits) {
  ErrorDetail detail;
  detail.job = std::string(kErrorNameMaxBytes + 1, 'j');
  detail.group = std::string(kErrorNameMaxBytes + 1, 'g');
  detail.remedy = std::string(kErrorMessageMaxBytes + 1, 'r');
  for (size_t i = 0; i <= kErrorListMax; ++i) {
    detail.ranks.push_back(GlobalRank(static_cast<int32_t>(2 * i)));
    detail.workers.push_back("w-" + std::to_string(i));
    detail.hosts.push_back("gpu-" + std::to_string(i));
  }
  detail.workers[1] = std::string(kErrorNameMaxBytes + 1, 'w');

  const std::optional<ErrorDetail> kept = DetailOf(MakeError(StatusCode::kInternal, "", detail));

  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(kept->job, std::string(kErrorNameMaxBytes - 3, 'j') + "...");
  EXPECT_EQ(kept->group, std::string(kErrorNameMaxBytes - 3, 'g') + "...");
  EXPECT_EQ(kept->remedy, std::string(kErrorMessageMaxBytes - 3, 'r') + "...");
  EXPECT_EQ(kept->workers[1], std::string(kErrorNameMaxBytes - 3, 'w') + "...");
  EXPECT_THAT(kept->ranks, SizeIs(kErrorListMax));
  EXPECT_THAT(kept->workers, SizeIs(kErrorListMax));
  EXPECT_THAT(kept->hosts, SizeIs(kErrorListMax));
  EXPECT_EQ(kept->hosts.back(), "gpu-16383");
}

TEST(ErrorDetailDeathTest, AnErrorThatIsOkEndsTheProcess) {
  EXPECT_DEATH(MakeError(StatusCode::kOk, "", {}).IgnoreError(), "needs an error code");
}

// --- The bytes -----------------------------------------------------------------------------------

TEST(DetailBytesTest, AnyRowOfRanksComesBackAsItWas) {
  constexpr int32_t kLowest = std::numeric_limits<int32_t>::min();
  constexpr int32_t kHighest = std::numeric_limits<int32_t>::max();
  const std::vector<std::vector<GlobalRank>> rows = {
      Ranks({}),
      Ranks({0}),
      Ranks({7, 6, 5}),
      Ranks({3, 3, 4, 4, 5}),
      Ranks({0, 1, 2, 3, 9, 10, 1}),
      Ranks({kHighest - 1, kHighest, kLowest, kLowest + 1, -1, 0, 1}),
  };
  for (const std::vector<GlobalRank>& row : rows) {
    ErrorDetail detail;
    detail.ranks = row;
    EXPECT_THAT(DecodeDetail(EncodeDetail(detail)), Optional(detail));
  }
}

TEST(DetailBytesTest, EveryKindAndTheEndsOfTheEpochComeBack) {
  for (const ErrorKind kind : AllKinds()) {
    for (const int64_t epoch : {std::numeric_limits<int64_t>::min(), int64_t{-1}, int64_t{0},
                                int64_t{63}, int64_t{64}, std::numeric_limits<int64_t>::max()}) {
      const ErrorDetail detail = {.kind = kind, .epoch = Epoch(epoch)};
      EXPECT_THAT(DecodeDetail(EncodeDetail(detail)), Optional(detail));
    }
  }
}

TEST(DetailBytesTest, ARunOfRanksTakesAFewBytes) {
  ErrorDetail detail;
  for (int32_t r = 0; r < 10000; ++r) detail.ranks.push_back(GlobalRank(r));

  EXPECT_LT(EncodeDetail(detail).size(), 40u);
}

TEST(DetailBytesTest, AKindThisBuildDoesNotKnowIsUnknown) {
  std::string bytes = EncodeDetail({.kind = ErrorKind::kJobFull, .job = "wan"});
  const size_t at = bytes.find("job_full");
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 8, "job_fuel");

  const ErrorDetail expected = {.kind = ErrorKind::kUnknown, .job = "wan"};
  EXPECT_THAT(DecodeDetail(bytes), Optional(expected));
}

TEST(DetailBytesTest, EveryPrefixIsRefused) {
  const std::string bytes = EncodeDetail(FullDetail());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(DecodeDetail(std::string_view(bytes).substr(0, size)), std::nullopt) << size;
  }
}

TEST(DetailBytesTest, LeftoversAndOtherFormatsAreRefused) {
  std::string bytes = EncodeDetail(FullDetail());
  EXPECT_EQ(DecodeDetail(bytes + '\0'), std::nullopt);
  bytes[0] = 2;
  EXPECT_EQ(DecodeDetail(bytes), std::nullopt);
}

// The bytes up to where the ranks begin: format, kind, job, group and epoch, all empty or 0.
std::string UpToRanks() { return std::string("\x01\x00\x00\x00\x00", 5); }

TEST(DetailBytesTest, HostileCountsAreRefused) {
  const std::string huge = "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01";
  const std::string overlong = "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02";
  const std::string endless(11, '\xFF');
  const std::string zeros(8, '\0');
  for (const std::string& count : {huge, overlong, endless}) {
    EXPECT_EQ(DecodeDetail("\x01" + count + zeros), std::nullopt);       // length of the kind
    EXPECT_EQ(DecodeDetail(UpToRanks() + count + zeros), std::nullopt);  // number of ranks
    EXPECT_EQ(DecodeDetail(UpToRanks() + '\0' + count + zeros), std::nullopt);  // of workers
  }
}

TEST(DetailBytesTest, ANumberBeyondItsBitsIsRefused) {
  const std::string no_names("\x01\x00\x00\x00", 4);  // Format, kind, job, group.
  const std::string no_lists(4, '\0');                // Ranks, workers, hosts, remedy.
  const std::string nine(9, '\xFF');

  EXPECT_TRUE(DecodeDetail(no_names + nine + '\x01' + no_lists).has_value());
  EXPECT_EQ(DecodeDetail(no_names + nine + '\x02' + no_lists), std::nullopt);
}

TEST(DetailBytesTest, RunsOfRanksMustFillTheirCountWithinTheType) {
  const std::string rest("\x00\x00\x00", 3);  // No workers, no hosts, no remedy.
  const std::string highest = "\xFE\xFF\xFF\xFF\x0F";
  const auto decode = [&rest](const std::string& ranks) {
    return DecodeDetail(UpToRanks() + ranks + rest);
  };

  EXPECT_TRUE(decode("\x02\x08\x02").has_value());
  EXPECT_TRUE(decode("\x01" + highest + "\x01").has_value());
  EXPECT_EQ(decode("\x02" + highest + "\x02"), std::nullopt);       // Past the highest rank.
  EXPECT_EQ(decode("\x02\x08\x03"), std::nullopt);                  // More than the count.
  EXPECT_EQ(decode(std::string("\x02\x08\x00", 3)), std::nullopt);  // An empty run.
  EXPECT_EQ(decode("\x81\x80\x01\x08\x81\x80\x01"), std::nullopt);  // 16385 ranks.
  EXPECT_EQ(decode("\x01\x80\x80\x80\x80\x10\x01"), std::nullopt);  // One above the type.
}

// What comes out of any bytes at all goes in again unchanged.
void ExpectReadsBack(const std::string& bytes) {
  const std::optional<ErrorDetail> detail = DecodeDetail(bytes);
  if (detail.has_value()) {
    EXPECT_THAT(DecodeDetail(EncodeDetail(*detail)), Optional(*detail));
  }
}

TEST(DetailBytesTest, DamagedBytesGiveADetailOrNothing) {
  const std::string whole = EncodeDetail(FullDetail());
  Random random(20);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = whole;
    for (uint64_t damage = 1 + random.Uniform(3); damage > 0; --damage) {
      const size_t at = random.Uniform(bytes.size());
      bytes[at] = static_cast<char>(random.Uniform(256));
      if (random.Chance(10)) bytes.erase(at, random.Uniform(4));
      if (random.Chance(10)) bytes.insert(at, random.Uniform(4), '\x7F');
      if (bytes.empty()) break;
    }
    ExpectReadsBack(bytes);
  }
}

TEST(DetailBytesTest, RandomBytesGiveADetailOrNothing) {
  Random random(21);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = "\x01";
    for (uint64_t i = random.Uniform(40); i > 0; --i) {
      // Mostly small numbers, which get further than others.
      const uint64_t most = random.Chance(80) ? 4 : 256;
      bytes.push_back(static_cast<char>(random.Uniform(most)));
    }
    ExpectReadsBack(bytes);
  }
}

TEST(DetailBytesTest, AStatusWithADamagedDetailHasNone) {
  absl::Status status = MakeError(StatusCode::kInternal, "", FullDetail());
  int payloads = 0;
  status.ForEachPayload([&payloads](absl::string_view, const absl::Cord&) { ++payloads; });
  ASSERT_EQ(payloads, 1);
  absl::Status damaged = status;
  status.ForEachPayload([&damaged](absl::string_view url, const absl::Cord& bytes) {
    damaged.SetPayload(url, bytes.Subcord(0, bytes.size() - 1));
  });

  EXPECT_EQ(DetailOf(damaged), std::nullopt);
}

}  // namespace
}  // namespace muster
