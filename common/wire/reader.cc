#include "common/wire/reader.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "common/base/error_detail.h"
#include "common/base/string_view.h"
#include "common/layout/layout_spec.h"
#include "common/wire/limits.h"
#include "common/wire/text.h"

namespace muster {
namespace {

constexpr int32_t kNanosMax = 999999999;
constexpr size_t kShownBytesMax = 64;

std::string Shown(std::string_view text) {
  return absl::StrCat("'", absl::CHexEscape(ToAbsl(text.substr(0, kShownBytesMax))),
                      text.size() > kShownBytesMax ? "..." : "", "'");
}

}  // namespace

int64_t WireReader::Int64(std::string_view name, int64_t value, int64_t min, int64_t max) {
  if (value >= min && value <= max) return value;
  Refuse(name, absl::StrCat("is ", value, ", want ", min, " to ", max));
  return min;
}

int32_t WireReader::Int32(std::string_view name, int32_t value, int32_t min, int32_t max) {
  return static_cast<int32_t>(Int64(name, value, min, max));
}

int32_t WireReader::RankValue(std::string_view name, int32_t value) {
  return Int32(name, value, 0, kWorldSizeMax - 1);
}

uint64_t WireReader::NonZero(std::string_view name, uint64_t value) {
  if (value == 0) Refuse(name, "is 0, want another number");
  return value;
}

std::string WireReader::Text(std::string_view name, std::string_view value, size_t min,
                             size_t max) {
  if (!IsUtf8(value)) {
    Refuse(name, absl::StrCat("is ", Shown(value), ", want UTF-8"));
    return "";
  }
  return Bytes(name, value, min, max);
}

std::string WireReader::Bytes(std::string_view name, std::string_view value, size_t min,
                              size_t max) {
  if (value.size() >= min && value.size() <= max) return std::string(value);
  Refuse(name, absl::StrCat("has ", value.size(), " bytes, want ", min, " to ", max),
         value.size() > max ? ErrorKind::kLimitExceeded : ErrorKind::kInvalidRequest);
  return "";
}

absl::Duration WireReader::Time(std::string_view name, bool present,
                                const google::protobuf::Duration& value) {
  if (!Present(name, present)) return absl::ZeroDuration();
  // Seconds are checked by themselves, so that their conversion cannot overflow.
  const bool fits = value.seconds() >= 0 && value.nanos() >= 0 && value.nanos() <= kNanosMax &&
                    value.seconds() <= absl::ToInt64Seconds(kWireDurationMax);
  const absl::Duration time =
      fits ? absl::Seconds(value.seconds()) + absl::Nanoseconds(value.nanos())
           : absl::InfiniteDuration();
  if (time <= kWireDurationMax) return time;
  Refuse(name, absl::StrCat("is ", value.seconds(), " s and ", value.nanos(), " ns, want 0 to ",
                            absl::ToInt64Seconds(kWireDurationMax), " s"));
  return absl::ZeroDuration();
}

bool WireReader::Present(std::string_view name, bool present) {
  if (!present) Refuse(name, "is not set, want a value");
  return present;
}

int WireReader::Count(std::string_view name, int size, int max) {
  if (size <= max) return size;
  Refuse(name, absl::StrCat("has ", size, " entries, want at most ", max),
         ErrorKind::kLimitExceeded);
  return 0;
}

void WireReader::Refuse(std::string_view name, std::string_view what, ErrorKind kind) {
  const std::string field = PathTo(name);
  Fail(absl::StatusCode::kInvalidArgument, kind, absl::StrCat(field, " ", ToAbsl(what)),
       absl::StrCat("Correct ", field, "."));
}

void WireReader::Unsupported(std::string_view name, std::string_view value,
                             std::string_view supported) {
  const std::string field = PathTo(name);
  Fail(absl::StatusCode::kUnimplemented, ErrorKind::kUnsupportedMode,
       absl::StrCat(field, " is ", Shown(value), ", which this build does not support, want ",
                    ToAbsl(supported)),
       absl::StrCat("Set ", field, " to ", ToAbsl(supported), "."));
}

std::string WireReader::PathTo(std::string_view name) const {
  std::string path;
  for (const Step& step : path_) {
    absl::StrAppend(&path, ToAbsl(step.name));
    if (step.index != kNoIndex) absl::StrAppend(&path, "[", step.index, "]");
    absl::StrAppend(&path, ".");
  }
  return absl::StrCat(path, ToAbsl(name));
}

void WireReader::Fail(absl::StatusCode code, ErrorKind kind, std::string_view message,
                      std::string_view remedy) {
  if (!status_.ok()) return;
  ErrorDetail detail;
  detail.kind = kind;
  detail.remedy = std::string(remedy);
  status_ = MakeError(code, message, std::move(detail));
}

google::protobuf::Duration WireTime(absl::Duration time) {
  const absl::Duration cut = std::clamp(time, absl::ZeroDuration(), kWireDurationMax);
  google::protobuf::Duration wire;
  wire.set_seconds(absl::ToInt64Seconds(cut));
  wire.set_nanos(static_cast<int32_t>(
      absl::ToInt64Nanoseconds(cut - absl::Seconds(absl::ToInt64Seconds(cut)))));
  return wire;
}

}  // namespace muster
