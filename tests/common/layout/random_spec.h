#ifndef MUSTER_TESTS_COMMON_LAYOUT_RANDOM_SPEC_H_
#define MUSTER_TESTS_COMMON_LAYOUT_RANDOM_SPEC_H_

#include <cstdint>

#include "common/base/random.h"
#include "common/layout/layout_spec.h"

namespace muster {

// Draws a spec that is right, over a world of at most `world_size_max` ranks: up to three meshes,
// over all ranks or some of them, with splits, flattens and modes, and up to two names of explicit
// groups.
LayoutSpec DrawLayoutSpec(Random& random, int32_t world_size_max);

}  // namespace muster

#endif  // MUSTER_TESTS_COMMON_LAYOUT_RANDOM_SPEC_H_
