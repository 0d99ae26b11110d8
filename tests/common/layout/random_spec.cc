#include "tests/common/layout/random_spec.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace muster {
namespace {

int32_t Between(Random& random, int32_t low, int32_t high) {
  return static_cast<int32_t>(random.Between(low, high));
}

BuildMode DrawMode(Random& random) {
  constexpr BuildMode kModes[] = {BuildMode::kEager, BuildMode::kLazy, BuildMode::kNone};
  return kModes[random.Uniform(3)];
}

// Sizes that multiply to `product`, ones among them.
std::vector<int32_t> DrawFactors(Random& random, int32_t product, int32_t count) {
  std::vector<int32_t> factors(static_cast<size_t>(count), 1);
  for (int32_t prime = 2; product > 1;) {
    if (product % prime != 0) {
      ++prime;
      continue;
    }
    factors[random.Uniform(factors.size())] *= prime;
    product /= prime;
  }
  return factors;
}

std::vector<MeshDim> DrawDims(Random& random, const std::string& prefix, int32_t product,
                              int32_t count) {
  std::vector<MeshDim> dims;
  for (const int32_t size : DrawFactors(random, product, count)) {
    dims.push_back({.name = prefix + std::to_string(dims.size()), .size = size});
  }
  return dims;
}

// The names of dims or, for some split ones, of some inner dims instead, in mesh order.
std::vector<std::string> DrawFlattenOf(Random& random, const MeshSpec& mesh) {
  std::vector<std::string> of;
  for (const MeshDim& dim : mesh.dims) {
    const auto split =
        std::find_if(mesh.split.begin(), mesh.split.end(),
                     [&dim](const SplitSpec& candidate) { return candidate.dim == dim.name; });
    if (split == mesh.split.end() || random.Chance(50)) {
      if (random.Chance(50)) of.push_back(dim.name);
      continue;
    }
    for (const MeshDim& inner : split->into) {
      if (random.Chance(50)) of.push_back(inner.name);
    }
  }
  if (of.empty()) of.push_back(mesh.dims.front().name);
  return of;
}

MeshSpec DrawMesh(Random& random, const std::string& name, int32_t world_size) {
  MeshSpec mesh = {.name = name};
  int32_t product = world_size;
  if (random.Chance(40)) {
    mesh.first_rank = Between(random, 0, world_size - 1);
    mesh.rank_count = Between(random, 1, world_size - mesh.first_rank);
    product = mesh.rank_count;
  }
  mesh.dims = DrawDims(random, "d", product, Between(random, 1, 5));
  for (const MeshDim& dim : mesh.dims) {
    if (!random.Chance(30)) continue;
    mesh.split.push_back(
        {.dim = dim.name,
         .into = DrawDims(random, dim.name + "_", dim.size, Between(random, 1, 3))});
  }
  if (random.Chance(50)) std::reverse(mesh.split.begin(), mesh.split.end());
  const int32_t flattens = Between(random, 0, 3);
  for (int32_t f = 0; f < flattens; ++f) {
    mesh.flatten.push_back({.name = "f" + std::to_string(f), .of = DrawFlattenOf(random, mesh)});
  }
  mesh.host_mode = DrawMode(random);
  if (random.Chance(50)) mesh.host_dim_modes = {{mesh.dims.front().name, DrawMode(random)}};
  return mesh;
}

ExplicitGroups DrawGroups(Random& random, const std::string& name, int32_t world_size) {
  std::vector<GlobalRank> ranks;
  for (int32_t rank = 0; rank < world_size; ++rank) {
    if (random.Chance(80)) ranks.emplace_back(rank);
  }
  if (ranks.empty()) ranks.emplace_back(0);
  for (size_t i = ranks.size(); i > 1; --i) std::swap(ranks[i - 1], ranks[random.Uniform(i)]);
  ExplicitGroups groups = {.name = name, .ranks = {{}}, .host_mode = DrawMode(random)};
  for (const GlobalRank rank : ranks) {
    if (!groups.ranks.back().empty() && random.Chance(20)) groups.ranks.emplace_back();
    groups.ranks.back().push_back(rank);
  }
  return groups;
}

}  // namespace

LayoutSpec DrawLayoutSpec(Random& random, int32_t world_size_max) {
  LayoutSpec spec = {.world_size = Between(random, 1, world_size_max)};
  // Numbers with many divisors make the more interesting meshes.
  if (random.Chance(60) && spec.world_size > 8) spec.world_size -= spec.world_size % 8;
  const int32_t meshes = Between(random, 0, 3);
  for (int32_t m = 0; m < meshes; ++m) {
    spec.meshes.push_back(DrawMesh(random, "m" + std::to_string(m), spec.world_size));
  }
  const int32_t groups = Between(random, 0, 2);
  for (int32_t g = 0; g < groups; ++g) {
    spec.groups.push_back(DrawGroups(random, "g" + std::to_string(g), spec.world_size));
  }
  spec.world_mode = DrawMode(random);
  return spec;
}

}  // namespace muster
