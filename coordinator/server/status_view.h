#ifndef MUSTER_COORDINATOR_SERVER_STATUS_VIEW_H_
#define MUSTER_COORDINATOR_SERVER_STATUS_VIEW_H_

#include <vector>

#include "common/base/time.h"
#include "coordinator/core/state.h"
#include "muster/v1/admin.pb.h"

// The machine's state as admins see it. Pure: reads, never changes. Ages are relative to `now`.
namespace muster::coordinator {

v1::Job ViewJob(const Job& job, MonotonicTime now, bool with_seats);

// By rank, then those without a seat by name.
std::vector<v1::WorkerStatus> ViewWorkers(const Job& job, MonotonicTime now);

// In the order of the layout.
std::vector<v1::GroupStatus> ViewGroups(const Job& job, MonotonicTime now);

// Oldest first.
std::vector<v1::Event> ViewEvents(const Job& job, MonotonicTime now);

v1::Attempt ViewAttempt(const Attempt& attempt, MonotonicTime now);

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_SERVER_STATUS_VIEW_H_
