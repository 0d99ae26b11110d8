#ifndef MUSTER_WORKER_COMM_LANES_H_
#define MUSTER_WORKER_COMM_LANES_H_

#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "common/base/monitor.h"
#include "common/base/time.h"
#include "worker/comm/deadline_source.h"

namespace muster {

class Lane;

// Threads for operations that block, shared by all communicators of a backend.
//
// Operations of one Lane run one after the other; those of different lanes never wait for each
// other: a thread is added whenever work is there and none is free. There are thus as many threads
// as lanes were busy at one time, and one for a program that does one thing at a time. They stay
// until the pool goes.
//
// Lifetime: longer than every Lane on it. The destructor joins all threads.
//
// Thread safety: any method from any thread.
class LanePool {
 public:
  // `on_thread_start` is run first by each thread of the pool.
  explicit LanePool(std::function<void()> on_thread_start);
  ~LanePool();
  LanePool(const LanePool&) = delete;
  LanePool& operator=(const LanePool&) = delete;

 private:
  friend class Lane;

  // Has a thread run the lane's operations. kResourceExhausted: there is none and none to be had.
  absl::Status Schedule(Lane* lane);
  void RunThread();

  const std::function<void()> on_thread_start_;
  Monitor monitor_;
  std::deque<Lane*> runnable_ ABSL_GUARDED_BY(monitor_);
  std::vector<std::thread> threads_ ABSL_GUARDED_BY(monitor_);
  size_t idle_ ABSL_GUARDED_BY(monitor_) = 0;  // Threads that wait and are not spoken for.
  bool stopping_ ABSL_GUARDED_BY(monitor_) = false;
};

// Operations that are carried out in the order in which they were posted, each with a deadline.
//
// Lifetime: the destructor waits until everything posted has run.
//
// Thread safety: any method from any thread.
class Lane final : public DeadlineSource {
 public:
  explicit Lane(LanePool* pool) : pool_(pool) {}
  ~Lane() override;
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // Has `operation` run after all that were posted before. Gives kResourceExhausted, and drops it,
  // if there is no thread for it.
  absl::Status Post(MonotonicTime deadline, std::function<void()> operation);

  // The earliest deadline of the operation that runs and of those behind it, which cannot be done
  // in time unless the running one ends before. Far away if there is none.
  MonotonicTime EarliestDeadline() const override;

 private:
  friend class LanePool;

  struct Entry {
    MonotonicTime deadline;
    std::function<void()> operation;
  };

  // Runs one operation. Gives true if there are more.
  bool RunOne();

  LanePool* const pool_;
  mutable Monitor monitor_;
  std::deque<Entry> entries_ ABSL_GUARDED_BY(monitor_);  // The first one runs or is about to.
};

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_LANES_H_
