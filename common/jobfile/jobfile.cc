#include "common/jobfile/jobfile.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/jobfile/parts.h"
#include "common/jobfile/yaml_reader.h"
#include "common/jobfile/yaml_tree.h"

namespace muster {
namespace {

constexpr std::string_view kApiVersion = "muster/v1";
constexpr std::string_view kJobKind = "Job";

// A key with one legal value only.
void CheckConstant(YamlReader& reader, YamlMap& file, std::string_view key,
                   std::string_view wanted) {
  const YamlNode* node = file.Need(key);
  if (node == nullptr) return;
  const std::pair<std::string_view, bool> words[] = {{wanted, true}};
  reader.Word<bool>(*node, key, words);
}

void ReadMetadata(YamlReader& reader, const YamlNode& node, v1::JobSpec& spec) {
  YamlMap metadata(reader, node, "metadata", {"name"});
  if (const YamlNode* name = metadata.Need("name")) {
    spec.set_name(reader.Text(*name, "metadata.name"));
  }
}

void ReadLists(YamlReader& reader, const YamlMap& map, v1::JobSpec& spec) {
  if (const YamlNode* meshes = map.Find("meshes")) {
    for (const YamlNode& mesh : reader.Items(*meshes, "spec.meshes")) {
      const std::string what = absl::StrCat("spec.meshes[", spec.meshes_size(), "]");
      *spec.add_meshes() = ReadMeshPart(reader, mesh, what);
    }
  }
  if (const YamlNode* groups = map.Find("groups")) {
    for (const YamlNode& group : reader.Items(*groups, "spec.groups")) {
      const std::string what = absl::StrCat("spec.groups[", spec.groups_size(), "]");
      *spec.add_groups() = ReadGroupsPart(reader, group, what);
    }
  }
}

void ReadSpec(YamlReader& reader, const YamlNode& node, v1::JobSpec& spec) {
  YamlMap map(
      reader, node, "spec",
      {"worldSize", "spares", "meshes", "groups", "backend", "policy", "recovery", "deadlines"});
  if (const YamlNode* size = map.Need("worldSize")) {
    spec.set_world_size(reader.Integer(*size, "spec.worldSize"));
  }
  if (const YamlNode* spares = map.Find("spares")) {
    spec.set_spares(reader.Integer(*spares, "spec.spares"));
  }
  ReadLists(reader, map, spec);
  if (const YamlNode* backend = map.Find("backend")) {
    *spec.mutable_backend() = ReadBackendPart(reader, *backend, "spec.backend");
  }
  if (const YamlNode* policy = map.Find("policy")) {
    *spec.mutable_policy() = ReadPolicyPart(reader, *policy, "spec.policy");
  }
  if (const YamlNode* recovery = map.Find("recovery")) {
    *spec.mutable_recovery() = ReadTimePart(reader, *recovery, "spec.recovery");
  }
  if (const YamlNode* deadlines = map.Find("deadlines")) {
    *spec.mutable_deadlines() = ReadDeadlinesPart(reader, *deadlines, "spec.deadlines");
  }
}

}  // namespace

absl::StatusOr<v1::JobSpec> ParseJobFile(std::string_view text, std::string_view source) {
  MUSTER_ASSIGN_OR_RETURN(const YamlNode root, ParseYaml(text, source));
  YamlReader reader(source);
  v1::JobSpec spec;
  YamlMap file(reader, root, "", {"apiVersion", "kind", "metadata", "spec"});
  CheckConstant(reader, file, "apiVersion", kApiVersion);
  CheckConstant(reader, file, "kind", kJobKind);
  if (const YamlNode* metadata = file.Need("metadata")) ReadMetadata(reader, *metadata, spec);
  if (const YamlNode* wanted = file.Need("spec")) ReadSpec(reader, *wanted, spec);
  MUSTER_RETURN_IF_ERROR(reader.status());
  return spec;
}

}  // namespace muster
