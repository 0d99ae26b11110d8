#ifndef MUSTER_COORDINATOR_SERVER_SESSION_HUB_H_
#define MUSTER_COORDINATOR_SERVER_SESSION_HUB_H_

#include <cstdint>
#include <functional>
#include <map>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "common/base/ids.h"
#include "coordinator/core/events.h"
#include "coordinator/runtime/outbox.h"

namespace muster::coordinator {

// The server's end of one worker's stream, as the hub sees it.
class StreamWriter {
 public:
  virtual ~StreamWriter() = default;

  // Sends `assignment` as soon as the stream takes it; one that still waits is replaced.
  virtual void Send(Assignment assignment) = 0;

  // Ends the stream.
  virtual void End(const absl::Status& status) = 0;
};

// Finds the stream or the call that something of the machine is for.
//
// Thread safety: all methods from any thread. Blocking: none.
class SessionHub final : public Outbox {
 public:
  using Answer = std::function<void(const absl::Status&, JobUid, Generation)>;

  // Gives a number to a stream. `writer` lives until Remove() has returned.
  ConnectionId Add(StreamWriter* writer);
  void Remove(ConnectionId connection);

  // Gives a number to a call; `answer` is called at most once, by the event loop's thread or by
  // Shutdown().
  CallId AddCall(Answer answer);

  // Takes back a call that was never posted.
  void DropCall(CallId call);

  void Publish(ConnectionId connection, Assignment assignment) override;
  void Close(ConnectionId connection, absl::Status status) override;
  void Reply(CallId call, absl::Status status, JobUid job, Generation generation) override;

  // Ends every stream and answers every call with `status`.
  void Shutdown(const absl::Status& status);

 private:
  absl::Mutex mu_;
  uint64_t last_connection_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t last_call_ ABSL_GUARDED_BY(mu_) = 0;
  std::map<ConnectionId, StreamWriter*> streams_ ABSL_GUARDED_BY(mu_);
  std::map<CallId, Answer> calls_ ABSL_GUARDED_BY(mu_);
};

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_SERVER_SESSION_HUB_H_
