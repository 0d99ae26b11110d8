#ifndef MUSTER_WORKER_COMM_GLOO_WATCHER_H_
#define MUSTER_WORKER_COMM_GLOO_WATCHER_H_

#include <set>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/monitor.h"

namespace muster {

// Something that wants to be looked at often.
class Watched {
 public:
  virtual ~Watched() = default;

  // Comes every Watcher::kInterval while registered. Must be short and must not call the watcher.
  virtual void Look(MonotonicTime now) = 0;
};

// The thread that notices deadlines and lost peers for all groups of a process.
//
// The packaged gloo cannot be trusted with either: a wait that runs out of time inside it closes
// every connection of its group, and one whose peer dies in the middle of a message is not woken at
// all. So nothing of ours ever times out in gloo; it is woken from here.
//
// Thread safety: any method from any thread; the destructor after all others.
class Watcher {
 public:
  // How late a deadline, or a death that gloo does not tell, may be noticed.
  static constexpr absl::Duration kInterval = absl::Milliseconds(20);

  // `clock` is one whose time goes by, and outlives the watcher.
  explicit Watcher(const Clock* clock);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  void Add(Watched* watched);

  // When this returns, `watched` is not looked at and will not be.
  void Remove(Watched* watched);

 private:
  void Run();

  const Clock* const clock_;
  Monitor monitor_;
  std::set<Watched*> watched_ ABSL_GUARDED_BY(monitor_);
  bool stopping_ ABSL_GUARDED_BY(monitor_) = false;
  std::thread thread_;
};

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_WATCHER_H_
