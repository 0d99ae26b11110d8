#ifndef MUSTER_WORKER_CORE_CONNECTION_H_
#define MUSTER_WORKER_CORE_CONNECTION_H_

#include "worker/core/events.h"
#include "worker/core/move.h"

// Keeping one stream to the coordinator: dialing, coming back, hearing what it says.
namespace muster::worker {

// Pauses between dials: they double, and chance takes up to half of each away.
inline constexpr absl::Duration kRedialPauseMin = absl::Milliseconds(50);
inline constexpr absl::Duration kRedialPauseMax = absl::Seconds(2);

// Opens the next stream at once.
void Dial(Move& move);

// Ends the stream of now, if there is one, and never dials again.
void ShutLink(Move& move, bool leaving);

void OnStreamOpened(Move& move, const StreamOpened& event);

// kUnavailable, and being overtaken by another stream or coordinator, lead to another dial; all
// else is the coordinator's last word.
void OnStreamClosed(Move& move, const StreamClosed& event);

// Adopts the assignment if the fence lets it pass. What follows from it is not done here.
void OnAssignmentReceived(Move& move, const AssignmentReceived& event);

// Dials if a pause is over.
void RedialWhenDue(Move& move);

// Tells a process that slept longer than the lease from one that ran: in between the coordinator
// may have given it up, and what lies in the stream's buffers may be old. Closes the gates of the
// active epoch and opens a new stream; whatever comes on it is fresh.
void NoticeSleep(Move& move);

// Lets users start operations again once the coordinator has said, on a fresh stream, that the
// active epoch stands.
void ReopenGates(Move& move);

}  // namespace muster::worker

#endif  // MUSTER_WORKER_CORE_CONNECTION_H_
