#ifndef MUSTER_WORKER_COMM_WORK_H_
#define MUSTER_WORKER_COMM_WORK_H_

#include <memory>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "common/base/monitor.h"

namespace muster {

// Handle of an operation in flight.
//
// The memory given to the operation belongs to it until it is done; so the destructor waits, too.
// Every operation has a deadline and can be aborted, so that no wait is without end.
//
// Thread safety: any method from any thread; the destructor after all of them.
class Work {
 public:
  virtual ~Work() = default;

  // Blocks until the operation is done and gives its outcome, the same on each call.
  virtual absl::Status Wait() = 0;

  // Tells whether Wait() would give the outcome at once.
  virtual bool IsDone() const = 0;
};

// The outcome of an operation, on its way from whoever carries it out to whoever waits for it.
//
// Thread safety: any method from any thread.
class WorkState {
 public:
  // Sets the outcome, for good. Must be called exactly once.
  void Finish(absl::Status outcome);

  // Blocks until Finish() was called.
  absl::Status Wait() const;

  bool IsDone() const;

 private:
  mutable Monitor monitor_;
  std::optional<absl::Status> outcome_ ABSL_GUARDED_BY(monitor_);
};

// A handle that waits for `state`.
std::unique_ptr<Work> MakeWork(std::shared_ptr<const WorkState> state);

// A handle of something that is done already.
std::unique_ptr<Work> MakeDoneWork(absl::Status outcome);

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_WORK_H_
