#include "tests/common/layout/slow_reference.h"

#include <cstddef>
#include <map>

namespace muster {
namespace {

using Coordinates = std::vector<int32_t>;

// The next coordinates, the last dimension fastest. Gives false after the last ones.
bool CountUp(const std::vector<MeshDim>& dims, Coordinates& at) {
  for (size_t i = dims.size(); i-- > 0;) {
    if (++at[i] < dims[i].size) return true;
    at[i] = 0;
  }
  return false;
}

// The dims of a mesh with the inner ones in place of those that are split.
std::vector<MeshDim> Innermost(const MeshSpec& mesh) {
  std::vector<MeshDim> innermost;
  for (const MeshDim& dim : mesh.dims) {
    std::vector<MeshDim> parts = {dim};
    for (const SplitSpec& split : mesh.split) {
      if (split.dim == dim.name) parts = split.into;
    }
    innermost.insert(innermost.end(), parts.begin(), parts.end());
  }
  return innermost;
}

// The names among Innermost() that `dim` stands for.
std::set<std::string> InnermostNames(const MeshSpec& mesh, const std::string& dim) {
  for (const SplitSpec& split : mesh.split) {
    if (split.dim != dim) continue;
    std::set<std::string> names;
    for (const MeshDim& inner : split.into) names.insert(inner.name);
    return names;
  }
  return {dim};
}

// The groups of ranks that differ in the dims named in `inside` only. Maps sort them.
std::vector<std::vector<GlobalRank>> GroupsOver(const MeshSpec& mesh,
                                                const std::set<std::string>& inside) {
  const std::vector<MeshDim> dims = Innermost(mesh);
  std::map<Coordinates, std::map<Coordinates, GlobalRank>> groups;
  Coordinates at(dims.size(), 0);
  GlobalRank rank(mesh.first_rank);
  do {
    Coordinates group;
    Coordinates member;
    for (size_t i = 0; i < dims.size(); ++i) {
      (inside.contains(dims[i].name) ? member : group).push_back(at[i]);
    }
    groups[group][member] = rank;
    ++rank.value;
  } while (CountUp(dims, at));

  std::vector<std::vector<GlobalRank>> lists;
  for (const auto& group : groups) {
    lists.emplace_back();
    for (const auto& member : group.second) lists.back().push_back(member.second);
  }
  return lists;
}

void AddMesh(const MeshSpec& mesh, std::vector<SlowKind>& kinds) {
  const auto add = [&mesh, &kinds](const std::string& name, const std::set<std::string>& inside) {
    kinds.push_back({.name = mesh.name + "." + name, .groups = GroupsOver(mesh, inside)});
  };
  for (const MeshDim& dim : mesh.dims) add(dim.name, InnermostNames(mesh, dim.name));
  for (const SplitSpec& split : mesh.split) {
    for (const MeshDim& inner : split.into) add(inner.name, {inner.name});
  }
  for (const FlattenSpec& flatten : mesh.flatten) {
    std::set<std::string> inside;
    for (const std::string& dim : flatten.of) inside.merge(InnermostNames(mesh, dim));
    add(flatten.name, inside);
  }
}

}  // namespace

std::vector<SlowKind> SlowKinds(const LayoutSpec& spec) {
  std::vector<SlowKind> kinds = {{.name = "world", .groups = {{}}}};
  for (int32_t rank = 0; rank < spec.world_size; ++rank) {
    kinds[0].groups[0].emplace_back(rank);
  }
  for (const MeshSpec& mesh : spec.meshes) AddMesh(mesh, kinds);
  for (const ExplicitGroups& groups : spec.groups) {
    kinds.push_back({.name = groups.name, .groups = groups.ranks});
  }
  return kinds;
}

std::vector<SlowPlace> SlowPlaces(const MeshSpec& mesh) {
  std::vector<SlowPlace> places;
  Coordinates at(mesh.dims.size(), 0);
  GlobalRank rank(mesh.first_rank);
  do {
    places.push_back({.rank = rank, .coordinates = at});
    ++rank.value;
  } while (CountUp(mesh.dims, at));
  return places;
}

}  // namespace muster
