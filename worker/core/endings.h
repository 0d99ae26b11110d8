#ifndef MUSTER_WORKER_CORE_ENDINGS_H_
#define MUSTER_WORKER_CORE_ENDINGS_H_

#include "absl/status/status.h"
#include "worker/core/events.h"
#include "worker/core/move.h"

// How an agent comes to its end: it frees all it holds, reports that, and finishes.
namespace muster::worker {

// What a supervisor should end with.
inline constexpr int kExitLeft = 0;              // Left, or the job was deleted.
inline constexpr int kExitCoordinatorLost = 10;  // No coordinator, or not in time: try again.
inline constexpr int kExitFenced = 11;           // Another process holds the identity or the seat.
inline constexpr int kExitNotBuilt = 12;         // The communicators could not be built.
inline constexpr int kExitRefused = 13;          // The configuration is wrong.

// The user wants out: needs nobody's verdict. The second time it changes nothing.
void OnLeaveRequested(Move& move);

// The job is gone: frees all. The coordinator closes the stream once that is reported.
void EndDeleted(Move& move);

// The coordinator's last word was `status`; its ErrorDetail tells the exit code.
void EndRefused(Move& move, const absl::Status& status);

// The coordinator lost its state: finishes at once and leaves alone what runs.
void Strand(Move& move, const absl::Status& status);

// Ends an agent that no epoch made a member in time. One that is built waits for its verdict even
// then; those who wait for it are told.
void CheckJoinDeadline(Move& move);

// Finishes an ending agent as soon as nothing is held.
void FinishWhenFree(Move& move);

}  // namespace muster::worker

#endif  // MUSTER_WORKER_CORE_ENDINGS_H_
