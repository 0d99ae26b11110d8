#ifndef MUSTER_WORKER_CORE_VERDICTS_H_
#define MUSTER_WORKER_CORE_VERDICTS_H_

#include "absl/status/status.h"
#include "common/base/ids.h"
#include "worker/core/events.h"
#include "worker/core/move.h"

// Operations that met a transport error. They wait a moment for the coordinator to say who is lost,
// so that every member tells its user the same cause.
namespace muster::worker {

void OnOperationFailed(Move& move, const OperationFailed& event);

// Remembers the suspicion for the reports, as long as the epoch is active.
void OnPeerReset(Move& move, const PeerReset& event);

// Ends with `status` every operation of `epoch` that waits.
void EndWaiting(Move& move, Epoch epoch, const absl::Status& status);

// Ends as unconfirmed those that waited long enough.
void ExpireWaiting(Move& move);

// Ends all as unconfirmed: no verdict will come.
void GiveUpWaiting(Move& move);

}  // namespace muster::worker

#endif  // MUSTER_WORKER_CORE_VERDICTS_H_
