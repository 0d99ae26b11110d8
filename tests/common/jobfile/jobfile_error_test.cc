#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/jobfile/jobfile.h"
#include "common/jobfile/yaml_tree.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using absl::StatusCode;
using testing::StartsWith;

struct Case {
  std::string spec;   // Follows "spec:" in line 4; its lines count from 5.
  const char* error;  // The start of the message.
};

std::string FileWith(const std::string& spec) {
  return absl::StrCat("apiVersion: muster/v1\nkind: Job\nmetadata: {name: wan}\nspec:\n", spec);
}

void ExpectRefused(const Case& c, ErrorKind kind) {
  const absl::Status status = ParseJobFile(FileWith(c.spec), "wan.yaml").status();
  EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument, StartsWith(c.error))) << c.spec;
  EXPECT_THAT(status, HasKind(kind)) << c.spec;
}

TEST(JobFileErrorTest, UnknownKeysAreNamedWithLineAndNearestKnownKey) {
  const Case cases[] = {
      {"  worldSize: 3\n  spare: 1\n",
       "wan.yaml:6:3: unknown key 'spare' in spec, the nearest known key is 'spares'"},
      {"  worldsize: 3\n",
       "wan.yaml:5:3: unknown key 'worldsize' in spec, the nearest known key is 'worldSize'"},
      {"  worldSize: 3\n  meshes: [{name: a, dim: [b=3]}]\n",
       "wan.yaml:6:22: unknown key 'dim' in spec.meshes[0], the nearest known key is 'dims'"},
      {"  worldSize: 3\n  policy: {on_loss: [hold]}\n",
       "wan.yaml:6:12: unknown key 'on_loss' in spec.policy, the nearest known key is 'onLoss'"},
      {"  worldSize: 3\n  deadlines:\n    leese: 3s\n",
       "wan.yaml:7:5: unknown key 'leese' in spec.deadlines, the nearest known key is 'lease'"},
      {"  worldSize: 3\n  backend: {hosts: auto}\n",
       "wan.yaml:6:13: unknown key 'hosts' in spec.backend, the nearest known key is 'host'"},
      {"  worldSize: 3\n  groups: [{name: a, rank: [[0]]}]\n",
       "wan.yaml:6:22: unknown key 'rank' in spec.groups[0], the nearest known key is 'ranks'"},
      {"  worldSize: 3\nstatus: {}\n", "wan.yaml:6:1: unknown key 'status' in the file"},
  };
  for (const Case& c : cases) ExpectRefused(c, ErrorKind::kUnknownName);
}

TEST(JobFileErrorTest, WrongTypesAreNamedWithLineAndWhatWasWanted) {
  const Case cases[] = {
      {"  worldSize: eight\n", "wan.yaml:5:14: spec.worldSize is 'eight', want a whole number"},
      {"  worldSize: 3.5\n", "wan.yaml:5:14: spec.worldSize is '3.5', want a whole number"},
      {"  worldSize: \"3\"\n", "wan.yaml:5:14: spec.worldSize is '3', want a whole number"},
      {"  worldSize: 3000000000\n", "wan.yaml:5:14: spec.worldSize is '3000000000', want a whole"},
      {"  worldSize: [3]\n", "wan.yaml:5:14: spec.worldSize is a list, want a whole number"},
      {"  worldSize: 3\n  meshes: {}\n", "wan.yaml:6:11: spec.meshes is a map, want a list"},
      {"  worldSize: 3\n  meshes: [7]\n", "wan.yaml:6:12: spec.meshes[0] is '7', want a map"},
      {"  worldSize: 3\n  meshes:\n", "wan.yaml:6:3: spec.meshes is empty, want a value"},
      {"  worldSize: 3\n  recovery: 30\n", "wan.yaml:6:13: spec.recovery is '30', want a time"},
      {"  worldSize: 3\n  recovery: -3s\n", "wan.yaml:6:13: spec.recovery is '-3s', want a time"},
      {"  worldSize: 3\n  recovery: inf\n", "wan.yaml:6:13: spec.recovery is 'inf', want a time"},
      {"  worldSize: 3\n  recovery: 721h\n", "wan.yaml:6:13: spec.recovery is '721h', want a time"},
      {"  worldSize: 3\n  recovery: 99999999999999999999h\n", "wan.yaml:6:13: spec.recovery is"},
      {"  worldSize: 3\n  recovery: 3 weeks\n", "wan.yaml:6:13: spec.recovery is '3 weeks'"},
      {"  worldSize: 3\n  policy: {onLoss: hold}\n",
       "wan.yaml:6:20: spec.policy.onLoss is 'hold', want a list"},
      {"  worldSize: 3\n  policy: {allowCrossing: yes}\n",
       "wan.yaml:6:27: spec.policy.allowCrossing is 'yes', want true or false"},
  };
  for (const Case& c : cases) ExpectRefused(c, ErrorKind::kInvalidRequest);
}

TEST(JobFileErrorTest, WordsOutsideTheirListAreNamedWithTheList) {
  const Case cases[] = {
      {"  worldSize: 3\n  policy: {onLoss: [hold, pray]}\n",
       "wan.yaml:6:27: spec.policy.onLoss is 'pray', want one of hold, replace, shrink"},
      {"  worldSize: 3\n  policy: {grow: yes}\n",
       "wan.yaml:6:18: spec.policy.grow is 'yes', want one of manual, auto"},
      {"  worldSize: 3\n  backend: {device: gloo}\n",
       "wan.yaml:6:21: spec.backend.device is 'gloo', want one of auto, nccl, eager, lazy, none"},
      {"  worldSize: 3\n  backend: {host: [lazy, eager]}\n",
       "wan.yaml:6:26: spec.backend.host is a second mode, want at most one library and one"},
      {"  worldSize: 3\n  backend: {host: [shm, gloo]}\n",
       "wan.yaml:6:25: spec.backend.host is a second library, want at most one library and one"},
      {"  worldSize: 3\n  backend: {host: []}\n",
       "wan.yaml:6:19: spec.backend.host is an empty list, want a library, a mode or both"},
  };
  for (const Case& c : cases) ExpectRefused(c, ErrorKind::kInvalidRequest);
}

TEST(JobFileErrorTest, MeshesThatSayTooLittleOrTooMuchAreRefused) {
  const Case cases[] = {
      {"  worldSize: 3\n  meshes: [{dims: [b=3]}]\n",
       "wan.yaml:6:12: spec.meshes[0].name is missing"},
      {"  worldSize: 3\n  meshes: [{name: a}]\n",
       "wan.yaml:6:12: spec.meshes[0].dims is missing, want one of 'dims' and 'preset'"},
      {"  worldSize: 3\n  meshes: [{name: a, preset: xdit, dims: [b=3]}]\n",
       "wan.yaml:6:12: spec.meshes[0].dims is there beside 'preset'"},
      {"  worldSize: 3\n  meshes: [{name: a, dims: [b=3], params: {c: 1}}]\n",
       "wan.yaml:6:43: spec.meshes[0].params is there without 'preset'"},
      {"  worldSize: 3\n  meshes: [{name: a, preset: xdit, params: [c]}]\n",
       "wan.yaml:6:44: spec.meshes[0].params is no map"},
      {"  worldSize: 3\n  meshes: [{name: a, preset: xdit, params: {c: {d: 1}}}]\n",
       "wan.yaml:6:48: spec.meshes[0].params.c is a map, want text"},
      {"  worldSize: 3\n  meshes: [{name: a, preset: xdit, params: {c: [[1], {d: 1}]}}]\n",
       "wan.yaml:6:54: spec.meshes[0].params.c is a map, want text"},
      {"  worldSize: 3\n  meshes: [{name: a, dims: [b=3], kinds: [{name: b}]}]\n",
       "wan.yaml:6:42: spec.meshes[0].kinds is there without 'preset'"},
      {"  worldSize: 3\n  meshes: [{name: a, preset: xdit, kinds: [{backend: {}}]}]\n",
       "wan.yaml:6:44: spec.meshes[0].kinds[0].name is missing"},
      {"  worldSize: 3\n  meshes: [{name: a, dims: [b3]}]\n",
       "wan.yaml:6:29: spec.meshes[0].dims[0]"},
      {"  worldSize: 3\n  meshes: [{name: a, dims: [{name: b}]}]\n",
       "wan.yaml:6:29: spec.meshes[0].dims[0].size is missing"},
      {"  worldSize: 3\n  meshes: [{name: a, ranks: [0], dims: [b=3]}]\n",
       "wan.yaml:6:29: spec.meshes[0].ranks is a list of 1, want two numbers"},
      {"  worldSize: 3\n  groups: [{name: a, ranks: [0, 1]}]\n",
       "wan.yaml:6:30: spec.groups[0].ranks is '0', want a list"},
  };
  for (const Case& c : cases) ExpectRefused(c, ErrorKind::kInvalidRequest);
}

TEST(JobFileErrorTest, HeaderIsHeldToItsForm) {
  struct Header {
    const char* file;
    const char* error;
  };
  const Header cases[] = {
      {"kind: Job\nmetadata: {name: a}\nspec: {worldSize: 1}\n", "w:1:1: apiVersion is missing"},
      {"apiVersion: muster/v2\nkind: Job\nmetadata: {name: a}\nspec: {worldSize: 1}\n",
       "w:1:13: apiVersion is 'muster/v2', want one of muster/v1"},
      {"apiVersion: muster/v1\nkind: Pod\nmetadata: {name: a}\nspec: {worldSize: 1}\n",
       "w:2:7: kind is 'Pod', want one of Job"},
      {"apiVersion: muster/v1\nkind: Job\nspec: {worldSize: 1}\n", "w:1:1: metadata is missing"},
      {"apiVersion: muster/v1\nkind: Job\nmetadata: {}\nspec: {worldSize: 1}\n",
       "w:3:11: metadata.name is missing"},
      {"apiVersion: muster/v1\nkind: Job\nmetadata: {name: a}\n", "w:1:1: spec is missing"},
      {"apiVersion: muster/v1\nkind: Job\nmetadata: {name: a}\nspec: {}\n",
       "w:4:7: spec.worldSize is missing"},
      {"[1, 2]\n", "w:1:1: the file is a list, want a map"},
      {"~\n", "w:1:1: the file is empty, want a map"},
      {"", "w:1:1: there is no document"},
      {"# only a comment\n\n", "w:1:1: there is no document"},
      {"---\n---\n", "w:"},
      {"a: 1\n---\nb: 2\n", "w:1:1: there is more than one document"},
  };
  for (const Header& c : cases) {
    EXPECT_THAT(ParseJobFile(c.file, "w"),
                StatusIs(StatusCode::kInvalidArgument, StartsWith(c.error)))
        << c.file;
  }
}

TEST(JobFileErrorTest, FirstErrorOfAFileIsReported) {
  ExpectRefused({"  worldSize: x\n  spares: y\n", "wan.yaml:5:14: spec.worldSize"},
                ErrorKind::kInvalidRequest);
}

TEST(JobFileErrorTest, LargestFileIsReadAndALargerOneRefused) {
  std::string file = FileWith("  worldSize: 3\n");
  file.push_back('#');
  file.append(kYamlBytesMax - file.size(), 'x');
  ASSERT_EQ(file.size(), kYamlBytesMax);
  EXPECT_THAT(ParseJobFile(file, "wan.yaml"), IsOk());
  file.push_back('x');
  EXPECT_THAT(ParseJobFile(file, "wan.yaml"), HasKind(ErrorKind::kLimitExceeded));
}

TEST(JobFileErrorTest, LongListsOfRanksAreRead) {
  std::string ranks;
  for (int i = 0; i < 50000; ++i) absl::StrAppend(&ranks, i == 0 ? "" : ",", i);
  const absl::StatusOr<v1::JobSpec> spec = ParseJobFile(
      FileWith(absl::StrCat("  worldSize: 50000\n  groups: [{name: a, ranks: [[", ranks, "]]}]\n")),
      "wan.yaml");
  ASSERT_THAT(spec, IsOk());
  EXPECT_EQ(spec->groups(0).groups(0).ranks(49999), 49999);
}

TEST(JobFileErrorTest, MessagesStayShortWhateverTheFileSays) {
  const std::string long_word(100000, 'k');
  const absl::Status status =
      ParseJobFile(FileWith(absl::StrCat("  ? ", long_word, "\n  : 1\n")), "wan.yaml").status();
  EXPECT_THAT(status, HasKind(ErrorKind::kUnknownName));
  EXPECT_LT(status.message().size(), 300u);
}

}  // namespace
}  // namespace muster
