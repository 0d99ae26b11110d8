#include "worker/ops/group_coordinator.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/rank_ranges.h"

namespace muster {

absl::StatusOr<std::unique_ptr<GroupCoordinator>> GroupCoordinator::Make(
    GroupSeat seat, std::shared_ptr<GroupOperations> group, absl::Duration timeout) {
  const auto size = static_cast<int32_t>(seat.ranks.size());
  std::set<GlobalRank> seen;
  for (const GlobalRank rank : seat.ranks) {
    if (seen.insert(rank).second) continue;
    return MakeError(absl::StatusCode::kInvalidArgument,
                     absl::StrCat("global rank ", rank.value, " is twice in a group"),
                     {.kind = ErrorKind::kDuplicateRank, .ranks = {rank}});
  }
  if (size == 0 || size != group->size() || seat.rank != group->rank()) {
    return MakeError(absl::StatusCode::kInvalidArgument,
                     absl::StrCat("a seat at group rank ", seat.rank.value, " of ", size,
                                  " ranks is wanted of a group with this process at ",
                                  group->rank().value, " of ", group->size()),
                     {.kind = ErrorKind::kSizeMismatch});
  }
  return std::unique_ptr<GroupCoordinator>(
      new GroupCoordinator(std::move(seat), std::move(group), timeout));
}

GroupRank GroupCoordinator::group_next_rank() const {
  return GroupRank((seat_.rank.value + 1) % world_size());
}

GroupRank GroupCoordinator::group_prev_rank() const {
  return GroupRank((seat_.rank.value + world_size() - 1) % world_size());
}

absl::StatusOr<GroupRank> GroupCoordinator::ToGroupRank(GlobalRank rank) const {
  const auto at = std::find(seat_.ranks.begin(), seat_.ranks.end(), rank);
  if (at != seat_.ranks.end()) {
    return GroupRank(static_cast<int32_t>(at - seat_.ranks.begin()));
  }
  return MakeError(absl::StatusCode::kInvalidArgument,
                   absl::StrCat("global rank ", rank.value, " is not in the group of ranks ",
                                FormatIdRanges(seat_.ranks)),
                   {.kind = ErrorKind::kNotAMember, .ranks = {rank}});
}

absl::StatusOr<GlobalRank> GroupCoordinator::ToGlobalRank(GroupRank rank) const {
  if (rank.value >= 0 && rank.value < world_size()) return AtPlace(rank.value);
  return MakeError(absl::StatusCode::kInvalidArgument,
                   absl::StrCat("group rank is ", rank.value, ", want 0 to ", world_size() - 1),
                   {.kind = ErrorKind::kRankOutOfRange});
}

}  // namespace muster
