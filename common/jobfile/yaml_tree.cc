#include "common/jobfile/yaml_tree.h"

#include <exception>
#include <map>
#include <sstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/base/error_detail.h"
#include "common/base/string_view.h"
#include "common/layout/layout_error.h"
#include "common/wire/text.h"
#include "yaml-cpp/eventhandler.h"
#include "yaml-cpp/exceptions.h"
#include "yaml-cpp/parser.h"

namespace muster {
namespace {

YamlPlace PlaceOf(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {.line = mark.line + 1, .column = mark.column + 1};
}

// Builds the tree of one document from the events of the parser and keeps the first error. Events
// that follow an error change nothing.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string_view source) : source_(source) {}

  absl::StatusOr<YamlNode> Finish() && {
    if (!status_.ok()) return status_;
    return std::move(root_);
  }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Add(mark, "", anchor, {.kind = YamlNode::Kind::kNull});
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    Refuse(ErrorKind::kInvalidRequest, PlaceOf(mark), "an alias, want the value itself",
           "Write the value out.");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Add(mark, tag, anchor,
        {.kind = YamlNode::Kind::kText, .text = value, .quoted = tag == kQuotedTag});
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(mark, tag, anchor, YamlNode::Kind::kList);
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(mark, tag, anchor, YamlNode::Kind::kMap);
  }
  void OnMapEnd() override { Close(); }

 private:
  static constexpr char kPlainTag[] = "?";   // What the parser says for text without quotes ...
  static constexpr char kQuotedTag[] = "!";  // ... and with them, if the file has no tag.

  // A list or map that is not complete.
  struct Incomplete {
    YamlNode node;
    bool has_key = false;  // Of a map: the last entry waits for its value.
    std::map<std::string, YamlPlace> keys;
  };

  void Refuse(ErrorKind kind, YamlPlace place, std::string_view message, std::string_view remedy) {
    if (status_.ok()) status_ = YamlError(kind, source_, place, message, remedy);
  }

  // Refuses what plain data does not have.
  void CheckPlain(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      Refuse(ErrorKind::kInvalidRequest, PlaceOf(mark), "an anchor, want the value alone",
             "Remove the anchor.");
    }
    if (!tag.empty() && tag != kPlainTag && tag != kQuotedTag) {
      Refuse(ErrorKind::kInvalidRequest, PlaceOf(mark),
             absl::StrCat("the tag ", Quoted(tag), ", want the value alone"), "Remove the tag.");
    }
  }

  void Open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YamlNode::Kind kind) {
    CheckPlain(mark, tag, anchor);
    if (open_.size() == size_t{kYamlDepthMax}) {
      Refuse(ErrorKind::kLimitExceeded, PlaceOf(mark),
             absl::StrCat("lists and maps are nested deeper than ", kYamlDepthMax),
             "Nest less deeply.");
    }
    if (!status_.ok()) return;
    Incomplete& open = open_.emplace_back();
    open.node.kind = kind;
    open.node.place = PlaceOf(mark);
  }

  void Close() {
    if (!status_.ok()) return;
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    Place(std::move(node));
  }

  void Add(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode node) {
    CheckPlain(mark, tag, anchor);
    if (!status_.ok()) return;
    node.place = PlaceOf(mark);
    Place(std::move(node));
  }

  // Puts a complete node where it belongs: it is the document, an item, a key or a value.
  void Place(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Incomplete& open = open_.back();
    if (open.node.kind == YamlNode::Kind::kList) {
      open.node.items.push_back(std::move(node));
    } else if (open.has_key) {
      open.node.entries.back().value = std::move(node);
      open.has_key = false;
    } else {
      PlaceKey(open, std::move(node));
    }
  }

  void PlaceKey(Incomplete& open, YamlNode node) {
    if (node.kind != YamlNode::Kind::kText) {
      Refuse(ErrorKind::kInvalidRequest, node.place, "a key that is no text, want text",
             "Use a word as the key.");
      return;
    }
    const auto [first, is_new] = open.keys.emplace(node.text, node.place);
    if (!is_new) {
      Refuse(ErrorKind::kDuplicateName, node.place,
             absl::StrCat("the key ", Quoted(node.text), " is here again after line ",
                          first->second.line, ", want it once"),
             "Remove one of them.");
      return;
    }
    open.node.entries.push_back({.key = std::move(node.text), .place = node.place, .value = {}});
    open.has_key = true;
  }

  std::string_view source_;
  absl::Status status_;
  std::vector<Incomplete> open_;
  YamlNode root_;
};

absl::StatusOr<YamlNode> ParseOneDocument(const std::string& text, std::string_view source) {
  const auto wrong = [source](YamlPlace place, std::string_view message) {
    return YamlError(ErrorKind::kInvalidRequest, source, place, message, "Correct the file.");
  };
  try {
    std::istringstream input(text);
    YAML::Parser parser(input);
    TreeBuilder builder(source);
    if (!parser.HandleNextDocument(builder)) return wrong({}, "there is no document");
    absl::StatusOr<YamlNode> root = std::move(builder).Finish();
    if (!root.ok()) return root;
    TreeBuilder second(source);
    if (parser.HandleNextDocument(second)) {
      return wrong(root->place, "there is more than one document, want one");
    }
    return root;
  } catch (const YAML::Exception& error) {
    return wrong(PlaceOf(error.mark), absl::StrCat("not YAML: ", error.msg));
  } catch (const std::exception& error) {
    return wrong({}, absl::StrCat("not YAML: ", error.what()));
  }
}

}  // namespace

absl::Status YamlError(ErrorKind kind, std::string_view source, YamlPlace place,
                       std::string_view message, std::string_view remedy) {
  ErrorDetail detail;
  detail.kind = kind;
  detail.remedy = std::string(remedy);
  return MakeError(
      absl::StatusCode::kInvalidArgument,
      absl::StrCat(ToAbsl(source), ":", place.line, ":", place.column, ": ", ToAbsl(message)),
      std::move(detail));
}

absl::StatusOr<YamlNode> ParseYaml(std::string_view text, std::string_view source) {
  if (text.size() > kYamlBytesMax) {
    return YamlError(
        ErrorKind::kLimitExceeded, source, {},
        absl::StrCat("the file has ", text.size(), " bytes, want at most ", kYamlBytesMax),
        "Shorten the file.");
  }
  if (!IsUtf8(text)) {
    return YamlError(ErrorKind::kInvalidRequest, source, {}, "the file is not UTF-8",
                     "Save it as UTF-8.");
  }
  // The parser takes a quote that is never closed for complete if a line ends right before the end
  // of the input. Without the last line break it does not.
  const absl::string_view stripped = absl::StripTrailingAsciiWhitespace(ToAbsl(text));
  return ParseOneDocument(std::string(stripped), source);
}

}  // namespace muster
