#ifndef MUSTER_COMMON_LAYOUT_VALIDATE_H_
#define MUSTER_COMMON_LAYOUT_VALIDATE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "common/layout/layout_spec.h"

namespace muster {

// Holds `spec` to every rule of Layout::Create(), whose errors these are. The first broken rule is
// reported: the world, then the meshes, then the explicit groups, each in the order of the spec.
absl::Status ValidateLayoutSpec(const LayoutSpec& spec);

// Holds one mesh over a world of `world_size` ranks to those of the rules that concern it alone.
absl::Status ValidateMesh(const MeshSpec& mesh, int32_t world_size);

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_VALIDATE_H_
