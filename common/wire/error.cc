#include "common/wire/error.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "common/base/string_view.h"
#include "common/wire/limits.h"
#include "common/wire/reader.h"
#include "common/wire/text.h"
#include "google/protobuf/repeated_ptr_field.h"

namespace muster {
namespace {

using Names = google::protobuf::RepeatedPtrField<std::string>;

void WriteRanks(const std::vector<GlobalRank>& ranks, v1::ErrorDetail& wire) {
  v1::RankRange* run = nullptr;
  for (const GlobalRank rank : ranks) {
    if (run != nullptr && int64_t{run->first()} + run->count() == rank.value) {
      run->set_count(run->count() + 1);
      continue;
    }
    run = wire.add_ranks();
    run->set_first(rank.value);
    run->set_count(1);
  }
}

void ReadRanks(WireReader& reader, const v1::ErrorDetail& wire, std::vector<GlobalRank>& ranks) {
  for (int i = 0; i < wire.ranks_size(); ++i) {
    const WireReader::Scope scope(reader, "ranks", i);
    const int32_t first = wire.ranks(i).first();
    const int64_t room = std::min(static_cast<int64_t>(kErrorListMax - ranks.size()),
                                  int64_t{std::numeric_limits<int32_t>::max()} - first + 1);
    const int64_t count = reader.Int64("count", wire.ranks(i).count(), 1, room);
    if (!reader.ok()) return;
    for (int64_t place = 0; place < count; ++place) {
      ranks.emplace_back(static_cast<int32_t>(first + place));
    }
  }
}

void ReadNames(WireReader& reader, std::string_view name, const Names& wire,
               std::vector<std::string>& names) {
  const int count = reader.Count(name, wire.size(), int{kErrorListMax});
  for (int i = 0; i < count; ++i) {
    names.push_back(reader.Text(name, wire[i], 0, kErrorNameMaxBytes));
  }
}

// Takes entries from the end of `list` until `wire`, which it is part of, fits or it is empty.
template <typename Entry>
void Shorten(google::protobuf::RepeatedPtrField<Entry>& list, const v1::ErrorDetail& wire) {
  while (!list.empty() && wire.ByteSizeLong() > kErrorDetailBytesMax) {
    const auto excess = wire.ByteSizeLong() - kErrorDetailBytesMax;
    size_t taken = 0;
    // An entry costs its bytes, a tag and a length, each of a byte or two.
    while (!list.empty() && taken < excess) {
      size_t bytes = 0;
      if constexpr (std::is_same_v<Entry, std::string>) {
        bytes = list[list.size() - 1].size();
      } else {
        bytes = list[list.size() - 1].ByteSizeLong();
      }
      taken += bytes + 2;
      list.RemoveLast();
    }
  }
}

}  // namespace

v1::ErrorDetail ToProto(const ErrorDetail& detail) {
  v1::ErrorDetail wire;
  wire.set_kind(std::string(KindName(detail.kind)));
  wire.set_job(FitText(detail.job, kErrorNameMaxBytes));
  wire.set_group(FitText(detail.group, kErrorNameMaxBytes));
  wire.set_epoch(detail.epoch.value);
  WriteRanks(detail.ranks, wire);
  for (const std::string& worker : detail.workers) {
    wire.add_workers(FitText(worker, kErrorNameMaxBytes));
  }
  for (const std::string& host : detail.hosts) wire.add_hosts(FitText(host, kErrorNameMaxBytes));
  wire.set_remedy(FitText(detail.remedy, kErrorMessageMaxBytes));
  return wire;
}

absl::StatusOr<ErrorDetail> FromProto(const v1::ErrorDetail& wire) {
  WireReader reader("detail");
  ErrorDetail detail;
  detail.kind = ParseKind(reader.Text("kind", wire.kind(), 0, kErrorKindBytesMax))
                    .value_or(ErrorKind::kUnknown);
  detail.job = reader.Text("job", wire.job(), 0, kErrorNameMaxBytes);
  detail.group = reader.Text("group", wire.group(), 0, kErrorNameMaxBytes);
  detail.epoch = reader.Counter<Epoch>("epoch", wire.epoch(), 0);
  ReadRanks(reader, wire, detail.ranks);
  ReadNames(reader, "workers", wire.workers(), detail.workers);
  ReadNames(reader, "hosts", wire.hosts(), detail.hosts);
  detail.remedy = reader.Text("remedy", wire.remedy(), 0, kErrorMessageMaxBytes);
  return reader.Finish(std::move(detail));
}

std::string EncodeStatusDetails(const absl::Status& status) {
  const std::optional<ErrorDetail> detail = DetailOf(status);
  if (!detail.has_value()) return "";
  v1::ErrorDetail wire = ToProto(*detail);
  Shorten(*wire.mutable_hosts(), wire);
  Shorten(*wire.mutable_workers(), wire);
  Shorten(*wire.mutable_ranks(), wire);
  return wire.SerializeAsString();
}

absl::Status DecodeStatus(int code, std::string_view message, std::string_view details) {
  if (code == 0) return absl::OkStatus();
  const bool known = code > 0 && code <= static_cast<int>(absl::StatusCode::kUnauthenticated);
  const auto absl_code = known ? static_cast<absl::StatusCode>(code) : absl::StatusCode::kUnknown;
  v1::ErrorDetail wire;
  if (!details.empty() && details.size() <= kErrorDetailBytesMax &&
      wire.ParseFromArray(details.data(), static_cast<int>(details.size()))) {
    absl::StatusOr<ErrorDetail> detail = FromProto(wire);
    if (detail.ok()) return MakeError(absl_code, message, *std::move(detail));
  }
  return absl::Status(absl_code, ToAbsl(message));
}

}  // namespace muster
