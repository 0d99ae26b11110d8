#include "common/layout/preset/preset_params.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/error_kind.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "common/layout/layout_error.h"

namespace muster {
namespace {

std::string WithUnderscores(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

std::string Shown(const PresetParam& param) {
  if (const auto* integer = std::get_if<int64_t>(&param.value)) return absl::StrCat(*integer);
  if (const auto* real = std::get_if<double>(&param.value)) return absl::StrCat(*real);
  if (const auto* flag = std::get_if<bool>(&param.value)) return *flag ? "true" : "false";
  return Quoted(std::get<std::string>(param.value));
}

// Reads lists of numbers from a text, from left to right.
class ListReader {
 public:
  explicit ListReader(std::string_view text) : rest_(text) {}

  // Calls `item` for each item of a list, which it must read; false if the text has not this form.
  template <typename Item>
  bool List(const Item& item) {
    if (!Take('[')) return false;
    if (Take(']')) return true;
    do {
      if (!item()) return false;
    } while (Take(','));
    return Take(']');
  }

  bool Number(int64_t& number) {
    SkipSpaces();
    const size_t end = std::min(rest_.find_first_of("[], \t\n\r"), rest_.size());
    const std::string_view digits = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return absl::SimpleAtoi(ToAbsl(digits), &number);
  }

  bool AtEnd() {
    SkipSpaces();
    return rest_.empty();
  }

 private:
  bool Take(char c) {
    SkipSpaces();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void SkipSpaces() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\r"), rest_.size()));
  }

  std::string_view rest_;
};

bool ReadRank(ListReader& reader, std::vector<GlobalRank>& ranks) {
  int64_t number = 0;
  if (!reader.Number(number)) return false;
  if (number < std::numeric_limits<int32_t>::min()) return false;
  if (number > std::numeric_limits<int32_t>::max()) return false;
  ranks.emplace_back(static_cast<int32_t>(number));
  return true;
}

}  // namespace

const PresetParam* PresetParams::Ask(std::string_view name) {
  if (std::find(known_.begin(), known_.end(), name) == known_.end()) known_.emplace_back(name);
  const auto at = std::find_if(
      spec_.params.begin(), spec_.params.end(),
      [name](const PresetParam& param) { return WithUnderscores(param.name) == name; });
  return at == spec_.params.end() ? nullptr : &*at;
}

void PresetParams::WrongType(const PresetParam& param, std::string_view wanted) {
  if (!wrong_type_.ok()) return;
  wrong_type_ =
      LayoutError(ErrorKind::kInvalidRequest,
                  absl::StrCat("preset ", Quoted(spec_.name), ": parameter ", Quoted(param.name),
                               " is ", Shown(param), ", want ", ToAbsl(wanted)),
                  "Correct the value.");
}

std::optional<int64_t> PresetParams::Int(std::string_view name) {
  const PresetParam* const param = Ask(name);
  if (param == nullptr) return std::nullopt;
  if (const auto* value = std::get_if<int64_t>(&param->value)) return *value;
  WrongType(*param, "a whole number");
  return std::nullopt;
}

int64_t PresetParams::Int(std::string_view name, int64_t fallback) {
  return Int(name).value_or(fallback);
}

bool PresetParams::Flag(std::string_view name, bool fallback) {
  const PresetParam* const param = Ask(name);
  if (param == nullptr) return fallback;
  if (const auto* value = std::get_if<bool>(&param->value)) return *value;
  WrongType(*param, "true or false");
  return fallback;
}

std::optional<std::string> PresetParams::Text(std::string_view name) {
  const PresetParam* const param = Ask(name);
  if (param == nullptr) return std::nullopt;
  if (const auto* value = std::get_if<std::string>(&param->value)) return *value;
  WrongType(*param, "a text");
  return std::nullopt;
}

std::optional<std::vector<int64_t>> PresetParams::Ints(std::string_view name) {
  const PresetParam* const param = Ask(name);
  if (param == nullptr) return std::nullopt;
  if (const auto* text = std::get_if<std::string>(&param->value)) {
    ListReader reader(*text);
    std::vector<int64_t> numbers;
    const auto item = [&reader, &numbers] { return reader.Number(numbers.emplace_back()); };
    if (reader.List(item) && reader.AtEnd()) return numbers;
  }
  WrongType(*param, "a list of whole numbers as '[2, 4]'");
  return std::nullopt;
}

std::optional<std::vector<std::vector<GlobalRank>>> PresetParams::RankLists(std::string_view name) {
  const PresetParam* const param = Ask(name);
  if (param == nullptr) return std::nullopt;
  if (const auto* text = std::get_if<std::string>(&param->value)) {
    ListReader reader(*text);
    std::vector<std::vector<GlobalRank>> lists;
    const auto list = [&reader, &lists] {
      std::vector<GlobalRank>& ranks = lists.emplace_back();
      return reader.List([&reader, &ranks] { return ReadRank(reader, ranks); });
    };
    if (reader.List(list) && reader.AtEnd()) return lists;
  }
  WrongType(*param, "lists of ranks as '[[0, 1], [2, 3]]'");
  return std::nullopt;
}

absl::Status PresetParams::Finish() const {
  const std::string label = absl::StrCat("preset ", Quoted(spec_.name));
  MUSTER_RETURN_IF_ERROR(CheckLimit(absl::StrCat(label, ": the number of parameters is"),
                                    std::ssize(spec_.params), kPresetParamsMax));
  std::set<std::string> seen;
  for (const PresetParam& param : spec_.params) {
    if (seen.insert(WithUnderscores(param.name)).second) continue;
    return LayoutError(ErrorKind::kDuplicateName,
                       absl::StrCat(label, ": parameter ", Quoted(param.name),
                                    " is given twice, want at most once"),
                       "Remove one of the two; hyphens and underscores mean the same.");
  }
  for (const PresetParam& param : spec_.params) {
    const std::string name = WithUnderscores(param.name);
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    return LayoutError(ErrorKind::kUnknownName,
                       absl::StrCat(label, " has no parameter ", Quoted(param.name),
                                    ", want one of: ", absl::StrJoin(known_, ", ")),
                       "Use a parameter that the preset has.");
  }
  return wrong_type_;
}

}  // namespace muster
