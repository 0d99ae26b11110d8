#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/jobfile/parts.h"
#include "common/wire/reader.h"

namespace muster {
namespace {

template <typename Value>
using Words = std::span<const std::pair<std::string_view, Value>>;

constexpr std::pair<std::string_view, v1::OnLoss> kOnLoss[] = {
    {"hold", v1::ON_LOSS_HOLD},
    {"replace", v1::ON_LOSS_REPLACE},
    {"shrink", v1::ON_LOSS_SHRINK},
};
constexpr std::pair<std::string_view, v1::Grow> kGrow[] = {
    {"manual", v1::GROW_MANUAL},
    {"auto", v1::GROW_AUTO},
};
constexpr std::pair<std::string_view, v1::OnIsolation> kOnIsolation[] = {
    {"continue", v1::ON_ISOLATION_CONTINUE},
    {"fence", v1::ON_ISOLATION_FENCE},
};

// What a word of a backend says: which library, or when it is used.
template <typename Library>
struct Choice {
  Library library = {};                             // Unspecified: the word is a mode.
  v1::BuildMode mode = v1::BUILD_MODE_UNSPECIFIED;  // Unspecified: the word is a library.
};

constexpr std::pair<std::string_view, Choice<v1::DeviceBackend>> kDeviceWords[] = {
    {"auto", {v1::DEVICE_BACKEND_AUTO, {}}}, {"nccl", {v1::DEVICE_BACKEND_NCCL, {}}},
    {"eager", {{}, v1::BUILD_MODE_EAGER}},   {"lazy", {{}, v1::BUILD_MODE_LAZY}},
    {"none", {{}, v1::BUILD_MODE_NONE}},
};
constexpr std::pair<std::string_view, Choice<v1::HostBackend>> kHostWords[] = {
    {"auto", {v1::HOST_BACKEND_AUTO, {}}}, {"gloo", {v1::HOST_BACKEND_GLOO, {}}},
    {"shm", {v1::HOST_BACKEND_SHM, {}}},   {"eager", {{}, v1::BUILD_MODE_EAGER}},
    {"lazy", {{}, v1::BUILD_MODE_LAZY}},   {"none", {{}, v1::BUILD_MODE_NONE}},
};

// Reads one word, or a list of a library and a mode in any order.
template <typename Library>
Choice<Library> ReadChoice(YamlReader& reader, const YamlNode& node, const std::string& what,
                           Words<Choice<Library>> words) {
  const std::span<const YamlNode> said =
      node.kind == YamlNode::Kind::kList ? reader.Items(node, what) : std::span(&node, 1);
  Choice<Library> choice;
  for (const YamlNode& item : said) {
    const auto word = reader.Word<Choice<Library>>(item, what, words);
    const bool is_mode = word.mode != v1::BUILD_MODE_UNSPECIFIED;
    if (is_mode ? choice.mode != v1::BUILD_MODE_UNSPECIFIED : choice.library != Library{}) {
      reader.Refuse(item, what, absl::StrCat(is_mode ? "a second mode" : "a second library"),
                    "at most one library and one mode");
    }
    if (is_mode) {
      choice.mode = word.mode;
    } else {
      choice.library = word.library;
    }
  }
  if (said.empty()) reader.Refuse(node, what, "an empty list", "a library, a mode or both");
  return choice;
}

void ReadAnswers(YamlReader& reader, const YamlNode& node, const std::string& what,
                 v1::Policy& policy) {
  for (const YamlNode& item : reader.Items(node, what)) {
    policy.add_on_loss(reader.Word<v1::OnLoss>(item, what, kOnLoss));
  }
}

}  // namespace

v1::Backend ReadBackendPart(YamlReader& reader, const YamlNode& node, const std::string& what) {
  v1::Backend backend;
  const YamlMap map(reader, node, what, {"device", "host"});
  if (const YamlNode* device = map.Find("device")) {
    const auto choice =
        ReadChoice<v1::DeviceBackend>(reader, *device, map.Path("device"), kDeviceWords);
    if (choice.library != v1::DEVICE_BACKEND_UNSPECIFIED) backend.set_device(choice.library);
    if (choice.mode != v1::BUILD_MODE_UNSPECIFIED) backend.set_device_build(choice.mode);
  }
  if (const YamlNode* host = map.Find("host")) {
    const auto choice = ReadChoice<v1::HostBackend>(reader, *host, map.Path("host"), kHostWords);
    if (choice.library != v1::HOST_BACKEND_UNSPECIFIED) backend.set_host(choice.library);
    if (choice.mode != v1::BUILD_MODE_UNSPECIFIED) backend.set_host_build(choice.mode);
  }
  return backend;
}

v1::Policy ReadPolicyPart(YamlReader& reader, const YamlNode& node, const std::string& what) {
  v1::Policy policy;
  const YamlMap map(
      reader, node, what,
      {"onLoss", "shrinkDim", "failureDomain", "allowCrossing", "attempts", "grow", "onIsolation"});
  if (const YamlNode* on_loss = map.Find("onLoss")) {
    ReadAnswers(reader, *on_loss, map.Path("onLoss"), policy);
  }
  if (const YamlNode* dim = map.Find("shrinkDim")) {
    policy.set_shrink_dim(reader.Text(*dim, map.Path("shrinkDim")));
  }
  if (const YamlNode* domain = map.Find("failureDomain")) {
    policy.set_failure_domain(reader.Text(*domain, map.Path("failureDomain")));
  }
  if (const YamlNode* allow = map.Find("allowCrossing")) {
    policy.set_allow_crossing(reader.Switch(*allow, map.Path("allowCrossing")));
  }
  if (const YamlNode* attempts = map.Find("attempts")) {
    policy.set_attempts(reader.Integer(*attempts, map.Path("attempts")));
  }
  if (const YamlNode* grow = map.Find("grow")) {
    policy.set_grow(reader.Word<v1::Grow>(*grow, map.Path("grow"), kGrow));
  }
  if (const YamlNode* isolation = map.Find("onIsolation")) {
    policy.set_on_isolation(
        reader.Word<v1::OnIsolation>(*isolation, map.Path("onIsolation"), kOnIsolation));
  }
  return policy;
}

google::protobuf::Duration ReadTimePart(YamlReader& reader, const YamlNode& node,
                                        const std::string& what) {
  return WireTime(reader.Time(node, what));
}

v1::DeadlineOverrides ReadDeadlinesPart(YamlReader& reader, const YamlNode& node,
                                        const std::string& what) {
  v1::DeadlineOverrides deadlines;
  const YamlMap map(
      reader, node, what,
      {"lease", "heartbeat", "prepare", "build", "retire", "abort", "coordinatorLost", "join"});
  const auto read = [&](std::string_view key, auto mutable_field) {
    if (const YamlNode* time = map.Find(key)) {
      *(deadlines.*mutable_field)() = ReadTimePart(reader, *time, map.Path(key));
    }
  };
  read("lease", &v1::DeadlineOverrides::mutable_lease);
  read("heartbeat", &v1::DeadlineOverrides::mutable_heartbeat);
  read("prepare", &v1::DeadlineOverrides::mutable_prepare);
  read("build", &v1::DeadlineOverrides::mutable_build);
  read("retire", &v1::DeadlineOverrides::mutable_retire);
  read("abort", &v1::DeadlineOverrides::mutable_abort);
  read("coordinatorLost", &v1::DeadlineOverrides::mutable_coordinator_lost);
  read("join", &v1::DeadlineOverrides::mutable_join);
  return deadlines;
}

}  // namespace muster
