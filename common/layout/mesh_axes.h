#ifndef MUSTER_COMMON_LAYOUT_MESH_AXES_H_
#define MUSTER_COMMON_LAYOUT_MESH_AXES_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/layout/group_shape.h"
#include "common/layout/layout_spec.h"

namespace muster {

// The dimensions of a mesh with every split one replaced by its inner ones: what all groups of the
// mesh are made of. Points into the spec it was made from, which must outlive it unchanged.
//
// A spec that breaks a rule of Layout::Create() is fine as long as its sizes are at least 1 and its
// products fit an int32_t.
class MeshAxes {
 public:
  explicit MeshAxes(const MeshSpec& mesh);

  // Places of the axes, ascending, that the dimension of the mesh or inner dimension named `dim`
  // is made of. Nothing if there is no such dimension: flattened ones are none.
  std::vector<size_t> PlacesOf(std::string_view dim) const;

  // The groups of ranks that differ on the axes at `places`, which ascend, only.
  StridedGroups GroupsOver(const std::vector<size_t>& places) const;

 private:
  struct NamedAxis {
    std::string_view dim;    // of the mesh
    std::string_view inner;  // of its split; equal to `dim` if it is not split
    Axis axis;
  };

  GlobalRank first_rank_;
  std::vector<NamedAxis> axes_;  // slowest first
};

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_MESH_AXES_H_
