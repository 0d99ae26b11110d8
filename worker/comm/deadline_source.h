#ifndef MUSTER_WORKER_COMM_DEADLINE_SOURCE_H_
#define MUSTER_WORKER_COMM_DEADLINE_SOURCE_H_

#include "common/base/time.h"

namespace muster {

// Until when something may wait. The answer may come closer while it waits.
//
// Thread safety: any thread.
class DeadlineSource {
 public:
  virtual ~DeadlineSource() = default;
  virtual MonotonicTime EarliestDeadline() const = 0;
};

// A deadline that never changes.
class FixedDeadline final : public DeadlineSource {
 public:
  explicit FixedDeadline(MonotonicTime deadline) : deadline_(deadline) {}
  MonotonicTime EarliestDeadline() const override { return deadline_; }

 private:
  const MonotonicTime deadline_;
};

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_DEADLINE_SOURCE_H_
