#ifndef MUSTER_WORKER_COMM_GLOO_COUNTS_H_
#define MUSTER_WORKER_COMM_GLOO_COUNTS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "worker/comm/group_facts.h"

// Numbers of elements per rank that members said, compared. An inner vector is what one rank said,
// with one number for each rank; the outer one is by the rank that said it.
namespace muster {

using CountsByRank = std::vector<std::vector<int64_t>>;

// Says how the members differ in numbers that should be the same on every rank: as a
// kInvalidArgument (operation_mismatch), the same on every member, that names the odd ranks, both
// sides if neither is the majority, and the first number that differs. OK if they do not differ.
absl::Status CompareShares(const GroupFacts& facts, std::string_view what,
                           const CountsByRank& counts);

// Checks that each rank sends to each other one what that one wants from it. The error is of the
// same kind; it names the ranks that are part of the most differences, and some of these.
absl::Status ComparePairs(const GroupFacts& facts, std::string_view what, const CountsByRank& sends,
                          const CountsByRank& wants);

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_COUNTS_H_
