#include "tests/golden/story.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/check.h"

namespace muster::golden {
namespace {

constexpr std::string_view kRule = "----";
constexpr std::string_view kNothing = "(nothing)\n";

// Splits at spaces that are not in double quotes, and drops the quotes.
std::vector<std::string> SplitWords(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      if (!word.empty()) words.push_back(std::exchange(word, ""));
    } else {
      word += c;
    }
  }
  MUSTER_CHECK(!quoted, "a quote does not close: " + std::string(line));
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

}  // namespace

std::string Verb::Get(const std::string& option, std::string otherwise) const {
  const auto it = options.find(option);
  return it == options.end() ? std::move(otherwise) : it->second;
}

Verb ParseVerb(std::string_view line) {
  Verb verb;
  for (std::string& word : SplitWords(line)) {
    const size_t equals = word.find('=');
    if (verb.name.empty()) {
      verb.name = std::move(word);
    } else if (equals != std::string::npos) {
      verb.options[word.substr(0, equals)] = word.substr(equals + 1);
    } else {
      verb.words.push_back(std::move(word));
    }
  }
  return verb;
}

std::vector<Block> ParseStory(std::string_view text) {
  std::vector<Block> story;
  Block block;
  bool below = false;
  for (const std::string& line :
       std::vector<std::string>(absl::StrSplit(std::string(text), '\n'))) {
    if (line.empty()) {
      if (!block.lines.empty()) story.push_back(std::exchange(block, Block()));
      below = false;
    } else if (line == kRule) {
      below = true;
    } else if (below) {
      absl::StrAppend(&block.output, line, "\n");
    } else {
      block.lines.push_back(line);
    }
  }
  if (!block.lines.empty()) story.push_back(std::move(block));
  return story;
}

std::string RenderStory(const std::vector<Block>& story) {
  std::string text;
  for (const Block& block : story) {
    if (!text.empty()) text += "\n";
    for (const std::string& line : block.lines) absl::StrAppend(&text, line, "\n");
    absl::StrAppend(&text, std::string(kRule), "\n", block.output);
  }
  return text;
}

std::vector<Block> Play(std::vector<Block> story, const Player& play) {
  for (Block& block : story) {
    block.output.clear();
    for (const std::string& line : block.lines) {
      if (line[0] != '#') block.output += play(ParseVerb(line));
    }
    if (block.output.empty()) block.output = kNothing;
  }
  return story;
}

}  // namespace muster::golden
