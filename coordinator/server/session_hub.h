#ifndef MUSTER_COORDINATOR_SERVER_SESSION_HUB_H_
#define MUSTER_COORDINATOR_SERVER_SESSION_HUB_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "common/base/ids.h"
#include "common/base/monitor.h"
#include "coordinator/core/events.h"
#include "coordinator/runtime/outbox.h"

namespace muster::coordinator {

// A stream that can be ended from here.
class EndableStream {
 public:
  virtual ~EndableStream() = default;

  // Ends the stream.
  virtual void End(const absl::Status& status) = 0;
};

// The server's end of one worker's stream, as the hub sees it.
class StreamWriter : public EndableStream {
 public:
  // Sends `assignment` as soon as the stream takes it; one that still waits is replaced.
  virtual void Send(Assignment assignment) = 0;
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

  // Remembers a stream that nothing but Shutdown() is for. It lives until RemoveWatcher() has
  // returned.
  void AddWatcher(EndableStream* watcher);
  void RemoveWatcher(EndableStream* watcher);

  // Gives a number to a call; `answer` is called at most once, by the event loop's thread or by
  // Shutdown(). Nothing after Shutdown(): then it was called at once.
  std::optional<CallId> AddCall(Answer answer);

  void Publish(ConnectionId connection, Assignment assignment) override;
  void Close(ConnectionId connection, absl::Status status) override;
  void Reply(CallId call, absl::Status status, JobUid job, Generation generation) override;

  // Ends every stream and answers every call with `status`, those that come later included.
  void Shutdown(const absl::Status& status);

 private:
  Monitor mu_;
  uint64_t last_connection_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t last_call_ ABSL_GUARDED_BY(mu_) = 0;
  std::map<ConnectionId, StreamWriter*> streams_ ABSL_GUARDED_BY(mu_);
  std::set<EndableStream*> watchers_ ABSL_GUARDED_BY(mu_);
  std::map<CallId, Answer> calls_ ABSL_GUARDED_BY(mu_);
  std::optional<absl::Status> shut_down_ ABSL_GUARDED_BY(mu_);
};

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_SERVER_SESSION_HUB_H_
