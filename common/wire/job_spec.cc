#include "common/wire/job_spec.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "common/wire/facts.h"
#include "common/wire/limits.h"
#include "common/wire/policy.h"

namespace muster {
namespace {

// Writes `mode` where it differs from what would be inherited.
template <typename Message>
void WriteMode(BuildMode mode, BuildMode inherited, Message& to) {
  if (mode != inherited) to.mutable_backend()->set_host_build(ToProto(mode));
}

template <typename Message>
BuildMode ReadMode(WireReader& reader, const Message& from, BuildMode inherited) {
  if (!from.has_backend()) return inherited;
  const WireReader::Scope scope(reader, "backend");
  return ReadHostMode(reader, from.backend(), inherited);
}

// The mode that `mesh` gives its dimension `dim`, which has one of its own or the mesh's.
BuildMode ModeOf(const MeshSpec& mesh, const std::string& dim) {
  for (const DimMode& own : mesh.host_dim_modes) {
    if (own.dim == dim) return own.mode;
  }
  return mesh.host_mode;
}

// Keeps a mode of a dimension if it is set on the wire.
template <typename Message>
void ReadDimMode(WireReader& reader, const Message& from, MeshSpec& mesh) {
  const BuildMode mode = ReadMode(reader, from, mesh.host_mode);
  if (from.backend().has_host_build()) mesh.host_dim_modes.push_back({from.name(), mode});
}

void WriteDim(const MeshSpec& mesh, const MeshDim& dim, v1::Dim& wire) {
  wire.set_name(dim.name);
  wire.set_size(dim.size);
  WriteMode(ModeOf(mesh, dim.name), mesh.host_mode, wire);
}

MeshDim ReadDim(WireReader& reader, const v1::Dim& wire, MeshSpec& mesh) {
  MeshDim dim;
  dim.name = reader.Text("name", wire.name(), 0, kLayoutNameBytesMax);
  dim.size = wire.size();
  ReadDimMode(reader, wire, mesh);
  return dim;
}

v1::Preset PresetToProto(const MeshSpec& mesh) {
  v1::Preset wire;
  wire.set_name(mesh.preset->name);
  for (const PresetParam& param : mesh.preset->params) {
    v1::Param& added = *wire.add_params();
    added.set_name(param.name);
    if (const auto* integer = std::get_if<int64_t>(&param.value)) added.set_integer(*integer);
    if (const auto* real = std::get_if<double>(&param.value)) added.set_real(*real);
    if (const auto* flag = std::get_if<bool>(&param.value)) added.set_flag(*flag);
    if (const auto* text = std::get_if<std::string>(&param.value)) added.set_text(*text);
  }
  for (const DimMode& own : mesh.host_dim_modes) {
    v1::KindBackend& added = *wire.add_kinds();
    added.set_name(own.dim);
    added.mutable_backend()->set_host_build(ToProto(own.mode));
  }
  return wire;
}

PresetParam ReadParam(WireReader& reader, const v1::Param& wire) {
  PresetParam param = {.name = reader.Text("name", wire.name(), 1, kLayoutNameBytesMax),
                       .value = wire.integer()};
  switch (wire.value_case()) {
    case v1::Param::kInteger:
      break;
    case v1::Param::kReal:
      if (!std::isfinite(wire.real())) reader.Refuse("real", "is not finite, want a number");
      param.value = wire.real();
      break;
    case v1::Param::kFlag:
      param.value = wire.flag();
      break;
    case v1::Param::kText:
      param.value = reader.Text("text", wire.text(), 0, kPresetParamTextBytesMax);
      break;
    case v1::Param::VALUE_NOT_SET:
      reader.Refuse("value", "is missing, want one of integer, real, flag and text");
  }
  return param;
}

// Keeps the modes of its kinds in `mesh`.
PresetSpec ReadPreset(WireReader& reader, const v1::Preset& wire, MeshSpec& mesh) {
  PresetSpec preset = {.name = reader.Text("name", wire.name(), 1, kLayoutNameBytesMax)};
  const int params = reader.Count("params", wire.params_size(), kPresetParamsMax);
  for (int i = 0; i < params; ++i) {
    const WireReader::Scope scope(reader, "params", i);
    preset.params.push_back(ReadParam(reader, wire.params(i)));
  }
  const int kinds = reader.Count("kinds", wire.kinds_size(), kPresetKindsMax);
  for (int i = 0; i < kinds; ++i) {
    const WireReader::Scope scope(reader, "kinds", i);
    reader.Text("name", wire.kinds(i).name(), 1, kLayoutNameBytesMax);
    ReadDimMode(reader, wire.kinds(i), mesh);
  }
  return preset;
}

v1::Mesh MeshToProto(const MeshSpec& mesh, BuildMode inherited) {
  v1::Mesh wire;
  wire.set_name(mesh.name);
  if (mesh.first_rank != 0 || mesh.rank_count != 0) {
    wire.mutable_ranks()->set_first(mesh.first_rank);
    wire.mutable_ranks()->set_count(mesh.rank_count);
  }
  if (mesh.preset.has_value()) *wire.mutable_preset() = PresetToProto(mesh);
  for (const MeshDim& dim : mesh.dims) WriteDim(mesh, dim, *wire.add_dims());
  for (const SplitSpec& split : mesh.split) {
    v1::Split& added = *wire.add_split();
    added.set_dim(split.dim);
    for (const MeshDim& dim : split.into) WriteDim(mesh, dim, *added.add_into());
  }
  for (const FlattenSpec& flatten : mesh.flatten) {
    v1::Flatten& added = *wire.add_flatten();
    added.set_name(flatten.name);
    for (const std::string& dim : flatten.of) added.add_of(dim);
    WriteMode(ModeOf(mesh, flatten.name), mesh.host_mode, added);
  }
  WriteMode(mesh.host_mode, inherited, wire);
  return wire;
}

SplitSpec ReadSplit(WireReader& reader, const v1::Split& wire, MeshSpec& mesh) {
  SplitSpec split;
  split.dim = reader.Text("dim", wire.dim(), 0, kLayoutNameBytesMax);
  const int count = reader.Count("into", wire.into_size(), kSplitDimsMax);
  for (int i = 0; i < count; ++i) {
    const WireReader::Scope scope(reader, "into", i);
    split.into.push_back(ReadDim(reader, wire.into(i), mesh));
  }
  return split;
}

FlattenSpec ReadFlatten(WireReader& reader, const v1::Flatten& wire, MeshSpec& mesh) {
  FlattenSpec flatten;
  flatten.name = reader.Text("name", wire.name(), 0, kLayoutNameBytesMax);
  const int count = reader.Count("of", wire.of_size(), kFlattenDimsMax);
  for (int i = 0; i < count; ++i) {
    flatten.of.push_back(reader.Text("of", wire.of(i), 0, kLayoutNameBytesMax));
  }
  ReadDimMode(reader, wire, mesh);
  return flatten;
}

void ReadDims(WireReader& reader, const v1::Mesh& wire, MeshSpec& mesh) {
  const int dims = reader.Count("dims", wire.dims_size(), kMeshDimsMax);
  for (int i = 0; i < dims; ++i) {
    const WireReader::Scope scope(reader, "dims", i);
    mesh.dims.push_back(ReadDim(reader, wire.dims(i), mesh));
  }
  const int splits = reader.Count("split", wire.split_size(), kMeshDimsMax);
  for (int i = 0; i < splits; ++i) {
    const WireReader::Scope scope(reader, "split", i);
    mesh.split.push_back(ReadSplit(reader, wire.split(i), mesh));
  }
  const int flattens = reader.Count("flatten", wire.flatten_size(), kMeshFlattensMax);
  for (int i = 0; i < flattens; ++i) {
    const WireReader::Scope scope(reader, "flatten", i);
    mesh.flatten.push_back(ReadFlatten(reader, wire.flatten(i), mesh));
  }
}

MeshSpec ReadMesh(WireReader& reader, const v1::Mesh& wire, BuildMode inherited) {
  MeshSpec mesh;
  mesh.name = reader.Text("name", wire.name(), 0, kLayoutNameBytesMax);
  if (wire.has_ranks()) {
    const WireReader::Scope scope(reader, "ranks");
    mesh.first_rank = wire.ranks().first();
    // 0 would mean the whole world.
    mesh.rank_count = reader.Int32("count", wire.ranks().count(), 1);
  }
  mesh.host_mode = ReadMode(reader, wire, inherited);
  const bool has_dims = wire.dims_size() + wire.split_size() + wire.flatten_size() > 0;
  if (wire.has_preset() && has_dims) {
    reader.Refuse("preset", "is set beside dimensions, want one of the two");
  } else if (wire.has_preset()) {
    const WireReader::Scope scope(reader, "preset");
    mesh.preset = ReadPreset(reader, wire.preset(), mesh);
  }
  ReadDims(reader, wire, mesh);
  return mesh;
}

v1::ExplicitGroups GroupsToProto(const ExplicitGroups& groups, BuildMode inherited) {
  v1::ExplicitGroups wire;
  wire.set_name(groups.name);
  for (const std::vector<GlobalRank>& ranks : groups.ranks) {
    v1::RankList& added = *wire.add_groups();
    for (const GlobalRank rank : ranks) added.add_ranks(rank.value);
  }
  WriteMode(groups.host_mode, inherited, wire);
  return wire;
}

ExplicitGroups ReadGroups(WireReader& reader, const v1::ExplicitGroups& wire, BuildMode inherited) {
  ExplicitGroups groups;
  groups.name = reader.Text("name", wire.name(), 0, kLayoutNameBytesMax);
  groups.host_mode = ReadMode(reader, wire, inherited);
  const int count = reader.Count("groups", wire.groups_size(), kWorldSizeMax);
  for (int i = 0; i < count; ++i) {
    const WireReader::Scope scope(reader, "groups", i);
    std::vector<GlobalRank>& ranks = groups.ranks.emplace_back();
    const int members = reader.Count("ranks", wire.groups(i).ranks_size(), kWorldSizeMax);
    for (int m = 0; m < members; ++m) ranks.emplace_back(wire.groups(i).ranks(m));
  }
  return groups;
}

void ReadLayout(WireReader& reader, const v1::JobSpec& wire, LayoutSpec& layout) {
  layout.world_size = wire.world_size();
  layout.world_mode = ReadMode(reader, wire, BuildMode::kEager);
  const int meshes = reader.Count("meshes", wire.meshes_size(), kMeshesMax);
  for (int i = 0; i < meshes; ++i) {
    const WireReader::Scope scope(reader, "meshes", i);
    layout.meshes.push_back(ReadMesh(reader, wire.meshes(i), layout.world_mode));
  }
  const int groups = reader.Count("groups", wire.groups_size(), kExplicitGroupNamesMax);
  for (int i = 0; i < groups; ++i) {
    const WireReader::Scope scope(reader, "groups", i);
    layout.groups.push_back(ReadGroups(reader, wire.groups(i), layout.world_mode));
  }
}

}  // namespace

v1::JobSpec ToProto(const JobSpec& spec) {
  v1::JobSpec wire;
  wire.set_name(spec.name);
  wire.set_world_size(spec.layout.world_size);
  wire.set_spares(spec.spares);
  WriteMode(spec.layout.world_mode, BuildMode::kEager, wire);
  for (const MeshSpec& mesh : spec.layout.meshes) {
    *wire.add_meshes() = MeshToProto(mesh, spec.layout.world_mode);
  }
  for (const ExplicitGroups& groups : spec.layout.groups) {
    *wire.add_groups() = GroupsToProto(groups, spec.layout.world_mode);
  }
  *wire.mutable_recovery() = WireTime(spec.recovery);
  if (spec.deadline_overrides != DeadlineOverrides{}) {
    *wire.mutable_deadlines() = ToProto(spec.deadline_overrides);
  }
  return wire;
}

JobSpec ReadJobSpec(WireReader& reader, const v1::JobSpec& wire) {
  JobSpec spec;
  spec.name = reader.Text("name", wire.name(), 0, kJobNameBytesMax);
  spec.spares = wire.spares();
  ReadLayout(reader, wire, spec.layout);
  if (wire.has_policy()) {
    const WireReader::Scope scope(reader, "policy");
    CheckPolicy(reader, wire.policy());
  }
  if (wire.has_recovery()) spec.recovery = reader.Time("recovery", true, wire.recovery());
  if (wire.has_deadlines()) {
    const WireReader::Scope scope(reader, "deadlines");
    spec.deadline_overrides = ReadDeadlineOverrides(reader, wire.deadlines());
  }
  return spec;
}

absl::StatusOr<JobSpec> FromProto(const v1::JobSpec& wire) {
  WireReader reader("spec");
  JobSpec spec = ReadJobSpec(reader, wire);
  return reader.Finish(std::move(spec));
}

}  // namespace muster
