#ifndef MUSTER_COMMON_SUPPORT_CONFIG_FILE_H_
#define MUSTER_COMMON_SUPPORT_CONFIG_FILE_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace muster {

// Larger files are refused.
inline constexpr size_t kConfigFileMaxBytes = 1 << 20;

// One entry of a configuration file.
struct FileValue {
  std::string text;  // As written, without quotes; empty if there is none.
  int line = 0;      // Counted from 1.
};

// Reads a configuration file in YAML: one mapping of keys to plain values. The entries
// `apiVersion: muster/v1` and `kind: <kind>` are optional, must be right where they stand, and are
// not among the result.
//
// Errors, all of kind config_invalid and naming path and line:
//   kNotFound         no such file, or it may not be read
//   kInvalidArgument  too large, not YAML, not one mapping, a key twice, a value that is itself a
//                     list or a mapping, another apiVersion or kind
absl::StatusOr<std::map<std::string, FileValue>> ReadConfigFile(const std::string& path,
                                                                std::string_view kind);

}  // namespace muster

#endif  // MUSTER_COMMON_SUPPORT_CONFIG_FILE_H_
