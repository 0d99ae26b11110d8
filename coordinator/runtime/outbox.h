#ifndef MUSTER_COORDINATOR_RUNTIME_OUTBOX_H_
#define MUSTER_COORDINATOR_RUNTIME_OUTBOX_H_

#include "absl/status/status.h"
#include "common/base/ids.h"
#include "common/session/session.h"
#include "coordinator/core/events.h"

namespace muster::coordinator {

// What leaves the coordinator: messages to workers and answers to admins. The server is one; a test
// records.
//
// Thread safety: called by the event loop's thread only, in the order in which it must happen, with
// no lock held.
//
// Blocking: none of the methods may block, since nobody is served meanwhile. They may post to the
// event loop.
//
// Errors: none. A connection or a call that is gone by now is not worth a word: its end was posted
// or is being posted.
class Outbox {
 public:
  virtual ~Outbox() = default;

  // Sends `assignment` as soon as the stream takes it. If an older one for `connection` still
  // waits, it is replaced.
  virtual void Publish(ConnectionId connection, Assignment assignment) = 0;

  // Ends the stream of `connection` with `status`, which is not OK. What still waits for it is not
  // sent.
  virtual void Close(ConnectionId connection, absl::Status status) = 0;

  // Answers `call`, once. `job` and `generation` mean something only if `status` is OK.
  virtual void Reply(CallId call, absl::Status status, JobUid job, Generation generation) = 0;
};

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_RUNTIME_OUTBOX_H_
