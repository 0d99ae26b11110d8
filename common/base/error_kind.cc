#include "common/base/error_kind.h"

#include <array>
#include <cstddef>

namespace muster {
namespace {

struct NamedKind {
  ErrorKind kind;
  std::string_view name;
};

// One line for each kind, in the order of the enumeration.
constexpr NamedKind kNames[] = {
    {ErrorKind::kUnknown, "unknown"},
    {ErrorKind::kNotInitialized, "not_initialized"},
    {ErrorKind::kAlreadyInitialized, "already_initialized"},
    {ErrorKind::kWorldSizeMismatch, "world_size_mismatch"},
    {ErrorKind::kSizeMismatch, "size_mismatch"},
    {ErrorKind::kAlreadyPatched, "already_patched"},
    {ErrorKind::kUnsupportedMode, "unsupported_mode"},
    {ErrorKind::kZeroSize, "zero_size"},
    {ErrorKind::kNegativeSize, "negative_size"},
    {ErrorKind::kNotDivisible, "not_divisible"},
    {ErrorKind::kProductMismatch, "product_mismatch"},
    {ErrorKind::kProductOverflow, "product_overflow"},
    {ErrorKind::kDuplicateName, "duplicate_name"},
    {ErrorKind::kUnknownName, "unknown_name"},
    {ErrorKind::kInvalidName, "invalid_name"},
    {ErrorKind::kDuplicateRank, "duplicate_rank"},
    {ErrorKind::kRankOutOfRange, "rank_out_of_range"},
    {ErrorKind::kRankNotInAnyGroup, "rank_not_in_any_group"},
    {ErrorKind::kLimitExceeded, "limit_exceeded"},
    {ErrorKind::kHeadsNotDivisible, "heads_not_divisible"},
    {ErrorKind::kSequenceNotDivisible, "sequence_not_divisible"},
    {ErrorKind::kHeterogeneousNodes, "heterogeneous_nodes"},
    {ErrorKind::kIndexOutOfLayout, "index_out_of_layout"},
    {ErrorKind::kTpExceedsWorld, "tp_exceeds_world"},
    {ErrorKind::kSpModeConflict, "sp_mode_conflict"},
    {ErrorKind::kSpSizeMismatch, "sp_size_mismatch"},
    {ErrorKind::kSpGroupCount, "sp_group_count"},
    {ErrorKind::kSpGroupEntrySize, "sp_group_entry_size"},
    {ErrorKind::kDpMismatch, "dp_mismatch"},
    {ErrorKind::kHsdpDpNotOne, "hsdp_dp_not_one"},
    {ErrorKind::kHsdpNonDpSize, "hsdp_non_dp_size"},
    {ErrorKind::kHsdpShardNonpositive, "hsdp_shard_nonpositive"},
    {ErrorKind::kHsdpShardNotDivisor, "hsdp_shard_not_divisor"},
    {ErrorKind::kEpRequiresMoe, "ep_requires_moe"},
    {ErrorKind::kOrderMissingDimension, "order_missing_dimension"},
    {ErrorKind::kOrderUnknownToken, "order_unknown_token"},
    {ErrorKind::kTokenUnknown, "token_unknown"},
    {ErrorKind::kExpertNotDivisible, "expert_not_divisible"},
    {ErrorKind::kVirtualPpWithoutPp, "virtual_pp_without_pp"},
    {ErrorKind::kPpNotLastDpDiffers, "pp_not_last_dp_differs"},
    {ErrorKind::kOptimizerInstancesNotDivisor, "optimizer_instances_not_divisor"},
    {ErrorKind::kOptimizerInstancesNotDivisorExpert, "optimizer_instances_not_divisor_expert"},
    {ErrorKind::kHierarchicalCpProduct, "hierarchical_cp_product"},
    {ErrorKind::kHybridCpOdd, "hybrid_cp_odd"},
    {ErrorKind::kEpAndCpTogether, "ep_and_cp_together"},
    {ErrorKind::kGtpWithOptimizerInstances, "gtp_with_optimizer_instances"},
    {ErrorKind::kStaleEpoch, "stale_epoch"},
    {ErrorKind::kStaleIncarnation, "stale_incarnation"},
    {ErrorKind::kStaleSession, "stale_session"},
    {ErrorKind::kLowerTerm, "lower_term"},
    {ErrorKind::kUnknownStore, "unknown_store"},
    {ErrorKind::kEpochConflict, "epoch_conflict"},
    {ErrorKind::kEpochRetired, "epoch_retired"},
    {ErrorKind::kDuplicateIdentity, "duplicate_identity"},
    {ErrorKind::kDuplicateDevice, "duplicate_device"},
    {ErrorKind::kAddressConflict, "address_conflict"},
    {ErrorKind::kJobFull, "job_full"},
    {ErrorKind::kSeatTaken, "seat_taken"},
    {ErrorKind::kProtocolMismatch, "protocol_mismatch"},
    {ErrorKind::kMemberLost, "member_lost"},
    {ErrorKind::kMemberSuspect, "member_suspect"},
    {ErrorKind::kMemberLeft, "member_left"},
    {ErrorKind::kDeadlineExceeded, "deadline_exceeded"},
    {ErrorKind::kCoordinatorLost, "coordinator_lost"},
    {ErrorKind::kVerdictUnknown, "verdict_unknown"},
    {ErrorKind::kBuildFailed, "build_failed"},
    {ErrorKind::kWrongPeer, "wrong_peer"},
    {ErrorKind::kTransitionRolledBack, "transition_rolled_back"},
    {ErrorKind::kTransitionPending, "transition_pending"},
    {ErrorKind::kInvalidRequest, "invalid_request"},
    {ErrorKind::kUnknownJob, "unknown_job"},
    {ErrorKind::kUnknownWorker, "unknown_worker"},
    {ErrorKind::kUnknownGroup, "unknown_group"},
    {ErrorKind::kJobExists, "job_exists"},
    {ErrorKind::kJobDeleted, "job_deleted"},
    {ErrorKind::kRequestConflict, "request_conflict"},
    {ErrorKind::kMailboxFull, "mailbox_full"},
    {ErrorKind::kJournalFull, "journal_full"},
    {ErrorKind::kJournalFailed, "journal_failed"},
    {ErrorKind::kOperationMismatch, "operation_mismatch"},
    {ErrorKind::kOperationRefused, "operation_refused"},
    {ErrorKind::kOperationAborted, "operation_aborted"},
    {ErrorKind::kGroupBroken, "group_broken"},
    {ErrorKind::kNotAMember, "not_a_member"},
    {ErrorKind::kConfigUnknown, "config_unknown"},
    {ErrorKind::kConfigInvalid, "config_invalid"},
};

constexpr size_t kKindCount = std::size(kNames);

// A kind is its own index in the table.
constexpr bool TableMatchesEnumeration() {
  for (size_t i = 0; i < kKindCount; ++i) {
    if (static_cast<size_t>(kNames[i].kind) != i) return false;
  }
  return static_cast<size_t>(ErrorKind::kConfigInvalid) + 1 == kKindCount;
}
static_assert(TableMatchesEnumeration());

constexpr std::array<ErrorKind, kKindCount> ListKinds() {
  std::array<ErrorKind, kKindCount> kinds = {};
  for (size_t i = 0; i < kKindCount; ++i) kinds[i] = kNames[i].kind;
  return kinds;
}
constexpr std::array<ErrorKind, kKindCount> kKinds = ListKinds();

}  // namespace

std::string_view KindName(ErrorKind kind) {
  const auto index = static_cast<size_t>(kind);
  return index < kKindCount ? kNames[index].name : kNames[0].name;
}

std::optional<ErrorKind> ParseKind(std::string_view name) {
  for (const NamedKind& entry : kNames) {
    if (entry.name == name) return entry.kind;
  }
  return std::nullopt;
}

std::span<const ErrorKind> AllKinds() { return kKinds; }

}  // namespace muster
