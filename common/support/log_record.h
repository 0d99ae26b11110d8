#ifndef MUSTER_COMMON_SUPPORT_LOG_RECORD_H_
#define MUSTER_COMMON_SUPPORT_LOG_RECORD_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"

namespace muster {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

// kJson: one object a line, for machines. kText: for a terminal.
enum class LogFormat { kJson, kText };

// "debug", "info", "warning" or "error".
std::string_view LogLevelName(LogLevel level);
std::optional<LogLevel> ParseLogLevel(std::string_view name);

// Longer values are cut and end with "...".
inline constexpr size_t kLogValueMaxBytes = 4096;

// One key and its value, ready to be written.
struct LogField {
  // kBare: a number, true or false, which JSON writes without quotes.
  enum class Form { kText, kBare };

  std::string key;
  std::string value;
  Form form = Form::kText;
};

// One event, before it is a line. Fields that are not set are not written.
struct LogRecord {
  absl::Time time;
  LogLevel level = LogLevel::kInfo;
  std::string source = {};  // FILE:LINE
  std::string event = {};
  std::string component = {};
  // What the event is about, in the order in which it is written.
  std::optional<LogField> job = {};
  std::optional<LogField> epoch = {};
  std::optional<LogField> rank = {};
  std::optional<LogField> worker = {};
  std::optional<LogField> group = {};
  std::vector<LogField> rest = {};
};

// The line of `record` without its line break. Whatever the values hold, it is one line of valid
// UTF-8; bytes that are none become U+FFFD.
//
// JSON: ts, level, event, component, job, epoch, rank, worker, group, then the rest.
// Text: "I 2026-03-02T10:15:04.218Z effect_runner.cc:88 group.built job=train epoch=4 ..."; values
// with spaces, quotes, equal signs or control characters are quoted as in JSON.
std::string FormatLogRecord(const LogRecord& record, LogFormat format);

}  // namespace muster

#endif  // MUSTER_COMMON_SUPPORT_LOG_RECORD_H_
