#include "common/support/log_flags.h"

#include <utility>

#include "common/base/check.h"
#include "common/support/log.h"

namespace muster {

void AddLogFlags(Config& config, LogFlags& flags) {
  config.AddChoice({.name = "log-level", .help = "The least urgent level that is logged."},
                   &flags.level, {"debug", "info", "warning", "error"});
  config.AddChoice({.name = "log-format", .help = "How a line of the log is written."},
                   &flags.format, {"auto", "json", "text"});
}

void SetUpLog(const LogFlags& flags, std::string component) {
  const std::optional<LogLevel> level = ParseLogLevel(flags.level);
  MUSTER_CHECK(level.has_value(), flags.level);
  LogOptions options = {.level = *level, .component = std::move(component)};
  options.format = DefaultLogFormat();
  if (flags.format == "json") options.format = LogFormat::kJson;
  if (flags.format == "text") options.format = LogFormat::kText;
  SetUpLog(std::move(options));
}

}  // namespace muster
