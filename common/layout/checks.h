#ifndef MUSTER_COMMON_LAYOUT_CHECKS_H_
#define MUSTER_COMMON_LAYOUT_CHECKS_H_

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "common/layout/layout_spec.h"

namespace muster {

// Rules about a layout that only some users of it have, each checked on request. All give
// kInvalidArgument with an ErrorDetail; the message holds the equation: "24 heads over tp 5: 24 = 5
// x 4 + 4, want no remainder".

// Refuses `total` of `what` that `by` does not split evenly. Kinds: zero_size and negative_size (of
// `total` or of `by`), not_divisible.
absl::Status CheckDivides(std::string_view what, int64_t total, const MeshDim& by);

// The same for attention heads. Kind: heads_not_divisible in place of not_divisible.
absl::Status CheckHeadsDivide(int64_t heads, const MeshDim& by);

// The same for the length of a sequence in tokens. Kind: sequence_not_divisible in place of
// not_divisible.
absl::Status CheckSequenceDivides(int64_t tokens, const MeshDim& by);

// Refuses groups that leave out ranks of `ranks`; all those are named. Kind: rank_not_in_any_group.
absl::Status CheckCovers(const ExplicitGroups& groups, RankRun ranks);

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_CHECKS_H_
