#ifndef MUSTER_COMMON_SUPPORT_LOG_H_
#define MUSTER_COMMON_SUPPORT_LOG_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/ids.h"
#include "common/base/wall_clock.h"
#include "common/support/log_record.h"

// The structured log of a process: one event, one line. Shells log, at transitions; cores never do.
// What must not be known to a reader of logs (unique ids, tokens, keys, values of the key-value
// store) is never handed to it.
//
//   Log(LogLevel::kInfo, "group.epoch_began").Job("train").Epoch(epoch).With("was", old_epoch);

namespace muster {

struct LogOptions {
  LogLevel level = LogLevel::kInfo;
  LogFormat format = LogFormat::kJson;
  std::string component = {};                       // "coordinator", "worker" ...; may be empty.
  std::ostream* out = nullptr;                      // Must outlive its use; null: stderr.
  std::function<absl::Time()> now = ReadWallClock;  // Called from any thread that logs.
};

// Says how the process logs from now on. Before the first call: level info to stderr, in the format
// of DefaultLogFormat(), without component. Any thread, any time.
void SetUpLog(LogOptions options);

// Text if stderr is a terminal, else JSON.
LogFormat DefaultLogFormat();

// What is less urgent than `level` is not logged from now on. Any thread, any time.
void SetLogLevel(LogLevel level);
LogLevel CurrentLogLevel();

// One event on its way into the log, made by Log(). Written as one line when it goes out of scope.
//
// Fields come out in a fixed order whatever the order of the calls: job, epoch, rank, worker,
// group, then those of With() as they were given. Keys of With() are none of these.
//
// Thread safety: one thread at a time.
class LogLine {
 public:
  LogLine(LogLevel level, std::string_view event, const char* file, int line);
  ~LogLine();
  LogLine(const LogLine&) = delete;
  LogLine& operator=(const LogLine&) = delete;

  LogLine& Job(std::string_view name);
  LogLine& Epoch(muster::Epoch epoch);
  LogLine& Rank(GlobalRank rank);
  LogLine& Worker(std::string_view name);
  LogLine& Group(std::string_view name);

  LogLine& With(std::string_view key, std::string_view value);
  LogLine& With(std::string_view key, const char* value);
  LogLine& With(std::string_view key, bool value);
  LogLine& With(std::string_view key, double value);
  // As a number of seconds; by custom such a key ends in "_s".
  LogLine& With(std::string_view key, absl::Duration value);
  // Numbers beyond 2^53 are written as text, since most readers of JSON would round them.
  template <std::integral Number>
  LogLine& With(std::string_view key, Number value) {
    if constexpr (std::is_signed_v<Number>) return WithSigned(key, value);
    return WithUnsigned(key, static_cast<uint64_t>(value));
  }
  template <typename Tag, typename Rep>
  LogLine& With(std::string_view key, TaggedId<Tag, Rep> id) {
    return With(key, id.value);
  }

  // `err` with the code and the text of `status`, and `kind` if it has a typed detail.
  LogLine& Error(const absl::Status& status);

 private:
  LogLine& WithSigned(std::string_view key, int64_t value);
  LogLine& WithUnsigned(std::string_view key, uint64_t value);
  LogLine& Add(std::string_view key, std::string value, LogField::Form form);

  const bool enabled_;
  LogRecord record_;
};

// Starts a line about `event`, a fixed name such as "group.epoch_began". `file` and `line` are
// where it is called, and not for the caller to give.
inline LogLine Log(LogLevel level, std::string_view event, const char* file = __builtin_FILE(),
                   int line = __builtin_LINE()) {
  return LogLine(level, event, file, line);
}

}  // namespace muster

#endif  // MUSTER_COMMON_SUPPORT_LOG_H_
