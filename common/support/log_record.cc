#include "common/support/log_record.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/string_view.h"
#include "common/base/wall_clock.h"

namespace muster {
namespace {

constexpr std::array<std::string_view, 4> kLevelNames = {"debug", "info", "warning", "error"};
constexpr std::string_view kLevelLetters = "DIWE";

// How many bytes the letter of UTF-8 at the front of `text` has; 0 if there is no valid one.
size_t LetterBytes(std::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  size_t size = 0;
  if (byte(0) >= 0xC2 && byte(0) <= 0xDF) size = 2;
  if (byte(0) >= 0xE0 && byte(0) <= 0xEF) size = 3;
  if (byte(0) >= 0xF0 && byte(0) <= 0xF4) size = 4;
  if (size == 0 || text.size() < size) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (byte(0) == 0xE0 && byte(1) < 0xA0) return 0;  // Longer than it need be.
  if (byte(0) == 0xED && byte(1) > 0x9F) return 0;  // Half of a UTF-16 pair.
  if (byte(0) == 0xF0 && byte(1) < 0x90) return 0;  // Longer than it need be.
  if (byte(0) == 0xF4 && byte(1) > 0x8F) return 0;  // Beyond the last letter.
  return size;
}

void AppendQuotedAscii(char c, std::string& out) {
  switch (c) {
    case '"':
      out.append("\\\"");
      return;
    case '\\':
      out.append("\\\\");
      return;
    case '\n':
      out.append("\\n");
      return;
    case '\t':
      out.append("\\t");
      return;
    default:
      if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) {
        absl::StrAppendFormat(&out, "\\u%04x", static_cast<unsigned>(c));
      } else {
        out.push_back(c);
      }
  }
}

// `text`, cut to the limit, as a string of JSON with its quotes.
std::string Quoted(std::string_view text) {
  std::string out = "\"";
  size_t at = 0;
  while (at < text.size() && at < kLogValueMaxBytes) {
    const size_t size = LetterBytes(text.substr(at));
    if (size == 0) {
      out.append("\\ufffd");
    } else if (size == 1) {
      AppendQuotedAscii(text[at], out);
    } else {
      out.append(text.substr(at, size));
    }
    at += std::max<size_t>(size, 1);
  }
  if (at < text.size()) out.append("...");
  out.push_back('"');
  return out;
}

// In the text form, only values that would be misread are quoted.
std::string QuotedIfNeeded(std::string_view text) {
  const bool plain = !text.empty() && text.size() <= kLogValueMaxBytes &&
                     std::all_of(text.begin(), text.end(), [](char c) {
                       return absl::ascii_isgraph(static_cast<unsigned char>(c)) && c != '"' &&
                              c != '=' && c != '\\';
                     });
  return plain ? std::string(text) : Quoted(text);
}

std::vector<LogField> FieldsInOrder(const LogRecord& record) {
  std::vector<LogField> fields;
  for (const auto* field :
       {&record.job, &record.epoch, &record.rank, &record.worker, &record.group}) {
    if (field->has_value()) fields.push_back(**field);
  }
  fields.insert(fields.end(), record.rest.begin(), record.rest.end());
  return fields;
}

std::string FormatJson(const LogRecord& record) {
  std::string line =
      absl::StrCat("{\"ts\":\"", FormatWallClock(record.time), "\",\"level\":\"",
                   ToAbsl(LogLevelName(record.level)), "\",\"event\":", Quoted(record.event));
  if (!record.component.empty()) {
    absl::StrAppend(&line, ",\"component\":", Quoted(record.component));
  }
  for (const LogField& field : FieldsInOrder(record)) {
    const bool bare = field.form == LogField::Form::kBare;
    absl::StrAppend(&line, ",", Quoted(field.key), ":", bare ? field.value : Quoted(field.value));
  }
  line.push_back('}');
  return line;
}

std::string FormatText(const LogRecord& record) {
  std::string line(1, kLevelLetters.at(static_cast<size_t>(record.level)));
  absl::StrAppend(&line, " ", FormatWallClock(record.time), " ", record.source, " ",
                  QuotedIfNeeded(record.event));
  for (const LogField& field : FieldsInOrder(record)) {
    absl::StrAppend(&line, " ", QuotedIfNeeded(field.key), "=", QuotedIfNeeded(field.value));
  }
  return line;
}

}  // namespace

std::string_view LogLevelName(LogLevel level) { return kLevelNames.at(static_cast<size_t>(level)); }

std::optional<LogLevel> ParseLogLevel(std::string_view name) {
  const auto found = std::find(kLevelNames.begin(), kLevelNames.end(), name);
  if (found == kLevelNames.end()) return std::nullopt;
  return static_cast<LogLevel>(found - kLevelNames.begin());
}

std::string FormatLogRecord(const LogRecord& record, LogFormat format) {
  return format == LogFormat::kJson ? FormatJson(record) : FormatText(record);
}

}  // namespace muster
