#ifndef MUSTER_COORDINATOR_SERVER_WORKER_SERVICE_H_
#define MUSTER_COORDINATOR_SERVER_WORKER_SERVICE_H_

#include "coordinator/runtime/event_loop.h"
#include "coordinator/server/caller.h"
#include "coordinator/server/session_hub.h"
#include "muster/v1/worker.grpc.pb.h"

namespace muster::coordinator {

// The worker's side of the coordinator. Converts, posts and finishes; decides nothing but whether
// the caller may speak for the worker that it names.
//
// `loop` and `hub` outlive the server that this is registered with.
class WorkerServiceImpl final : public v1::WorkerService::CallbackService {
 public:
  WorkerServiceImpl(EventLoop* loop, SessionHub* hub, Access access)
      : loop_(loop), hub_(hub), access_(access) {}

  grpc::ServerBidiReactor<v1::SessionRequest, v1::SessionReply>* Session(
      grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* Leave(grpc::CallbackServerContext* context,
                                  const v1::LeaveRequest* request, v1::LeaveReply* reply) override;
  grpc::ServerUnaryReactor* ReportExit(grpc::CallbackServerContext* context,
                                       const v1::ReportExitRequest* request,
                                       v1::ReportExitReply* reply) override;

 private:
  EventLoop* const loop_;
  SessionHub* const hub_;
  const Access access_;
};

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_SERVER_WORKER_SERVICE_H_
