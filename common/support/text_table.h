#ifndef MUSTER_COMMON_SUPPORT_TEXT_TABLE_H_
#define MUSTER_COMMON_SUPPORT_TEXT_TABLE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"

namespace muster {

// Names and words go left, quantities right.
enum class Align { kLeft, kRight };

enum class Headers { kShow, kHide };

struct TableColumn {
  std::string header;  // Written in upper case, whatever case it has here.
  Align align = Align::kLeft;
};

// Lines that line up, for people: upper-case headers, two spaces between columns, no borders, no
// spaces at the end of a line. A cell without text reads "<none>". Line breaks and other control
// characters in a cell become spaces, so that a row is always one line.
//
// Widths count letters of UTF-8, not bytes. Thread safety: one thread at a time.
class TextTable {
 public:
  explicit TextTable(std::vector<TableColumn> columns);

  // `cells` has one entry for each column.
  void AddRow(std::vector<std::string> cells);

  // All lines, each ended by a line break. Headers count for the widths only if they are shown.
  std::string Render(Headers headers = Headers::kShow) const;

 private:
  std::vector<TableColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// How long something has been, by its two largest units of days, hours, minutes and seconds:
// "41s", "3m12s", "2h11m", "5d3h"; the smaller one is left out at 0: "2h". Parts of a second are
// dropped; below zero is "0s", infinite is "<none>".
std::string FormatAge(absl::Duration age);

}  // namespace muster

#endif  // MUSTER_COMMON_SUPPORT_TEXT_TABLE_H_
