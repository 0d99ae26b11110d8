#ifndef MUSTER_COMMON_LAYOUT_PRESET_PRESET_KIND_H_
#define MUSTER_COMMON_LAYOUT_PRESET_PRESET_KIND_H_

#include <string>

#include "common/layout/group_shape.h"

namespace muster {

// Groups of one kind that a preset makes, such as "tp" or "ulysses".
struct PresetKind {
  std::string name;
  GroupShape shape;
};

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_PRESET_PRESET_KIND_H_
