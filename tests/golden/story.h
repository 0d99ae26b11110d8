#ifndef MUSTER_TESTS_GOLDEN_STORY_H_
#define MUSTER_TESTS_GOLDEN_STORY_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::golden {

// One line of a story: "hello w0 w1 host=a dev=0" is the verb "hello", the words "w0" and "w1", and
// the options "host" and "dev". An option's value may hold spaces if it is put in double quotes.
struct Verb {
  std::string name;
  std::vector<std::string> words;
  std::map<std::string, std::string> options;

  // The value of an option, or `otherwise`.
  std::string Get(const std::string& option, std::string otherwise = "") const;
};

// Ends the process if quotes do not close.
Verb ParseVerb(std::string_view line);

// Verbs, and what came of them together. Lines that begin with '#' are for the reader.
struct Block {
  std::vector<std::string> lines;
  std::string output;
};

// A story is blocks with an empty line between them; in each, verbs stand above a line "----" and
// the output below it. Where nothing came, the output is "(nothing)".
std::vector<Block> ParseStory(std::string_view text);
std::string RenderStory(const std::vector<Block>& story);

// Carries out one verb and gives what came of it: lines, each with its newline.
using Player = std::function<std::string(const Verb&)>;

// The story with the output that `play` gives.
std::vector<Block> Play(std::vector<Block> story, const Player& play);

}  // namespace muster::golden

#endif  // MUSTER_TESTS_GOLDEN_STORY_H_
