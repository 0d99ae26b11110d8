#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/string_view.h"
#include "common/jobfile/parts.h"
#include "common/layout/parse_mesh.h"

namespace muster {
namespace {

std::string Indexed(const std::string& what, int index) {
  return absl::StrCat(what, "[", index, "]");
}

// Reads the key `backend` of `map` into `part`, if it is there.
template <typename Part>
void ReadBackendOf(YamlReader& reader, const YamlMap& map, Part& part) {
  if (const YamlNode* backend = map.Find("backend")) {
    *part.mutable_backend() = ReadBackendPart(reader, *backend, map.Path("backend"));
  }
}

void ReadNameOf(YamlReader& reader, YamlMap& map, std::string& name) {
  if (const YamlNode* node = map.Need("name")) name = reader.Text(*node, map.Path("name"));
}

// "tp=2".
v1::Dim ReadShortDim(YamlReader& reader, const YamlNode& node, const std::string& what) {
  v1::Dim dim;
  const absl::StatusOr<MeshDim> parsed = ParseMeshDim(node.text);
  if (!parsed.ok()) {
    reader.Fail(ErrorKind::kInvalidRequest, node.place,
                absl::StrCat(what, ": ", parsed.status().message()), "Write NAME=SIZE, as tp=2.");
    return dim;
  }
  dim.set_name(parsed->name);
  dim.set_size(parsed->size);
  return dim;
}

v1::Dim ReadDim(YamlReader& reader, const YamlNode& node, const std::string& what) {
  if (node.kind == YamlNode::Kind::kText) return ReadShortDim(reader, node, what);
  v1::Dim dim;
  YamlMap map(reader, node, what, {"name", "size", "backend"});
  ReadNameOf(reader, map, *dim.mutable_name());
  if (const YamlNode* size = map.Need("size")) {
    dim.set_size(reader.Integer(*size, map.Path("size")));
  }
  ReadBackendOf(reader, map, dim);
  return dim;
}

v1::Split ReadSplit(YamlReader& reader, const YamlNode& node, const std::string& what) {
  v1::Split split;
  YamlMap map(reader, node, what, {"dim", "into"});
  if (const YamlNode* dim = map.Need("dim")) split.set_dim(reader.Text(*dim, map.Path("dim")));
  if (const YamlNode* into = map.Need("into")) {
    for (const YamlNode& item : reader.Items(*into, map.Path("into"))) {
      const std::string name = Indexed(map.Path("into"), split.into_size());
      *split.add_into() = ReadDim(reader, item, name);
    }
  }
  return split;
}

v1::Flatten ReadFlatten(YamlReader& reader, const YamlNode& node, const std::string& what) {
  v1::Flatten flatten;
  YamlMap map(reader, node, what, {"name", "of", "backend"});
  ReadNameOf(reader, map, *flatten.mutable_name());
  if (const YamlNode* of = map.Need("of")) {
    for (const YamlNode& item : reader.Items(*of, map.Path("of"))) {
      flatten.add_of(reader.Text(item, Indexed(map.Path("of"), flatten.of_size())));
    }
  }
  ReadBackendOf(reader, map, flatten);
  return flatten;
}

v1::RankRange ReadRange(YamlReader& reader, const YamlNode& node, const std::string& what) {
  v1::RankRange range;
  const std::span<const YamlNode> items = reader.Items(node, what);
  if (items.size() == 2) {
    range.set_first(reader.Integer(items[0], Indexed(what, 0)));
    range.set_count(reader.Integer(items[1], Indexed(what, 1)));
  } else {
    reader.Refuse(node, what, absl::StrCat("a list of ", items.size()),
                  "two numbers: the first rank and how many");
  }
  return range;
}

// A list as text, "[[0, 1], [2, 3]]".
std::string ReadListText(YamlReader& reader, const YamlNode& node, const std::string& what) {
  if (node.kind != YamlNode::Kind::kList) return reader.Text(node, what);
  std::string text = "[";
  for (const YamlNode& item : reader.Items(node, what)) {
    absl::StrAppend(&text, text.size() == 1 ? "" : ", ", ReadListText(reader, item, what));
  }
  return text + "]";
}

// Quoted text stays text. Else what looks like a number or a switch is one.
void ReadParam(YamlReader& reader, const YamlNode& node, const std::string& what,
               v1::Param& param) {
  if (node.kind == YamlNode::Kind::kList) {
    param.set_text(ReadListText(reader, node, what));
    return;
  }
  const std::string text = reader.Text(node, what);
  int64_t integer = 0;
  double real = 0;
  const bool plain = !node.quoted;
  if (plain && (text == "true" || text == "false")) {
    param.set_flag(text == "true");
  } else if (plain && absl::SimpleAtoi(text, &integer)) {
    param.set_integer(integer);
  } else if (plain && text.find_first_not_of("+-.0123456789eE") == std::string::npos &&
             absl::SimpleAtod(text, &real)) {
    param.set_real(real);
  } else {
    param.set_text(text);
  }
}

v1::KindBackend ReadKind(YamlReader& reader, const YamlNode& node, const std::string& what) {
  v1::KindBackend kind;
  YamlMap map(reader, node, what, {"name", "backend"});
  ReadNameOf(reader, map, *kind.mutable_name());
  ReadBackendOf(reader, map, kind);
  return kind;
}

v1::Preset ReadPreset(YamlReader& reader, const YamlNode& name, const YamlMap& mesh) {
  v1::Preset preset;
  preset.set_name(reader.Text(name, mesh.Path("preset")));
  if (const YamlNode* kinds = mesh.Find("kinds")) {
    for (const YamlNode& kind : reader.Items(*kinds, mesh.Path("kinds"))) {
      const std::string what = Indexed(mesh.Path("kinds"), preset.kinds_size());
      *preset.add_kinds() = ReadKind(reader, kind, what);
    }
  }
  const YamlNode* params = mesh.Find("params");
  if (params == nullptr) return preset;
  const std::string what = mesh.Path("params");
  if (params->kind != YamlNode::Kind::kMap) reader.Refuse(*params, what, "no map", "a map");
  for (const YamlEntry& entry : params->entries) {
    v1::Param& param = *preset.add_params();
    param.set_name(entry.key);
    ReadParam(reader, entry.value, absl::StrCat(what, ".", entry.key), param);
  }
  return preset;
}

// What the groups of a mesh come from: a preset, or dims with splits and flattened ones.
void ReadShape(YamlReader& reader, const YamlNode& node, const YamlMap& map, v1::Mesh& mesh) {
  const YamlNode* preset = map.Find("preset");
  const YamlNode* dims = map.Find("dims");
  if ((preset == nullptr) == (dims == nullptr)) {
    reader.Refuse(node, map.Path("dims"), preset == nullptr ? "missing" : "there beside 'preset'",
                  "one of 'dims' and 'preset'");
  }
  if (preset != nullptr) {
    *mesh.mutable_preset() = ReadPreset(reader, *preset, map);
  } else {
    for (const char* key : {"params", "kinds"}) {
      const YamlNode* const part = map.Find(key);
      if (part == nullptr) continue;
      reader.Refuse(*part, map.Path(key), "there without 'preset'", "both or neither");
    }
  }
  if (dims != nullptr) {
    for (const YamlNode& dim : reader.Items(*dims, map.Path("dims"))) {
      const std::string what = Indexed(map.Path("dims"), mesh.dims_size());
      *mesh.add_dims() = ReadDim(reader, dim, what);
    }
  }
}

}  // namespace

v1::Mesh ReadMeshPart(YamlReader& reader, const YamlNode& node, const std::string& what) {
  v1::Mesh mesh;
  YamlMap map(
      reader, node, what,
      {"name", "ranks", "dims", "split", "flatten", "preset", "params", "kinds", "backend"});
  ReadNameOf(reader, map, *mesh.mutable_name());
  if (const YamlNode* ranks = map.Find("ranks")) {
    *mesh.mutable_ranks() = ReadRange(reader, *ranks, map.Path("ranks"));
  }
  ReadShape(reader, node, map, mesh);
  if (const YamlNode* splits = map.Find("split")) {
    for (const YamlNode& split : reader.Items(*splits, map.Path("split"))) {
      const std::string name = Indexed(map.Path("split"), mesh.split_size());
      *mesh.add_split() = ReadSplit(reader, split, name);
    }
  }
  if (const YamlNode* flattens = map.Find("flatten")) {
    for (const YamlNode& flatten : reader.Items(*flattens, map.Path("flatten"))) {
      const std::string name = Indexed(map.Path("flatten"), mesh.flatten_size());
      *mesh.add_flatten() = ReadFlatten(reader, flatten, name);
    }
  }
  ReadBackendOf(reader, map, mesh);
  return mesh;
}

v1::ExplicitGroups ReadGroupsPart(YamlReader& reader, const YamlNode& node,
                                  const std::string& what) {
  v1::ExplicitGroups groups;
  YamlMap map(reader, node, what, {"name", "ranks", "backend"});
  ReadNameOf(reader, map, *groups.mutable_name());
  if (const YamlNode* ranks = map.Need("ranks")) {
    const std::string path = map.Path("ranks");
    for (const YamlNode& group : reader.Items(*ranks, path)) {
      v1::RankList& list = *groups.add_groups();
      for (const YamlNode& rank : reader.Items(group, path)) {
        list.add_ranks(reader.Integer(rank, path));
      }
    }
  }
  ReadBackendOf(reader, map, groups);
  return groups;
}

}  // namespace muster
