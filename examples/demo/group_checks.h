#ifndef MUSTER_EXAMPLES_DEMO_GROUP_CHECKS_H_
#define MUSTER_EXAMPLES_DEMO_GROUP_CHECKS_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "worker/muster/group_handle.h"

namespace muster::examples {

// What came of one group on one rank.
struct GroupReport {
  int checks = 0;
  std::vector<std::string> failures;  // One sentence each; empty: all is well.
  absl::Duration took;
};

// Runs every collective on `group` with data that differs for each rank and place, and compares the
// results with a formula. Every member calls it. With `flip_byte` one byte of the first result is
// turned around before it is compared.
GroupReport CheckGroup(GroupHandle& group, bool flip_byte);

}  // namespace muster::examples

#endif  // MUSTER_EXAMPLES_DEMO_GROUP_CHECKS_H_
