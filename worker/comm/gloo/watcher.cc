#include "worker/comm/gloo/watcher.h"

#include "worker/comm/gloo/sigpipe.h"

namespace muster {

Watcher::Watcher(const Clock* clock) : clock_(clock), thread_([this] { Run(); }) {}

Watcher::~Watcher() {
  {
    MonitorLock lock(&monitor_);
    stopping_ = true;
  }
  monitor_.NotifyAll();
  thread_.join();
}

void Watcher::Add(Watched* watched) {
  MonitorLock lock(&monitor_);
  watched_.insert(watched);
  if (watched_.size() == 1) monitor_.NotifyAll();
}

void Watcher::Remove(Watched* watched) {
  MonitorLock lock(&monitor_);
  watched_.erase(watched);
}

void Watcher::Run() {
  BlockSigpipe();
  MonitorLock lock(&monitor_);
  while (!stopping_) {
    if (watched_.empty()) {
      monitor_.Wait();
      continue;
    }
    const MonotonicTime now = clock_->Now();
    for (Watched* watched : watched_) watched->Look(now);
    const MonotonicTime next = now + kInterval;
    while (!stopping_ && monitor_.WaitUntil(next)) {
    }
  }
}

}  // namespace muster
