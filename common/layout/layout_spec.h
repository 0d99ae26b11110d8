#ifndef MUSTER_COMMON_LAYOUT_LAYOUT_SPEC_H_
#define MUSTER_COMMON_LAYOUT_LAYOUT_SPEC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/layout/preset/preset_spec.h"

namespace muster {

// What a layout is made from, as its author wrote it. Plain values: nothing here is checked. The
// rules are those of Layout::Create().
//
// A name (of a mesh, a dimension or explicit groups) is 1 to kLayoutNameBytesMax bytes of
// [a-z0-9_-] and begins with a letter or a digit.

inline constexpr int32_t kWorldSizeMax = 1 << 20;      // ranks of a world
inline constexpr int32_t kLayoutNameBytesMax = 63;     // bytes of one name
inline constexpr int32_t kMeshesMax = 64;              // meshes of a layout
inline constexpr int32_t kMeshDimsMax = 16;            // dimensions of a mesh
inline constexpr int32_t kSplitDimsMax = 16;           // inner dimensions of one split
inline constexpr int32_t kMeshFlattensMax = 64;        // flattened dimensions of a mesh
inline constexpr int32_t kExplicitGroupNamesMax = 64;  // names of explicit groups

// The group of all ranks of a job. No mesh and no explicit groups may have this name.
inline constexpr std::string_view kWorldName = "world";

// When the communicator of a group is built.
enum class BuildMode {
  kEager,  // when the layout is formed
  kLazy,   // at the first use
  kNone,   // never
};

// One dimension of a mesh.
struct MeshDim {
  std::string name;
  int32_t size = 0;

  friend bool operator==(const MeshDim&, const MeshDim&) = default;
};

// Splits the dimension `dim` of a mesh into inner ones, slowest first. The sizes of `into` multiply
// to the size of `dim`. `dim` keeps its own groups; each inner dimension gets groups besides.
struct SplitSpec {
  std::string dim;
  std::vector<MeshDim> into = {};

  friend bool operator==(const SplitSpec&, const SplitSpec&) = default;
};

// Gives groups over several dimensions of a mesh at once. `of` lists them in mesh order. Inner
// dimensions of a split stand where the split dimension stands, and some of them may be listed in
// its place.
struct FlattenSpec {
  std::string name;
  std::vector<std::string> of = {};

  friend bool operator==(const FlattenSpec&, const FlattenSpec&) = default;
};

// The build mode of one dimension: of the mesh, of a split or a flattened one; or of one kind of
// groups of a preset.
struct DimMode {
  std::string dim;
  BuildMode mode = BuildMode::kEager;

  friend bool operator==(const DimMode&, const DimMode&) = default;
};

// Groups over the ranks [first_rank, first_rank + rank_count), made in one of two ways.
//
// Either from ordered named dimensions, slowest first, that tile these ranks: the last dimension
// varies fastest with the rank. Or by a preset, whose world these ranks are; such a mesh has no
// dims, splits or flattened dims, and its kinds of groups take their place in `host_dim_modes`.
struct MeshSpec {
  std::string name;
  int32_t first_rank = 0;
  int32_t rank_count = 0;  // 0: as many as the world has
  std::vector<MeshDim> dims = {};
  std::vector<SplitSpec> split = {};
  std::vector<FlattenSpec> flatten = {};
  std::optional<PresetSpec> preset = std::nullopt;
  BuildMode host_mode = BuildMode::kEager;   // of the host communicators of every dimension ...
  std::vector<DimMode> host_dim_modes = {};  // ... but these

  friend bool operator==(const MeshSpec&, const MeshSpec&) = default;
};

// The ranks [first, first + count).
struct RankRun {
  int32_t first = 0;
  int32_t count = 0;

  friend bool operator==(const RankRun&, const RankRun&) = default;
};

// The ranks that `mesh` tiles in a world of `world_size`.
inline RankRun RanksOf(const MeshSpec& mesh, int32_t world_size) {
  return {.first = mesh.first_rank, .count = mesh.rank_count == 0 ? world_size : mesh.rank_count};
}

// Groups given as lists of ranks. The order of the groups and of the ranks in each is kept. A rank
// is in at most one of them, and may be in none.
struct ExplicitGroups {
  std::string name;
  std::vector<std::vector<GlobalRank>> ranks = {};
  BuildMode host_mode = BuildMode::kEager;

  friend bool operator==(const ExplicitGroups&, const ExplicitGroups&) = default;
};

// All groups of a job. The group of the whole world is always there and is not listed.
struct LayoutSpec {
  int32_t world_size = 0;
  std::vector<MeshSpec> meshes = {};
  std::vector<ExplicitGroups> groups = {};
  BuildMode world_mode = BuildMode::kEager;

  friend bool operator==(const LayoutSpec&, const LayoutSpec&) = default;
};

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_LAYOUT_SPEC_H_
