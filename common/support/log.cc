#include "common/support/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/string_view.h"

namespace muster {
namespace {

// Where lines go. Replaced as a whole, so that a line in the making keeps the one it has.
struct Destination {
  LogFormat format;
  std::string component;
  std::function<absl::Time()> now;
  spdlog::logger logger;
};

std::shared_ptr<Destination> MakeDestination(LogOptions options) {
  spdlog::sink_ptr sink;
  if (options.out == nullptr) {
    sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  } else {
    sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(*options.out);
  }
  spdlog::logger logger("muster", std::move(sink));
  logger.set_pattern("%v");  // Lines come ready made.
  logger.set_level(spdlog::level::trace);
  logger.flush_on(spdlog::level::trace);
  return std::make_shared<Destination>(Destination{options.format, std::move(options.component),
                                                   std::move(options.now), std::move(logger)});
}

// Never destroyed: other objects may log while the process ends.
struct Global {
  std::atomic<LogLevel> level = LogLevel::kInfo;
  std::mutex mu;
  std::shared_ptr<Destination> destination;  // Guarded by mu.
};

Global& TheLog() {
  static Global* const global = [] {
    auto* made = new Global();
    made->destination = MakeDestination({.format = DefaultLogFormat()});
    return made;
  }();
  return *global;
}

std::shared_ptr<Destination> CurrentDestination() {
  Global& global = TheLog();
  std::lock_guard<std::mutex> lock(global.mu);
  return global.destination;
}

// The shortest text that reads back as `value`.
std::string ShortestText(double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  return std::string(digits, end);
}

std::string BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

}  // namespace

void SetUpLog(LogOptions options) {
  Global& global = TheLog();
  global.level = options.level;
  std::shared_ptr<Destination> made = MakeDestination(std::move(options));
  std::lock_guard<std::mutex> lock(global.mu);
  global.destination.swap(made);
}

LogFormat DefaultLogFormat() {
  return isatty(STDERR_FILENO) == 1 ? LogFormat::kText : LogFormat::kJson;
}

void SetLogLevel(LogLevel level) { TheLog().level = level; }

LogLevel CurrentLogLevel() { return TheLog().level; }

LogLine::LogLine(LogLevel level, std::string_view event, const char* file, int line)
    : enabled_(level >= CurrentLogLevel()) {
  if (!enabled_) return;
  record_.level = level;
  record_.event = std::string(event);
  record_.source = absl::StrCat(BaseName(file), ":", line);
}

LogLine::~LogLine() {
  if (!enabled_) return;
  const std::shared_ptr<Destination> destination = CurrentDestination();
  record_.time = destination->now();
  record_.component = destination->component;
  destination->logger.log(spdlog::level::info, FormatLogRecord(record_, destination->format));
}

LogLine& LogLine::Job(std::string_view name) {
  if (enabled_) record_.job = LogField{"job", std::string(name)};
  return *this;
}

LogLine& LogLine::Epoch(muster::Epoch epoch) {
  if (enabled_) record_.epoch = LogField{"epoch", ToString(epoch), LogField::Form::kBare};
  return *this;
}

LogLine& LogLine::Rank(GlobalRank rank) {
  if (enabled_) record_.rank = LogField{"rank", ToString(rank), LogField::Form::kBare};
  return *this;
}

LogLine& LogLine::Worker(std::string_view name) {
  if (enabled_) record_.worker = LogField{"worker", std::string(name)};
  return *this;
}

LogLine& LogLine::Group(std::string_view name) {
  if (enabled_) record_.group = LogField{"group", std::string(name)};
  return *this;
}

LogLine& LogLine::With(std::string_view key, std::string_view value) {
  return Add(key, std::string(value), LogField::Form::kText);
}

LogLine& LogLine::With(std::string_view key, const char* value) {
  return With(key, std::string_view(value));
}

LogLine& LogLine::With(std::string_view key, bool value) {
  return Add(key, value ? "true" : "false", LogField::Form::kBare);
}

LogLine& LogLine::With(std::string_view key, double value) {
  // JSON has no word for the others.
  const LogField::Form form = std::isfinite(value) ? LogField::Form::kBare : LogField::Form::kText;
  return Add(key, ShortestText(value), form);
}

LogLine& LogLine::With(std::string_view key, absl::Duration value) {
  return With(key, absl::ToDoubleSeconds(value));
}

LogLine& LogLine::Error(const absl::Status& status) {
  if (!enabled_) return *this;
  With("err", absl::StrCat(absl::StatusCodeToString(status.code()), ": ", status.message()));
  const std::optional<ErrorDetail> detail = DetailOf(status);
  if (detail.has_value()) With("kind", KindName(detail->kind));
  return *this;
}

LogLine& LogLine::WithSigned(std::string_view key, int64_t value) {
  constexpr int64_t kExact = int64_t{1} << 53;
  const bool exact = value >= -kExact && value <= kExact;
  return Add(key, absl::StrCat(value), exact ? LogField::Form::kBare : LogField::Form::kText);
}

LogLine& LogLine::WithUnsigned(std::string_view key, uint64_t value) {
  constexpr uint64_t kExact = uint64_t{1} << 53;
  return Add(key, absl::StrCat(value),
             value <= kExact ? LogField::Form::kBare : LogField::Form::kText);
}

LogLine& LogLine::Add(std::string_view key, std::string value, LogField::Form form) {
  if (enabled_) record_.rest.push_back({std::string(key), std::move(value), form});
  return *this;
}

}  // namespace muster
