#ifndef MUSTER_COMMON_SUPPORT_LOG_FLAGS_H_
#define MUSTER_COMMON_SUPPORT_LOG_FLAGS_H_

#include <string>

#include "common/support/config.h"

namespace muster {

// The options that every program has for its log.
struct LogFlags {
  std::string level = "info";
  std::string format = "auto";
};

// Declares --log-level and --log-format, read into `flags`, which must outlive `config`.
void AddLogFlags(Config& config, LogFlags& flags);

// Sets the log of the process up by `flags`, to stderr. Format "auto" is text on a terminal and
// JSON elsewhere.
void SetUpLog(const LogFlags& flags, std::string component);

}  // namespace muster

#endif  // MUSTER_COMMON_SUPPORT_LOG_FLAGS_H_
