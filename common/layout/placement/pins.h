#ifndef MUSTER_COMMON_LAYOUT_PLACEMENT_PINS_H_
#define MUSTER_COMMON_LAYOUT_PLACEMENT_PINS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/ids.h"

namespace muster {

inline constexpr size_t kPinnedHostBytesMax = 253;  // bytes of the name of a host in a pin

// Says where one rank must run.
struct Pin {
  GlobalRank rank;
  std::string host;                                    // a host id or a hostname
  std::optional<int32_t> device_index = std::nullopt;  // unset: any device, or none

  friend bool operator==(const Pin&, const Pin&) = default;
};

// Reads a list of pins, one a line: the rank, the host and, if it matters, the index of the device,
// with spaces between. What follows a '#' is skipped, and so are empty lines.
//
//   # rank host device
//   0 gpu-1 0
//   1 gpu-1 1
//   2 gpu-7
//
// Ranks are those of a world of `world_size`; a rank that is not listed may run anywhere. `source`,
// such as the name of the file, stands before the line number in errors.
//
// Errors: kInvalidArgument with an ErrorDetail:
//   invalid_request      a line of another form
//   limit_exceeded       a host of more than kPinnedHostBytesMax bytes
//   index_out_of_layout  a rank outside the world
//   duplicate_rank       a rank twice; or a device of a host for two ranks
absl::StatusOr<std::vector<Pin>> ParsePins(std::string_view text, std::string_view source,
                                           int32_t world_size);

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_PLACEMENT_PINS_H_
