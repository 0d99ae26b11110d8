#ifndef MUSTER_COORDINATOR_SERVER_JOB_WATCHER_H_
#define MUSTER_COORDINATOR_SERVER_JOB_WATCHER_H_

#include <grpcpp/support/server_callback.h>

#include <string>

#include "common/base/clock.h"
#include "coordinator/runtime/event_loop.h"
#include "coordinator/server/session_hub.h"
#include "muster/v1/admin.pb.h"

namespace muster::coordinator {

// How soon a change of a job reaches its watchers.
inline constexpr absl::Duration kWatchInterval = absl::Milliseconds(200);

// Sends a job at once and whenever its status changes; ages alone are no change. Ends with OK once
// the job is gone, even if there is a new one of its name; with kNotFound if it was never there;
// and with the status of the hub's Shutdown(). The reactor deletes itself.
grpc::ServerWriteReactor<v1::WatchJobReply>* WatchJobs(EventLoop* loop, SessionHub* hub,
                                                       Clock* clock, const std::string& job);

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_SERVER_JOB_WATCHER_H_
