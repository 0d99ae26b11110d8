#ifndef MUSTER_COMMON_BASE_ERROR_KIND_H_
#define MUSTER_COMMON_BASE_ERROR_KIND_H_

#include <optional>
#include <span>
#include <string_view>

namespace muster {

// Why something was refused or failed, finer than a status code. Programs branch on kinds; the text
// of a status is for people. The names are a contract: they appear in logs, in the output of the
// command line and on the wire, and are never reused for something else.
enum class ErrorKind {
  // Nobody said, or a newer peer said a kind that this build does not know.
  kUnknown,

  // State of the process groups of a process.
  kNotInitialized,      // Used before it was set up.
  kAlreadyInitialized,  // Set up twice.
  kWorldSizeMismatch,   // Set up again with another world size.
  kSizeMismatch,        // Set up again with another size of a dimension.
  kAlreadyPatched,      // Groups were replaced by foreign ones twice.
  kUnsupportedMode,     // A mode or variant that nobody offers.

  // A layout that cannot be: sizes, names and ranks.
  kZeroSize,              // A size of 0.
  kNegativeSize,          // A size below 0.
  kNotDivisible,          // A size does not divide what it must tile.
  kProductMismatch,       // Sizes do not multiply to the ranks of the mesh.
  kProductOverflow,       // Sizes multiply to more than any world can be.
  kDuplicateName,         // A name stands for two things.
  kUnknownName,           // A name stands for nothing.
  kInvalidName,           // A name is empty, too long or has letters that names may not have.
  kDuplicateRank,         // A rank is twice where it may be once.
  kRankOutOfRange,        // A rank is not in the world or not in the mesh.
  kRankNotInAnyGroup,     // A rank would be left without a group.
  kLimitExceeded,         // More of something than the documented limit.
  kHeadsNotDivisible,     // Attention heads do not split evenly.
  kSequenceNotDivisible,  // The sequence does not split evenly.
  kHeterogeneousNodes,    // Hosts hold unequal numbers of ranks.
  kIndexOutOfLayout,      // A rank has no coordinates in the given sizes.

  // A layout that a preset refuses by rules of its own.
  kTpExceedsWorld,                // Tensor parallel size above the world size.
  kSpModeConflict,                // All-gather together with Ulysses or ring.
  kSpSizeMismatch,                // Sequence parallel size unlike the product of its parts.
  kSpGroupCount,                  // Wrong number of explicit sequence parallel groups.
  kSpGroupEntrySize,              // An explicit sequence parallel group of the wrong size.
  kDpMismatch,                    // Data parallel size unlike what the others leave.
  kHsdpDpNotOne,                  // Sharding over the world beside data parallel groups.
  kHsdpNonDpSize,                 // Sharding beside other dimensions that cover part of the world.
  kHsdpShardNonpositive,          // A shard size below 1.
  kHsdpShardNotDivisor,           // A shard size that does not divide the world.
  kEpRequiresMoe,                 // Expert parallel for a model without experts.
  kOrderMissingDimension,         // An order string lacks a dimension of size above 1.
  kOrderUnknownToken,             // An order string has a token that is no dimension.
  kTokenUnknown,                  // Groups were asked for by a token that is no dimension.
  kExpertNotDivisible,            // Expert sizes do not divide the world.
  kVirtualPpWithoutPp,            // Virtual pipeline stages without a pipeline.
  kPpNotLastDpDiffers,            // Pipeline not last while dense and expert data parallel differ.
  kOptimizerInstancesNotDivisor,  // Optimizer instances do not divide the data parallel size.
  kOptimizerInstancesNotDivisorExpert,  // The same for the expert data parallel size.
  kHierarchicalCpProduct,               // Levels do not multiply to the context parallel size.
  kHybridCpOdd,                         // A hybrid data and context parallel size that is odd.
  kEpAndCpTogether,                     // Expert and context parallel in one generator.
  kGtpWithOptimizerInstances,  // Generalized tensor parallel with several optimizer instances.

  // What is sent belongs to another time or another holder.
  kStaleEpoch,        // Of an epoch that is over.
  kStaleIncarnation,  // Of a process that was replaced.
  kStaleSession,      // Of a stream that was replaced by a newer one.
  kLowerTerm,         // Of a coordinator that was started again since.
  kUnknownStore,      // Of a journal that is not the one known: the coordinator lost its state.
  kEpochConflict,     // The job moved on from the epoch that the request was made for.
  kEpochRetired,      // The epoch of this work ended before the work did.

  // A worker may not join.
  kDuplicateIdentity,  // The same worker is alive already.
  kDuplicateDevice,    // The same device of a host is held already.
  kAddressConflict,    // Two workers advertise one address.
  kJobFull,            // No seat and no place for a spare.
  kSeatTaken,          // The seat asked for has another holder.
  kProtocolMismatch,   // No protocol that both sides speak.

  // Somebody is gone or did not come.
  kMemberLost,        // A member was declared lost.
  kMemberSuspect,     // A member seems gone; the coordinator has not confirmed it.
  kMemberLeft,        // A member left by its own wish.
  kDeadlineExceeded,  // Some did not come in time.
  kCoordinatorLost,   // No word from the coordinator for too long.
  kVerdictUnknown,    // Held, and nobody says whether the epoch was committed.

  // A transition did not go through.
  kBuildFailed,           // A member could not build a group.
  kWrongPeer,             // A connection led to somebody else than the assignment says.
  kTransitionRolledBack,  // The old epoch stands.
  kTransitionPending,     // Another transition of the job is under way.

  // A request about jobs.
  kInvalidRequest,   // Malformed, or a field outside its range.
  kUnknownJob,       // No job of this name.
  kUnknownWorker,    // No worker of this name.
  kUnknownGroup,     // No group of this name.
  kJobExists,        // A job of this name exists already.
  kJobDeleted,       // The job was deleted.
  kRequestConflict,  // The request id was used for another request.

  // Something is full or cannot write.
  kMailboxFull,    // Too many events wait.
  kJournalFull,    // No room left for decisions.
  kJournalFailed,  // The journal could not be read or written.

  // Operations on a group.
  kOperationMismatch,  // Members called different operations.
  kOperationRefused,   // A member refused its own arguments.
  kOperationAborted,   // Abort() was called.
  kGroupBroken,        // An earlier failure left the group unusable until it is rebuilt.
  kNotAMember,         // The rank is not in the group.

  // Configuration.
  kConfigUnknown,  // A flag, key or variable that nobody reads.
  kConfigInvalid,  // A value that cannot be used.
};

// The name of a kind in snake case, such as "stale_epoch".
std::string_view KindName(ErrorKind kind);

// The kind of a name; nothing for a name that this build does not know.
std::optional<ErrorKind> ParseKind(std::string_view name);

// Every kind, in the order of the enumeration.
std::span<const ErrorKind> AllKinds();

}  // namespace muster

#endif  // MUSTER_COMMON_BASE_ERROR_KIND_H_
