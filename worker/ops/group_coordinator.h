#ifndef MUSTER_WORKER_OPS_GROUP_COORDINATOR_H_
#define MUSTER_WORKER_OPS_GROUP_COORDINATOR_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/ids.h"
#include "worker/ops/shard.h"
#include "worker/ops/tensor.h"
#include "worker/ops/tensor_operations.h"

namespace muster {

// Who is in a group, and which of them this process is.
struct GroupSeat {
  std::string name;               // In full, as "wan/dit.sp#1".
  std::vector<GlobalRank> ranks;  // All members, by group rank.
  GroupRank rank;                 // This process.
  LocalRank local_rank;
  TensorDevice device;
};

// The user's object for one process group, of one process: its operations on tensors, and who is
// where in it.
//
// Global ranks and group ranks are types of their own; every operation takes group ranks. First,
// last, next, previous and mirrored ranks follow the order of the group, whatever the numbers are.
//
// Lifetime and thread safety: those of the group that it was made with.
class GroupCoordinator final : public TensorOperations {
 public:
  // kInvalidArgument if `seat` has no ranks, one of them twice (duplicate_rank), or not as many as
  // `group`; or if both have another place for this process.
  static absl::StatusOr<std::unique_ptr<GroupCoordinator>> Make(
      GroupSeat seat, std::shared_ptr<GroupOperations> group,
      absl::Duration timeout = kOperationTimeoutDefault);

  const std::string& name() const { return seat_.name; }
  GlobalRank rank() const { return AtPlace(seat_.rank.value); }
  const std::vector<GlobalRank>& ranks() const { return seat_.ranks; }
  int32_t world_size() const { return static_cast<int32_t>(seat_.ranks.size()); }  // Of the group.
  GroupRank rank_in_group() const { return seat_.rank; }
  LocalRank local_rank() const { return seat_.local_rank; }
  TensorDevice device() const { return seat_.device; }

  GlobalRank first_rank() const { return seat_.ranks.front(); }
  GlobalRank last_rank() const { return seat_.ranks.back(); }
  bool is_first_rank() const { return seat_.rank.value == 0; }
  bool is_last_rank() const { return seat_.rank.value == world_size() - 1; }

  // Around the circle: the last one's next is the first. In a group of one, the caller itself.
  GroupRank group_next_rank() const;
  GroupRank group_prev_rank() const;
  GlobalRank next_rank() const { return AtPlace(group_next_rank().value); }
  GlobalRank prev_rank() const { return AtPlace(group_prev_rank().value); }

  // Who is as far from the end as this process is from the beginning. The one in the middle of an
  // odd group is its own.
  GroupRank group_skip_rank() const { return GroupRank(world_size() - 1 - seat_.rank.value); }
  GlobalRank skip_rank() const { return AtPlace(group_skip_rank().value); }

  // Who is where. kInvalidArgument: the group has no such member (not_a_member), or no such place
  // (rank_out_of_range).
  absl::StatusOr<GroupRank> ToGroupRank(GlobalRank rank) const;
  absl::StatusOr<GlobalRank> ToGlobalRank(GroupRank rank) const;

  // As MakeShard(), for this process.
  absl::StatusOr<Shard> ShardOf(const Tensor& tensor, int32_t dim,
                                Remainder remainder = Remainder::kRefuse) const {
    return MakeShard(place(), tensor, dim, remainder);
  }

 private:
  GroupCoordinator(GroupSeat seat, std::shared_ptr<GroupOperations> group, absl::Duration timeout)
      : TensorOperations(std::move(group), timeout), seat_(std::move(seat)) {}

  GlobalRank AtPlace(int32_t place) const { return seat_.ranks[static_cast<size_t>(place)]; }

  const GroupSeat seat_;
};

}  // namespace muster

#endif  // MUSTER_WORKER_OPS_GROUP_COORDINATOR_H_
