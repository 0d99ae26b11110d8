#ifndef MUSTER_TESTS_COMMON_LAYOUT_SLOW_REFERENCE_H_
#define MUSTER_TESTS_COMMON_LAYOUT_SLOW_REFERENCE_H_

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/layout/layout.h"

namespace muster {

// The rules of a layout written down a second time, plainly and without a stride: every rank is
// given its coordinates by counting, and a group is what has the same coordinates elsewhere. Costs
// O(world size) per kind. Shares no code with the product but the spec.

struct SlowKind {
  std::string name;
  std::vector<std::vector<GlobalRank>> groups;  // in group and member order
};

// The kinds of a spec that is right, in the order of Layout.
std::vector<SlowKind> SlowKinds(const LayoutSpec& spec);

// One rank with its coordinate in each dim of MeshSpec::dims.
struct SlowPlace {
  GlobalRank rank;
  std::vector<int32_t> coordinates;
};

// Every rank of `mesh`, in ascending order.
std::vector<SlowPlace> SlowPlaces(const MeshSpec& mesh);

}  // namespace muster

#endif  // MUSTER_TESTS_COMMON_LAYOUT_SLOW_REFERENCE_H_
