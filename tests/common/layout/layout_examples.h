#ifndef MUSTER_TESTS_COMMON_LAYOUT_LAYOUT_EXAMPLES_H_
#define MUSTER_TESTS_COMMON_LAYOUT_LAYOUT_EXAMPLES_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/layout/layout.h"

namespace muster {

inline std::vector<GlobalRank> Ranks(std::initializer_list<int32_t> values) {
  std::vector<GlobalRank> ranks;
  for (const int32_t value : values) ranks.emplace_back(value);
  return ranks;
}

// The layout of a spec that is known to be right.
inline Layout Formed(LayoutSpec spec) {
  absl::StatusOr<Layout> layout = Layout::Create(std::move(spec));
  MUSTER_CHECK(layout.ok(), layout.status().ToString());
  return *std::move(layout);
}

// The group of a name that is known to be there.
inline GroupId Named(const Layout& layout, std::string_view name) {
  const absl::StatusOr<GroupId> id = layout.Find(name);
  MUSTER_CHECK(id.ok(), id.status().ToString());
  return *id;
}

inline std::vector<GlobalRank> MembersOf(const Layout& layout, std::string_view name) {
  return layout.Members(Named(layout, name));
}

// One mesh named "m" over a whole world.
inline LayoutSpec OneMesh(int32_t world_size, std::vector<MeshDim> dims) {
  return {.world_size = world_size, .meshes = {{.name = "m", .dims = std::move(dims)}}};
}

// Eight ranks with a mesh of every kind: a transformer with its sequence dimension split, an
// encoder with a flattened dimension, a decoder over the last four ranks, sharded weights, and
// explicit groups that leave out ranks.
inline LayoutSpec WanSpec() {
  return {
      .world_size = 8,
      .meshes =
          {
              {.name = "dit",
               .dims = {{"dp", 1}, {"cfg", 2}, {"pp", 1}, {"sp", 4}, {"tp", 1}},
               .split = {{.dim = "sp", .into = {{"ring", 2}, {"ulysses", 2}}}}},
              {.name = "enc",
               .dims = {{"rest", 4}, {"tp", 2}},
               .flatten = {{.name = "all", .of = {"rest", "tp"}}}},
              {.name = "lm",
               .first_rank = 0,
               .rank_count = 8,
               .dims = {{"dp", 1}, {"sp", 4}, {"tp", 2}},
               .split = {{.dim = "sp", .into = {{"ring", 2}, {"ulysses", 2}}}}},
              {.name = "vae", .first_rank = 4, .rank_count = 4, .dims = {{"h", 2}, {"w", 2}}},
              {.name = "hsdp", .dims = {{"replicate", 2}, {"shard", 4}}},
          },
      .groups = {{.name = "draft", .ranks = {Ranks({0, 1}), Ranks({3, 2})}}},
  };
}

}  // namespace muster

#endif  // MUSTER_TESTS_COMMON_LAYOUT_LAYOUT_EXAMPLES_H_
