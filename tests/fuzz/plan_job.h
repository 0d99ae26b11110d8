#ifndef MUSTER_TESTS_FUZZ_PLAN_JOB_H_
#define MUSTER_TESTS_FUZZ_PLAN_JOB_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "common/layout/layout.h"

namespace muster {

// Reads a job file and plans its layout, as `muster plan` does, and gives the layout or why there
// is none. Ends the process if an error has no kind or no text, or if what was planned contradicts
// itself: the wire form does not lead back to the same job, a rank is not where its groups say, or
// something changes from the layout to itself.
absl::StatusOr<Layout> PlanJob(std::string_view text);

}  // namespace muster

#endif  // MUSTER_TESTS_FUZZ_PLAN_JOB_H_
