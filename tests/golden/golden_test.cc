#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/golden/stage.h"
#include "tests/golden/story.h"

namespace muster::golden {
namespace {

namespace fs = std::filesystem;

// Stories of the folder, by name.
std::vector<std::string> Stories(const std::string& folder) {
  std::vector<std::string> stories;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(fs::path(MUSTER_GOLDEN) / folder)) {
    if (entry.path().extension() == ".story") stories.push_back(entry.path().stem().string());
  }
  std::sort(stories.begin(), stories.end());
  return stories;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class CoordinatorStoryTest : public testing::TestWithParam<std::string> {};

// A story that differs is rewritten if MUSTER_UPDATE_GOLDEN is set; read the difference then.
TEST_P(CoordinatorStoryTest, ReadsAsWritten) {
  const fs::path path = fs::path(MUSTER_GOLDEN) / "coordinator" / (GetParam() + ".story");
  const std::string written = ReadFile(path);
  Stage stage;
  const std::vector<Block> played =
      Play(ParseStory(written), [&stage](const Verb& verb) { return stage.Play(verb); });
  const std::string text = RenderStory(played);
  if (std::getenv("MUSTER_UPDATE_GOLDEN") != nullptr) {
    if (text != written) std::ofstream(path) << text;
    return;
  }
  EXPECT_EQ(text, written) << "run ./dev golden and read what changed in " << path;
}

INSTANTIATE_TEST_SUITE_P(Stories, CoordinatorStoryTest, testing::ValuesIn(Stories("coordinator")),
                         [](const auto& story) { return story.param; });

TEST(StoryTest, TextIsReadAndWrittenBackAsItWas) {
  const std::string text =
      "# A remark.\nfirst w0 host=a\n----\nsend w0\n\nsecond what=\"two words\"\n----\n(nothing)\n";

  EXPECT_EQ(RenderStory(ParseStory(text)), text);
}

TEST(StoryTest, VerbHasWordsAndOptions) {
  const Verb verb = ParseVerb("failed w0 w1 epoch=1 reason=\"port is taken\" mesh=dp=2,tp=2");

  EXPECT_EQ(verb.name, "failed");
  EXPECT_EQ(verb.words, (std::vector<std::string>{"w0", "w1"}));
  EXPECT_EQ(verb.Get("reason"), "port is taken");
  EXPECT_EQ(verb.Get("mesh"), "dp=2,tp=2");
  EXPECT_EQ(verb.Get("absent", "otherwise"), "otherwise");
}

TEST(StoryTest, PlayingReplacesTheOutputAndSaysWhenThereIsNone) {
  const std::vector<Block> story = ParseStory("loud\n# quiet\n----\nold\n\nquiet\n----\nold\n");

  const std::vector<Block> played =
      Play(story, [](const Verb& verb) { return verb.name == "loud" ? "new\n" : ""; });

  EXPECT_EQ(played[0].output, "new\n");
  EXPECT_EQ(played[1].output, "(nothing)\n");
}

}  // namespace
}  // namespace muster::golden
