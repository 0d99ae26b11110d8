#ifndef MUSTER_WORKER_CORE_MESSAGES_H_
#define MUSTER_WORKER_CORE_MESSAGES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/error_kind.h"
#include "common/base/ids.h"
#include "common/session/session.h"
#include "worker/core/agent_state.h"

// What users and people are told. Every status carries an ErrorDetail with the name of the job.
namespace muster::worker {

// kUnavailable, member_lost: epoch `epoch` is over because of `lost`, which is not empty. Names
// every lost member in the detail, and in the text the first cause first.
absl::Status LossStatus(const AgentState& state, Epoch epoch, const std::vector<LostMember>& lost);

// kUnavailable, member_suspect: an operation met a transport error, and within the time that it had
// nobody said that a member is lost.
absl::Status UnconfirmedStatus(const AgentState& state, const WaitingOperation& operation);

// kFailedPrecondition, stale_epoch: an operation is of an epoch that users do not work in.
absl::Status NotActiveStatus(const AgentState& state, Epoch epoch);

// kFailedPrecondition, epoch_retired: another epoch took the place of `epoch`.
absl::Status RetiredStatus(const AgentState& state, Epoch epoch);

// kFailedPrecondition, transition_rolled_back: `epoch` will not be committed.
absl::Status RolledBackStatus(const AgentState& state, Epoch epoch);

// kDeadlineExceeded, build_failed: what `failure` says.
absl::Status BuildFailedStatus(const AgentState& state, Epoch epoch, const BuildFailure& failure);

// kUnavailable, coordinator_lost: the process did not run for `slept`; new operations wait until
// the coordinator says that the epoch stands.
absl::Status SleptStatus(const AgentState& state, Epoch epoch, absl::Duration slept);

// kUnavailable, verdict_unknown: `epoch` is built, and nobody says whether it is committed.
absl::Status InDoubtStatus(const AgentState& state, Epoch epoch);

// kFailedPrecondition, unknown_store: the coordinator of `assignment` is not the one that formed
// what is held here.
absl::Status StrangerStatus(const AgentState& state, const Assignment& assignment);

// kFailedPrecondition, job_deleted.
absl::Status DeletedStatus(const AgentState& state);

// kFailedPrecondition, member_left: this worker leaves.
absl::Status LeavingStatus(const AgentState& state);

// kDeadlineExceeded: no epoch became active in time. Says what was waited for, or why the newest
// attempt could not be built.
absl::Status JoinDeadlineStatus(const AgentState& state);

// `text`, cut at the end of a letter to kReasonBytesMax.
std::string CutReason(std::string text);

// "dit.sp#1", the name of a group without the job; empty if the epoch has no layout.
std::string GroupName(const HeldEpoch& held, GroupId group);

}  // namespace muster::worker

#endif  // MUSTER_WORKER_CORE_MESSAGES_H_
