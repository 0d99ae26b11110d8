#include "common/layout/placement/pins.h"

#include <map>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "common/layout/layout_error.h"

namespace muster {
namespace {

constexpr char kRemedy[] = "Write a rank, a host and at most one device on each line.";

absl::Status LineError(std::string_view where, ErrorKind kind, const std::string& message,
                       std::vector<GlobalRank> ranks = {}) {
  return LayoutError(kind, absl::StrCat(ToAbsl(where), message), kRemedy, std::move(ranks));
}

// A number without sign, as the word says it.
absl::StatusOr<int32_t> ReadNumber(std::string_view where, std::string_view what,
                                   absl::string_view word) {
  int32_t number = 0;
  if (!absl::SimpleAtoi(word, &number) || number < 0 || absl::StrCat(number) != word) {
    return LineError(where, ErrorKind::kInvalidRequest,
                     absl::StrCat(ToAbsl(what), " ", Quoted({word.data(), word.size()}),
                                  ", want a whole number of 0 or more"));
  }
  return number;
}

absl::StatusOr<Pin> ReadPin(std::string_view where, const std::vector<absl::string_view>& words,
                            int32_t world_size) {
  if (words.size() != 2 && words.size() != 3) {
    return LineError(
        where, ErrorKind::kInvalidRequest,
        absl::StrCat(words.size(), " words, want a rank, a host and at most a device"));
  }
  Pin pin;
  MUSTER_ASSIGN_OR_RETURN(pin.rank.value, ReadNumber(where, "rank", words[0]));
  if (pin.rank.value >= world_size) {
    return LineError(where, ErrorKind::kIndexOutOfLayout,
                     absl::StrCat("rank ", pin.rank.value, ", want a rank below ", world_size),
                     {pin.rank});
  }
  if (words[1].size() > kPinnedHostBytesMax) {
    return LineError(
        where, ErrorKind::kLimitExceeded,
        absl::StrCat("a host of ", words[1].size(), " bytes, want at most ", kPinnedHostBytesMax));
  }
  pin.host = std::string(words[1]);
  if (words.size() == 3) {
    MUSTER_ASSIGN_OR_RETURN(pin.device_index, ReadNumber(where, "device", words[2]));
  }
  return pin;
}

}  // namespace

absl::StatusOr<std::vector<Pin>> ParsePins(std::string_view text, std::string_view source,
                                           int32_t world_size) {
  std::map<GlobalRank, Pin> by_rank;
  std::map<std::pair<std::string, int32_t>, GlobalRank> by_device;
  int line = 0;
  for (const absl::string_view whole : absl::StrSplit(ToAbsl(text), '\n')) {
    const std::string where = absl::StrCat(ToAbsl(source), ":", ++line, ": ");
    const absl::string_view pinned = whole.substr(0, whole.find('#'));
    const std::vector<absl::string_view> words =
        absl::StrSplit(pinned, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (words.empty()) continue;
    MUSTER_ASSIGN_OR_RETURN(const Pin pin, ReadPin(where, words, world_size));
    if (!by_rank.emplace(pin.rank, pin).second) {
      return LineError(where, ErrorKind::kDuplicateRank,
                       absl::StrCat("rank ", pin.rank.value, " a second time"), {pin.rank});
    }
    if (!pin.device_index.has_value()) continue;
    const auto owner = by_device.emplace(std::pair(pin.host, *pin.device_index), pin.rank);
    if (!owner.second) {
      return LineError(
          where, ErrorKind::kDuplicateRank,
          absl::StrCat("device ", *pin.device_index, " of ", Quoted(pin.host), " for rank ",
                       pin.rank.value, ", which has rank ", owner.first->second.value),
          {owner.first->second, pin.rank});
    }
  }
  std::vector<Pin> pins;
  pins.reserve(by_rank.size());
  for (auto& entry : by_rank) pins.push_back(std::move(entry.second));
  return pins;
}

}  // namespace muster
