#include "common/jobfile/yaml_reader.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "common/base/string_view.h"
#include "common/layout/layout_error.h"
#include "common/wire/limits.h"

namespace muster {
namespace {

// Costs of changing one word into another. An unlike letter costs as much as leaving one out.
constexpr int kOtherCase = 1;
constexpr int kOtherLetter = 2;

int LetterCost(char a, char b) {
  if (a == b) return 0;
  return absl::ascii_tolower(static_cast<unsigned char>(a)) ==
                 absl::ascii_tolower(static_cast<unsigned char>(b))
             ? kOtherCase
             : kOtherLetter;
}

int Distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = static_cast<int>(j) * kOtherLetter;
  for (size_t i = 0; i < a.size(); ++i) {
    int diagonal = row[0];
    row[0] += kOtherLetter;
    for (size_t j = 0; j < b.size(); ++j) {
      const int changed = diagonal + LetterCost(a[i], b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + kOtherLetter, row[j + 1] + kOtherLetter});
    }
  }
  return row.back();
}

std::string Describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "empty";
    case YamlNode::Kind::kText:
      return Quoted(node.text);
    case YamlNode::Kind::kList:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a map";
  }
  return "something else";
}

}  // namespace

std::string YamlReader::Text(const YamlNode& node, std::string_view what) {
  if (node.kind == YamlNode::Kind::kText) return node.text;
  RefuseKind(node, what, "text");
  return "";
}

int32_t YamlReader::Integer(const YamlNode& node, std::string_view what) {
  int32_t value = 0;
  const bool fits =
      node.kind == YamlNode::Kind::kText && !node.quoted && absl::SimpleAtoi(node.text, &value);
  if (!fits) RefuseKind(node, what, "a whole number of at most 32 bits");
  return fits ? value : 0;
}

bool YamlReader::Switch(const YamlNode& node, std::string_view what) {
  const bool plain = node.kind == YamlNode::Kind::kText && !node.quoted;
  if (plain && node.text == "true") return true;
  if (!plain || node.text != "false") RefuseKind(node, what, "true or false");
  return false;
}

absl::Duration YamlReader::Time(const YamlNode& node, std::string_view what) {
  absl::Duration time;
  const bool fits = node.kind == YamlNode::Kind::kText && !node.text.empty() &&
                    absl::ascii_isdigit(static_cast<unsigned char>(node.text.front())) &&
                    absl::ParseDuration(node.text, &time) && time <= kWireDurationMax;
  if (fits) return time;
  RefuseKind(node, what, "a time of at most 30 days with its unit, as 30s, 500ms or 2m");
  return absl::ZeroDuration();
}

std::span<const YamlNode> YamlReader::Items(const YamlNode& node, std::string_view what) {
  if (node.kind != YamlNode::Kind::kList) RefuseKind(node, what, "a list");
  return node.items;
}

void YamlReader::Refuse(const YamlNode& node, std::string_view what, std::string_view found,
                        std::string_view wanted) {
  Fail(ErrorKind::kInvalidRequest, node.place,
       absl::StrCat(ToAbsl(what), " is ", ToAbsl(found), ", want ", ToAbsl(wanted)),
       absl::StrCat("Write ", ToAbsl(wanted), "."));
}

void YamlReader::Fail(ErrorKind kind, YamlPlace place, std::string_view message,
                      std::string_view remedy) {
  if (status_.ok()) status_ = YamlError(kind, source_, place, message, remedy);
}

void YamlReader::RefuseKind(const YamlNode& node, std::string_view what, std::string_view wanted) {
  Refuse(node, what, Describe(node), wanted);
}

void YamlReader::RefuseWord(const YamlNode& node, std::string_view what, std::string_view text,
                            std::string_view known) {
  Refuse(node, what, Quoted(text), absl::StrCat("one of ", ToAbsl(known)));
}

YamlMap::YamlMap(YamlReader& reader, const YamlNode& node, std::string_view what,
                 std::initializer_list<std::string_view> known)
    : reader_(reader), node_(node), what_(what) {
  const std::string name = what_.empty() ? "the file" : what_;
  if (node.kind != YamlNode::Kind::kMap) reader.Refuse(node, name, Describe(node), "a map");
  for (const YamlEntry& entry : node.entries) {
    if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
      const std::string_view nearest = NearestWord(entry.key, {known.begin(), known.size()});
      reader.Fail(ErrorKind::kUnknownName, entry.place,
                  absl::StrCat("unknown key ", Quoted(entry.key), " in ", name,
                               ", the nearest known key is '", ToAbsl(nearest), "'"),
                  "Correct or remove the key.");
    }
    if (entry.value.kind == YamlNode::Kind::kNull) {
      reader.Fail(ErrorKind::kInvalidRequest, entry.place,
                  absl::StrCat(Path(entry.key), " is empty, want a value"),
                  "Write a value or remove the key.");
    }
  }
}

const YamlNode* YamlMap::Find(std::string_view key) const {
  for (const YamlEntry& entry : node_.entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

const YamlNode* YamlMap::Need(std::string_view key) {
  const YamlNode* value = Find(key);
  if (value == nullptr) {
    reader_.Fail(ErrorKind::kInvalidRequest, node_.place,
                 absl::StrCat(Path(key), " is missing, want a value"),
                 absl::StrCat("Add '", ToAbsl(key), "'."));
  }
  return value;
}

std::string YamlMap::Path(std::string_view key) const {
  return what_.empty() ? std::string(key) : absl::StrCat(what_, ".", ToAbsl(key));
}

std::string_view NearestWord(std::string_view word, std::span<const std::string_view> known) {
  // No known word is near one much longer than all of them, however it goes on.
  constexpr size_t kComparedBytesMax = 64;
  word = word.substr(0, kComparedBytesMax);
  return *std::min_element(known.begin(), known.end(),
                           [word](std::string_view a, std::string_view b) {
                             return Distance(word, a) < Distance(word, b);
                           });
}

}  // namespace muster
