#ifndef MUSTER_COMMON_WIRE_READER_H_
#define MUSTER_COMMON_WIRE_READER_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/base/error_kind.h"
#include "common/base/ids.h"
#include "google/protobuf/duration.pb.h"

namespace muster {

// Holds the fields of a message that came from elsewhere to their ranges, and remembers the first
// one that breaks its own.
//
// Each method gives the value of a field, or some harmless value if it is refused; the caller reads
// on and asks Finish() or ok() at the end. Errors are kInvalidArgument with an ErrorDetail; they
// name the field as a path, say what it is and what was wanted: "report.holdings[1].epoch is -3,
// want 1 to 9223372036854775807". Field names must outlive the reader; literals do.
class WireReader {
 public:
  // `root` is what paths begin with.
  explicit WireReader(std::string_view root) : path_{{root, kNoIndex}} {}

  WireReader(const WireReader&) = delete;
  WireReader& operator=(const WireReader&) = delete;

  // While it lives, fields are those of the message in field `name`, or in its entry `index`.
  class Scope {
   public:
    Scope(WireReader& reader, std::string_view name, int index = kNoIndex) : reader_(reader) {
      reader_.path_.push_back({name, index});
    }
    ~Scope() { reader_.path_.pop_back(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    WireReader& reader_;
  };

  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }

  // `value` if nothing was refused, else the error.
  template <typename T>
  absl::StatusOr<T> Finish(T value) const {
    if (!ok()) return status_;
    return value;
  }

  // Within [min, max].
  int64_t Int64(std::string_view name, int64_t value, int64_t min,
                int64_t max = std::numeric_limits<int64_t>::max());
  int32_t Int32(std::string_view name, int32_t value, int32_t min,
                int32_t max = std::numeric_limits<int32_t>::max());

  // A counter as a tagged id: `min` or more.
  template <typename Id>
  Id Counter(std::string_view name, int64_t value, int64_t min) {
    return Id(Int64(name, value, min));
  }

  // A rank as a tagged id: from 0 to below the largest world.
  template <typename Id>
  Id Rank(std::string_view name, int32_t value) {
    return Id(RankValue(name, value));
  }

  // Not 0.
  uint64_t NonZero(std::string_view name, uint64_t value);

  // UTF-8 of `min` to `max` bytes.
  std::string Text(std::string_view name, std::string_view value, size_t min, size_t max);

  // `min` to `max` bytes of any kind.
  std::string Bytes(std::string_view name, std::string_view value, size_t min, size_t max);

  // From 0 to kWireDurationMax. Refused if it is not `present`.
  absl::Duration Time(std::string_view name, bool present, const google::protobuf::Duration& value);

  // Whether a field that must be set is set.
  bool Present(std::string_view name, bool present);

  // Number of entries to read of a list of `size`: all of them, or none if they are more than
  // `max`.
  int Count(std::string_view name, int size, int max);

  // The value that `table` pairs with the enum number `value`.
  template <typename Wire, typename Core>
  Core Enum(std::string_view name, int value, std::span<const std::pair<Wire, Core>> table) {
    for (const auto& [wire, core] : table) {
      if (static_cast<int>(wire) == value) return core;
    }
    Refuse(name, absl::StrCat("is the number ", value, ", want one that this build knows"));
    return table.front().second;
  }

  // Refuses the field `name`: `what` follows the path of the field in the message.
  void Refuse(std::string_view name, std::string_view what,
              ErrorKind kind = ErrorKind::kInvalidRequest);

  // Refuses a value that is legal but that this build cannot honour: kUnimplemented of kind
  // unsupported_mode. `supported` says what can be asked for instead.
  void Unsupported(std::string_view name, std::string_view value, std::string_view supported);

 private:
  static constexpr int kNoIndex = -1;

  struct Step {
    std::string_view name;
    int index;
  };

  int32_t RankValue(std::string_view name, int32_t value);
  std::string PathTo(std::string_view name) const;
  void Fail(absl::StatusCode code, ErrorKind kind, std::string_view message,
            std::string_view remedy);

  std::vector<Step> path_;
  absl::Status status_;
};

// The enum number that `table` pairs with `core`, which is in it.
template <typename Wire, typename Core>
Wire WireEnum(Core core, std::span<const std::pair<Wire, Core>> table) {
  for (const auto& [wire, value] : table) {
    if (value == core) return wire;
  }
  return Wire{};
}

// `time` for the wire, rounded down to whole nanoseconds and cut to [0, kWireDurationMax].
google::protobuf::Duration WireTime(absl::Duration time);

}  // namespace muster

#endif  // MUSTER_COMMON_WIRE_READER_H_
