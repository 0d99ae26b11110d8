#ifndef MUSTER_COORDINATOR_SERVER_ADMIN_SERVICE_H_
#define MUSTER_COORDINATOR_SERVER_ADMIN_SERVICE_H_

#include <functional>

#include "common/base/clock.h"
#include "coordinator/runtime/event_loop.h"
#include "coordinator/server/caller.h"
#include "coordinator/server/session_hub.h"
#include "muster/v1/admin.grpc.pb.h"

namespace muster::coordinator {

// The admin's side of the coordinator. Changes are posted and answered when the machine answers;
// questions are asked on the loop's thread.
//
// What it is made with outlives the server that this is registered with.
class AdminServiceImpl final : public v1::AdminService::CallbackService {
 public:
  AdminServiceImpl(EventLoop* loop, SessionHub* hub, Clock* clock, Access access)
      : loop_(loop), hub_(hub), clock_(clock), access_(access) {}

  grpc::ServerUnaryReactor* Apply(grpc::CallbackServerContext* context,
                                  const v1::ApplyRequest* request, v1::ApplyReply* reply) override;
  grpc::ServerUnaryReactor* Delete(grpc::CallbackServerContext* context,
                                   const v1::DeleteRequest* request,
                                   v1::DeleteReply* reply) override;
  grpc::ServerUnaryReactor* GetJob(grpc::CallbackServerContext* context,
                                   const v1::GetJobRequest* request,
                                   v1::GetJobReply* reply) override;
  grpc::ServerUnaryReactor* ListJobs(grpc::CallbackServerContext* context,
                                     const v1::ListJobsRequest* request,
                                     v1::ListJobsReply* reply) override;
  grpc::ServerUnaryReactor* ListWorkers(grpc::CallbackServerContext* context,
                                        const v1::ListWorkersRequest* request,
                                        v1::ListWorkersReply* reply) override;
  grpc::ServerUnaryReactor* ListGroups(grpc::CallbackServerContext* context,
                                       const v1::ListGroupsRequest* request,
                                       v1::ListGroupsReply* reply) override;
  grpc::ServerUnaryReactor* ListEvents(grpc::CallbackServerContext* context,
                                       const v1::ListEventsRequest* request,
                                       v1::ListEventsReply* reply) override;
  grpc::ServerUnaryReactor* Why(grpc::CallbackServerContext* context, const v1::WhyRequest* request,
                                v1::WhyReply* reply) override;
  grpc::ServerWriteReactor<v1::WatchJobReply>* WatchJob(
      grpc::CallbackServerContext* context, const v1::WatchJobRequest* request) override;

 private:
  using Answering = std::function<absl::Status(const State&)>;
  using Making = std::function<Event(CallId)>;
  using Filling = std::function<void(JobUid, Generation)>;

  // Answers a question of an admin on the loop's thread.
  grpc::ServerUnaryReactor* Ask(grpc::CallbackServerContext* context, Answering answer);

  // Posts an admin's change; the machine's answer ends the call.
  grpc::ServerUnaryReactor* Change(grpc::CallbackServerContext* context, const Making& make,
                                   Filling fill);

  EventLoop* const loop_;
  SessionHub* const hub_;
  Clock* const clock_;
  const Access access_;
};

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_SERVER_ADMIN_SERVICE_H_
