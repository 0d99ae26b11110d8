#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/simulation/plan.h"

namespace muster::sim {
namespace {

// Draws sizes that multiply to `product`, each above 1 unless `product` is 1.
std::vector<int32_t> DrawFactors(Random& random, int32_t product) {
  std::vector<int32_t> factors;
  for (int32_t divisor = 2; product > 1; ++divisor) {
    while (product % divisor == 0) {
      product /= divisor;
      const bool merge = !factors.empty() && random.Chance(40);
      if (merge) {
        factors.back() *= divisor;
      } else {
        factors.push_back(divisor);
      }
    }
  }
  if (factors.empty()) factors.push_back(1);
  return factors;
}

BuildMode DrawMode(Random& random) {
  const uint64_t drawn = random.Uniform(10);
  if (drawn == 0) return BuildMode::kNone;
  return drawn == 1 ? BuildMode::kLazy : BuildMode::kEager;
}

MeshSpec DrawMesh(Random& random, std::string name, int32_t first, int32_t count) {
  static constexpr const char* kDimNames[] = {"dp", "pp", "sp", "tp"};
  MeshSpec mesh;
  mesh.name = std::move(name);
  mesh.first_rank = first;
  mesh.rank_count = count;
  for (const int32_t size : DrawFactors(random, count)) {
    mesh.dims.push_back({kDimNames[mesh.dims.size()], size});
  }
  const MeshDim& last = mesh.dims.back();
  if (last.size == 4 && random.Chance(60)) {
    mesh.split.push_back({last.name, {{"ring", 2}, {"ulysses", 2}}});
  }
  if (mesh.dims.size() >= 2 && random.Chance(50)) {
    mesh.flatten.push_back({"all", {mesh.dims[0].name, mesh.dims[1].name}});
  }
  if (random.Chance(30)) mesh.host_mode = DrawMode(random);
  if (random.Chance(30)) mesh.host_dim_modes.push_back({mesh.dims.front().name, DrawMode(random)});
  return mesh;
}

ExplicitGroups DrawExplicitGroups(Random& random, int32_t world_size) {
  std::vector<GlobalRank> ranks;
  for (int32_t rank = 0; rank < world_size; ++rank) ranks.push_back(GlobalRank(rank));
  for (size_t i = ranks.size() - 1; i > 0; --i) std::swap(ranks[i], ranks[random.Uniform(i + 1)]);

  ExplicitGroups groups;
  groups.name = "draft";
  size_t next = 0;
  do {
    const size_t size = 1 + random.Uniform(ranks.size() - next);
    const auto begin = ranks.begin() + static_cast<std::ptrdiff_t>(next);
    groups.ranks.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size));
    next += size;
  } while (next < ranks.size() && random.Chance(60));
  groups.host_mode = DrawMode(random);
  return groups;
}

}  // namespace

LayoutSpec DrawLayout(Random& random, int32_t world_size) {
  LayoutSpec layout;
  layout.world_size = world_size;
  if (random.Chance(10)) layout.world_mode = DrawMode(random);
  layout.meshes.push_back(DrawMesh(random, "main", 0, world_size));
  if (world_size > 1 && random.Chance(30)) {
    const auto first = static_cast<int32_t>(random.Uniform(static_cast<uint64_t>(world_size)));
    layout.meshes.push_back(DrawMesh(random, "part", first, world_size - first));
  }
  if (random.Chance(40)) layout.groups.push_back(DrawExplicitGroups(random, world_size));
  return layout;
}

}  // namespace muster::sim
