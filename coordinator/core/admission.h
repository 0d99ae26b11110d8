#ifndef MUSTER_COORDINATOR_CORE_ADMISSION_H_
#define MUSTER_COORDINATOR_CORE_ADMISSION_H_

#include "absl/status/status.h"
#include "coordinator/core/state.h"

// Who may join. Checks only; nothing here changes anything.
//
// Errors carry an ErrorDetail and a remedy. kUnavailable means that the same Hello may succeed
// later; with every other code it will not.
namespace muster::coordinator {

// Whether a Hello makes sense at all, whatever job it is for: kInvalidArgument, naming the field.
absl::Status CheckHello(const Hello& hello);

// Whether `hello` belongs to this run of the coordinator and to this job. kFailedPrecondition: it
// holds an epoch of another journal (unknown_store) or of another job of this name (job_deleted).
absl::Status CheckHistory(const State& state, const Job& job, const Hello& hello);

// Whether a process that is not in `job` yet may come in; `hello.worker` has no live holder.
//   kOutOfRange           the wanted rank is not in the world
//   kAlreadyExists        another live worker holds the device, or asked for the same rank; both
//   are
//                         named. A wanted rank whose seat went to somebody who did not ask for it
//                         is no error: the newcomer gets another seat or waits as a spare.
//   kResourceExhausted    every seat and every place for a spare is taken
//   kUnavailable          the same, but by a worker whose life is in doubt
absl::Status CheckRoom(const Job& job, const Hello& hello);

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_CORE_ADMISSION_H_
