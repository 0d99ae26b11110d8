#ifndef MUSTER_TESTS_COMMON_LAYOUT_PRESET_SLOW_MEGATRON_H_
#define MUSTER_TESTS_COMMON_LAYOUT_PRESET_SLOW_MEGATRON_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/testing/slow_layouts.h"

namespace muster {

// Megatron's layouts written down a second time, by counting and without a stride. All is right.
struct SlowMegatron {
  std::vector<std::string> order;  // tp, cp, ep, dp and pp, fastest first; cp only if it is 1
  int32_t world = 1;
  int32_t tp = 1;
  int32_t pp = 1;
  int32_t cp = 1;
  int32_t ep = 1;
  int32_t expert_tp = 1;
  int32_t gtp_remat = 1;
  int32_t expert_gtp_remat = 1;
  int32_t instances = 1;
  std::vector<int32_t> levels = {};  // of hierarchical context parallel groups
  bool hybrid = false;
  bool twins = false;
};

SlowLayout SlowLayoutOf(const SlowMegatron& sizes);

}  // namespace muster

#endif  // MUSTER_TESTS_COMMON_LAYOUT_PRESET_SLOW_MEGATRON_H_
