#ifndef MUSTER_WORKER_COMM_GLOO_WAIT_SET_H_
#define MUSTER_WORKER_COMM_GLOO_WAIT_SET_H_

#include <list>

#include "absl/base/thread_annotations.h"
#include "common/base/clock.h"
#include "common/base/monitor.h"
#include "gloo/transport/unbound_buffer.h"
#include "worker/comm/deadline_source.h"

namespace muster {

// How a wait ended.
enum class Ended {
  kDone,     // The bytes are there, or gone.
  kExpired,  // The deadline passed.
  kReset,    // A connection of the group was lost.
  kStopped,  // Stop() was called.
};

// The waits for the bytes of one group: a wait in gloo that others can end at any time and that
// leaves the connections alone when it runs out of time.
//
// Thread safety: any method from any thread.
class WaitSet {
 public:
  explicit WaitSet(const Clock* clock) : clock_(clock) {}
  WaitSet(const WaitSet&) = delete;
  WaitSet& operator=(const WaitSet&) = delete;

  // Block until the operation that was posted on `buffer` is done or the wait is ended otherwise. A
  // deadline that is not behind us when the wait begins is noticed by Expire(). After anything but
  // kDone the buffer may still be written or read, until its connection is closed.
  Ended WaitRecv(gloo::transport::UnboundBuffer* buffer, const DeadlineSource& deadline);
  Ended WaitSend(gloo::transport::UnboundBuffer* buffer, const DeadlineSource& deadline);

  // Ends the waits whose deadline has passed at `now`.
  void Expire(MonotonicTime now);

  // Ends the wait for `buffer`, if there is one now, with kReset.
  void Reset(const gloo::transport::UnboundBuffer* buffer);

  // Ends all waits, also those that begin later, with kReset or kStopped. Stop() goes over Reset().
  void Reset();
  void Stop();

 private:
  enum class Direction { kSend, kRecv };

  struct Wait {
    gloo::transport::UnboundBuffer* buffer;
    Direction direction;
    const DeadlineSource* deadline;
    bool expired = false;
    bool reset = false;
  };

  Ended WaitFor(Wait wait);
  Ended EndLocked(const Wait& wait) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(monitor_);
  static void Wake(const Wait& wait);
  void WakeAllLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(monitor_);

  const Clock* const clock_;
  Monitor monitor_;
  std::list<Wait> waits_ ABSL_GUARDED_BY(monitor_);
  bool reset_ ABSL_GUARDED_BY(monitor_) = false;
  bool stopped_ ABSL_GUARDED_BY(monitor_) = false;
};

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_WAIT_SET_H_
