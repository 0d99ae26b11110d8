#ifndef MUSTER_COMMON_JOBFILE_YAML_READER_H_
#define MUSTER_COMMON_JOBFILE_YAML_READER_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/base/error_kind.h"
#include "common/jobfile/yaml_tree.h"

namespace muster {

// Takes typed values out of a document and remembers the first that is not what was wanted.
//
// Each method gives the value of a node, or some harmless value if it is refused; the caller reads
// on and asks status() at the end. `what` names the value in errors, as "spec.worldSize". Errors
// are those of YamlError(), of kind invalid_request unless said otherwise.
class YamlReader {
 public:
  explicit YamlReader(std::string_view source) : source_(source) {}

  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;

  const absl::Status& status() const { return status_; }

  // Any text, number or word.
  std::string Text(const YamlNode& node, std::string_view what);

  // A whole number without quotes.
  int32_t Integer(const YamlNode& node, std::string_view what);

  // "true" or "false" without quotes.
  bool Switch(const YamlNode& node, std::string_view what);

  // A time with its unit, as 30s, 500ms, 2m or 1h30m; not negative and at most kWireDurationMax.
  absl::Duration Time(const YamlNode& node, std::string_view what);

  // The value that `words` pairs with the text of the node.
  template <typename Value>
  Value Word(const YamlNode& node, std::string_view what,
             std::span<const std::pair<std::string_view, Value>> words) {
    const std::string text = Text(node, what);
    std::string known;
    for (const auto& [word, value] : words) {
      if (word == text) return value;
      absl::StrAppend(&known, known.empty() ? "" : ", ", std::string(word));
    }
    RefuseWord(node, what, text, known);
    return words.front().second;
  }

  // The items of a list; nothing if the node is none.
  std::span<const YamlNode> Items(const YamlNode& node, std::string_view what);

  // Refuses `node`: `found` says what it is, `wanted` what was wanted.
  void Refuse(const YamlNode& node, std::string_view what, std::string_view found,
              std::string_view wanted);

  // Remembers an error about `place` if it is the first.
  void Fail(ErrorKind kind, YamlPlace place, std::string_view message, std::string_view remedy);

 private:
  void RefuseKind(const YamlNode& node, std::string_view what, std::string_view wanted);
  void RefuseWord(const YamlNode& node, std::string_view what, std::string_view text,
                  std::string_view known);

  std::string_view source_;
  absl::Status status_;
};

// A map of which only some keys may be there.
class YamlMap {
 public:
  // Refuses `node` if it is no map; any key that is not in `known`, naming the nearest that is
  // (unknown_name); and any key without a value. `what` is empty for the document itself.
  YamlMap(YamlReader& reader, const YamlNode& node, std::string_view what,
          std::initializer_list<std::string_view> known);

  // The value of `key`, or null if the key is not there.
  const YamlNode* Find(std::string_view key) const;

  // The same for a key that must be there: refuses the map without it and gives null.
  const YamlNode* Need(std::string_view key);

  // How errors call the value of `key`, as "spec.worldSize".
  std::string Path(std::string_view key) const;

 private:
  YamlReader& reader_;
  const YamlNode& node_;
  std::string what_;
};

// The word of `known` that takes the fewest changes of a letter to become `word`; letters that
// differ in case only count less than others. `known` is not empty.
std::string_view NearestWord(std::string_view word, std::span<const std::string_view> known);

}  // namespace muster

#endif  // MUSTER_COMMON_JOBFILE_YAML_READER_H_
