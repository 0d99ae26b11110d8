#ifndef MUSTER_COMMON_LAYOUT_LAYOUT_ERROR_H_
#define MUSTER_COMMON_LAYOUT_LAYOUT_ERROR_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/base/error_kind.h"
#include "common/base/ids.h"
#include "common/layout/layout_spec.h"

namespace muster {

// A refusal: kInvalidArgument with `message`, `kind`, the ranks concerned and what to change.
absl::Status LayoutError(ErrorKind kind, std::string_view message, std::string_view remedy,
                         std::vector<GlobalRank> ranks = {});

// `name` in quotes, fit for a message whatever its bytes are: escaped, and cut if it is long.
std::string Quoted(std::string_view name);

// Refuses `count` of `what` below 1: "mesh 'dit': dimension 'tp' has size 0, want >= 1", where
// `what` is "mesh 'dit': dimension 'tp' has size". Kinds: zero_size, negative_size.
absl::Status CheckPositive(std::string_view what, int64_t count);

// Refuses more than `max` of `what`. Kind: limit_exceeded.
absl::Status CheckLimit(std::string_view what, int64_t count, int64_t max);

// Refuses a name that breaks the rule of layout_spec.h. Kind: invalid_name.
absl::Status CheckName(std::string_view what, std::string_view name);

// Refuses `dims`, all of size 1 or more, unless they multiply to `want` exactly: "mesh 'dit': dp 2
// x tp 3 = 6, want 8", where `what` is "mesh 'dit'". Kinds: product_mismatch, product_overflow.
absl::Status CheckProduct(std::string_view what, const std::vector<MeshDim>& dims, int32_t want);

// The same for dimensions that tile `ranks`. Those that would be in no group are named.
absl::Status CheckTiles(std::string_view what, const std::vector<MeshDim>& dims, RankRun ranks);

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_LAYOUT_ERROR_H_
