#ifndef MUSTER_COORDINATOR_RUNTIME_EVENT_LOOP_H_
#define MUSTER_COORDINATOR_RUNTIME_EVENT_LOOP_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/mailbox.h"
#include "coordinator/core/effects.h"
#include "coordinator/core/events.h"
#include "coordinator/core/state.h"
#include "coordinator/runtime/core.h"
#include "coordinator/runtime/effect_runner.h"
#include "coordinator/runtime/loop_lane.h"

namespace muster::coordinator {

// How many events and questions may wait for the loop, liveness events not counted.
inline constexpr size_t kLoopMailboxMax = 32768;

// Owns the machine and the one thread that moves it.
//
// Each turn takes everything that waits, in order of arrival. For each event it reads the clock
// once, steps the machine and carries out the effects, with no lock held. Time passes for the
// machine as a Tick every `tick_interval`, stepped when everything that had come in by the time it
// fell due is stepped: so a worker whose report waits here is never found silent.
//
// Lifetime: made, then running until Stop(), the destructor or a Halt of the machine. What it is
// made with outlives it; what it hands to others (answers of the journal, timers) may outlive it
// and then does nothing.
//
// Thread safety: Post(), Read() and SinceLastTurn() from any thread, any time. Stop() and the
// destructor from one thread, which is neither the loop's nor inside a callback of the clock.
//
// Blocking: only Stop() and the destructor.
class EventLoop {
 public:
  struct Options {
    absl::Duration tick_interval = absl::Milliseconds(50);  // As the machine was told.
    size_t mailbox_max = kLoopMailboxMax;                   // At least 1.
  };

  // Starts the thread, whose first act is to start the machine.
  EventLoop(std::unique_ptr<Core> core, EffectRunner* runner, Clock* clock, const Options& options);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Hands `event` to the machine. Not for Journaled and Tick, which the loop makes itself.
  //
  // Liveness (ReportReceived, StreamReset, StreamCut, ExitReported) is always taken, however much
  // waits. Of the reports of one connection that wait, only the newest is kept.
  //
  // Errors:
  //   kResourceExhausted  too much waits (mailbox_full); never for liveness
  //   kUnavailable        the loop has stopped; liveness is dropped without a word
  absl::Status Post(Event event);

  // Runs `query` on the loop's thread behind everything that was posted before. It must be short
  // and must not block, since nobody is served meanwhile; it may post.
  //
  // Runs exactly once if the status is OK, even if the loop stops or halts first, else never.
  // Errors as of Post().
  absl::Status Read(std::function<void(const State&)> query);

  // How long ago the loop last began to handle something. Never much above `tick_interval` while
  // the loop is healthy, since ticks keep it busy. Goes on growing once the loop has stopped.
  absl::Duration SinceLastTurn() const;

  // Takes nothing more in, handles what was taken, and ends the thread. Does not wait for the
  // journal: writes that are unanswered by then stay so, and calls that wait for them get no Reply,
  // so whoever stops the loop ends those calls. Calling it again changes nothing.
  void Stop();

 private:
  using Query = std::function<void(const State&)>;
  using Entry = std::variant<Event, Query>;
  using LoopMailbox = Mailbox<LaneKey, Entry>;

  void Run();
  // Handles `entries`, and last the Tick that may be among them.
  void Turn(std::vector<Entry>* entries);
  void Step(const Event& event, MonotonicTime now);
  void CarryOut(std::vector<Effect> effects);
  void ArmTick(MonotonicTime now);
  // Now. Also remembers it for SinceLastTurn().
  MonotonicTime ReadClock();

  const std::unique_ptr<Core> core_;
  EffectRunner* const runner_;
  Clock* const clock_;
  const Options options_;
  const std::shared_ptr<LoopMailbox> mailbox_;  // Shared with what may outlive the loop.
  const JournalAnswer answer_;
  std::atomic<int64_t> last_turn_ns_;  // As MonotonicTime::since_start.

  bool halted_ = false;  // Touched by the loop's thread only.
  TimerId tick_;         // Touched by the loop's thread, and by Stop() once that has ended.
  std::thread thread_;
};

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_RUNTIME_EVENT_LOOP_H_
