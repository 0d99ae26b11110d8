#ifndef MUSTER_WORKER_AGENT_SESSION_CLIENT_H_
#define MUSTER_WORKER_AGENT_SESSION_CLIENT_H_

#include <grpcpp/channel.h>

#include <atomic>
#include <functional>
#include <memory>

#include "common/session/session.h"
#include "common/wire/departure.h"
#include "muster/v1/worker.grpc.pb.h"
#include "worker/agent/event_sink.h"

namespace muster::worker {

// This worker's streams to its coordinator, one at a time, all on one channel.
//
// What is seen comes back as StreamOpened (the coordinator took the Hello), AssignmentReceived and
// StreamClosed; of a stream that was closed from here nothing comes back.
//
// While the coordinator has never welcomed this worker and a connection breaks without a word, the
// diagnosis is asked for the reason, by a thread of gRPC, and what it gives ends the stream in
// place of the transport's words. So a worker whose certificate nobody takes does not dial for
// ever.
//
// Thread safety: one thread at a time. Nothing blocks but the destructor.
class SessionClient {
 public:
  // Gives OK if it knows no reason. May block for a second.
  using Diagnosis = std::function<absl::Status()>;

  // Without a `diagnosis` none is asked for.
  SessionClient(std::shared_ptr<grpc::Channel> channel, EventSink post, Diagnosis diagnosis = {});

  // Gives a report that is under way half a second to go out and a farewell the second that it has,
  // then ends the stream and waits until gRPC has done with it.
  ~SessionClient();
  SessionClient(const SessionClient&) = delete;
  SessionClient& operator=(const SessionClient&) = delete;

  // Dials and sends `hello`. A stream that is still there is closed.
  void Open(const Hello& hello);

  // Sends `report` on the stream of that number, if it is the one that stands. At most one message
  // is under way; a newer report replaces the one that waits behind it.
  void Send(SessionNumber session, const Report& report);

  // Ends the stream of that number, if it is the one that stands.
  void Close(SessionNumber session);

  // Tells the coordinator that this worker leaves, with or without a stream, within a second; then
  // ends the stream. Said once.
  void SayGoodbye(const Leave& leave);

 private:
  class Stream;
  class Calls;
  struct Goodbye;

  const std::unique_ptr<v1::WorkerService::Stub> stub_;
  const EventSink post_;
  const Diagnosis diagnosis_;
  const std::shared_ptr<Calls> calls_;
  const std::shared_ptr<std::atomic<bool>> known_;  // Whether a Welcome ever came.
  std::shared_ptr<Stream> stream_;    // The newest one; may be over. Null before the first.
  std::unique_ptr<Goodbye> goodbye_;  // Null unless it was said; its answer ends the stream.
};

}  // namespace muster::worker

#endif  // MUSTER_WORKER_AGENT_SESSION_CLIENT_H_
