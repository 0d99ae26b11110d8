#include "common/layout/mesh_axes.h"

#include <algorithm>
#include <cstdint>

namespace muster {

MeshAxes::MeshAxes(const MeshSpec& mesh) : first_rank_(mesh.first_rank) {
  for (const MeshDim& dim : mesh.dims) {
    const auto split =
        std::find_if(mesh.split.begin(), mesh.split.end(),
                     [&dim](const SplitSpec& candidate) { return candidate.dim == dim.name; });
    if (split == mesh.split.end()) {
      axes_.push_back({.dim = dim.name, .inner = dim.name, .axis = {.size = dim.size}});
      continue;
    }
    for (const MeshDim& inner : split->into) {
      axes_.push_back({.dim = dim.name, .inner = inner.name, .axis = {.size = inner.size}});
    }
  }
  int32_t stride = 1;
  for (auto at = axes_.rbegin(); at != axes_.rend(); ++at) {
    at->axis.stride = stride;
    stride *= at->axis.size;
  }
}

std::vector<size_t> MeshAxes::PlacesOf(std::string_view dim) const {
  std::vector<size_t> places;
  for (size_t place = 0; place < axes_.size(); ++place) {
    if (axes_[place].dim == dim || axes_[place].inner == dim) places.push_back(place);
  }
  return places;
}

StridedGroups MeshAxes::GroupsOver(const std::vector<size_t>& places) const {
  StridedGroups groups{.first_rank = first_rank_, .outer = {}, .inner = {}};
  for (size_t place = 0; place < axes_.size(); ++place) {
    const bool inside = std::binary_search(places.begin(), places.end(), place);
    (inside ? groups.inner : groups.outer).push_back(axes_[place].axis);
  }
  return groups;
}

}  // namespace muster
