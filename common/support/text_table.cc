#include "common/support/text_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"

namespace muster {
namespace {

constexpr char kNone[] = "<none>";
constexpr size_t kGutter = 2;

// Letters of UTF-8: every byte that does not continue one.
size_t Width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string Printable(std::string text) {
  if (text.empty()) return kNone;
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return absl::ascii_iscntrl(static_cast<unsigned char>(c)); }, ' ');
  return text;
}

}  // namespace

TextTable::TextTable(std::vector<TableColumn> columns) : columns_(std::move(columns)) {
  for (TableColumn& column : columns_) absl::AsciiStrToUpper(&column.header);
}

void TextTable::AddRow(std::vector<std::string> cells) {
  MUSTER_CHECK(cells.size() == columns_.size(), "a row needs a cell for each column");
  for (std::string& cell : cells) cell = Printable(std::move(cell));
  rows_.push_back(std::move(cells));
}

std::string TextTable::Render(Headers headers) const {
  std::vector<std::vector<std::string>> lines;
  if (headers == Headers::kShow) {
    std::vector<std::string>& line = lines.emplace_back();
    for (const TableColumn& column : columns_) line.push_back(column.header);
  }
  lines.insert(lines.end(), rows_.begin(), rows_.end());

  std::vector<size_t> widths(columns_.size(), 0);
  for (const std::vector<std::string>& line : lines) {
    for (size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], Width(line[c]));
  }

  std::string text;
  for (const std::vector<std::string>& line : lines) {
    std::string padded;
    for (size_t c = 0; c < line.size(); ++c) {
      const std::string fill(widths[c] - Width(line[c]), ' ');
      if (c > 0) padded.append(kGutter, ' ');
      absl::StrAppend(&padded, columns_[c].align == Align::kRight ? fill : "", line[c],
                      columns_[c].align == Align::kLeft ? fill : "");
    }
    absl::StripTrailingAsciiWhitespace(&padded);
    absl::StrAppend(&text, padded, "\n");
  }
  return text;
}

std::string FormatAge(absl::Duration age) {
  if (age == absl::InfiniteDuration()) return kNone;
  struct Unit {
    int64_t seconds;
    const char* name;
  };
  constexpr Unit kUnits[] = {{86400, "d"}, {3600, "h"}, {60, "m"}, {1, "s"}};

  int64_t left = std::max<int64_t>(absl::ToInt64Seconds(age), 0);
  for (size_t u = 0; u + 1 < std::size(kUnits); ++u) {
    if (left < kUnits[u].seconds) continue;
    std::string text = absl::StrCat(left / kUnits[u].seconds, kUnits[u].name);
    const int64_t smaller = left % kUnits[u].seconds / kUnits[u + 1].seconds;
    if (smaller > 0) absl::StrAppend(&text, smaller, kUnits[u + 1].name);
    return text;
  }
  return absl::StrCat(left, "s");
}

}  // namespace muster
