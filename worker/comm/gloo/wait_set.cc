#include "worker/comm/gloo/wait_set.h"

#include <chrono>
#include <exception>

namespace muster {
namespace {

// So long that no wait runs out inside gloo, short enough to be added to any reading of its clock.
constexpr std::chrono::milliseconds kForever = std::chrono::hours(24 * 365);

}  // namespace

Ended WaitSet::WaitRecv(gloo::transport::UnboundBuffer* buffer, const DeadlineSource& deadline) {
  return WaitFor({buffer, Direction::kRecv, &deadline});
}

Ended WaitSet::WaitSend(gloo::transport::UnboundBuffer* buffer, const DeadlineSource& deadline) {
  return WaitFor({buffer, Direction::kSend, &deadline});
}

Ended WaitSet::EndLocked(const Wait& wait) const {
  if (stopped_) return Ended::kStopped;
  if (reset_ || wait.reset) return Ended::kReset;
  if (wait.expired) return Ended::kExpired;
  return Ended::kDone;
}

Ended WaitSet::WaitFor(Wait wait) {
  wait.expired = wait.deadline->EarliestDeadline() <= clock_->Now();
  std::list<Wait>::iterator place;
  {
    MonitorLock lock(&monitor_);
    if (const Ended ended = EndLocked(wait); ended != Ended::kDone) return ended;
    place = waits_.insert(waits_.end(), wait);
  }
  // False is given by a wait that was woken. A buffer may have been woken before this wait began,
  // when nothing is the matter any more: then it is waited for again.
  while (true) {
    bool done = false;
    bool lost = false;
    try {
      done = wait.direction == Direction::kRecv ? wait.buffer->waitRecv(nullptr, kForever)
                                                : wait.buffer->waitSend(nullptr, kForever);
    } catch (const std::exception&) {
      lost = true;
    }
    MonitorLock lock(&monitor_);
    Ended ended = EndLocked(*place);
    if (ended == Ended::kDone && lost) ended = Ended::kReset;
    if (done) ended = Ended::kDone;
    if (!done && ended == Ended::kDone) continue;
    waits_.erase(place);
    return ended;
  }
}

void WaitSet::Wake(const Wait& wait) {
  if (wait.direction == Direction::kRecv) {
    wait.buffer->abortWaitRecv();
  } else {
    wait.buffer->abortWaitSend();
  }
}

void WaitSet::Expire(MonotonicTime now) {
  MonitorLock lock(&monitor_);
  for (Wait& wait : waits_) {
    if (wait.expired || now < wait.deadline->EarliestDeadline()) continue;
    wait.expired = true;
    Wake(wait);
  }
}

void WaitSet::WakeAllLocked() {
  for (const Wait& wait : waits_) Wake(wait);
}

void WaitSet::Reset(const gloo::transport::UnboundBuffer* buffer) {
  MonitorLock lock(&monitor_);
  for (Wait& wait : waits_) {
    if (wait.buffer != buffer) continue;
    wait.reset = true;
    Wake(wait);
  }
}

void WaitSet::Reset() {
  MonitorLock lock(&monitor_);
  reset_ = true;
  WakeAllLocked();
}

void WaitSet::Stop() {
  MonitorLock lock(&monitor_);
  stopped_ = true;
  WakeAllLocked();
}

}  // namespace muster
