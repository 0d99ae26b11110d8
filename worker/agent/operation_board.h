#ifndef MUSTER_WORKER_AGENT_OPERATION_BOARD_H_
#define MUSTER_WORKER_AGENT_OPERATION_BOARD_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/ids.h"
#include "common/base/monitor.h"
#include "common/base/time.h"
#include "worker/agent/event_sink.h"
#include "worker/agent/flight_recorder.h"
#include "worker/comm/communicator.h"
#include "worker/comm/work.h"
#include "worker/core/events.h"

namespace muster::worker {

// One operation of a user, as people are told of it.
struct UserOperation {
  Operation operation = Operation::kBarrier;
  uint64_t sequence = 0;                     // Of the collectives of the group; 0: not counted.
  std::optional<GroupRank> peer;             // Of point-to-point operations.
  std::shared_ptr<const std::string> group;  // Without the job, as "dit.sp#1".
};

// "all_reduce #17 on dit.sp#1", "send to group rank 3 on dit.sp#1".
std::string ToText(const UserOperation& name);

// What the users of this process do right now and did last, and the verdicts that they wait for.
//
// Thread safety: any method from any thread.
class OperationBoard {
 public:
  explicit OperationBoard(EventSink post) : post_(std::move(post)) {}

  // Wraps `inner`, a running operation of `epoch` that has `timeout` from now. Its end is noted in
  // `ring` if it is a collective, whose beginning is noted there already with Begin().
  //
  // Wait() of the result gives the outcome of `inner`, but for a transport error: then it asks the
  // coordinator for its verdict and gives that, which takes up to 250 ms and never more than what
  // is left of `timeout` by much.
  static std::unique_ptr<Work> Watch(std::shared_ptr<OperationBoard> board, UserOperation name,
                                     Epoch epoch, absl::Duration timeout,
                                     std::shared_ptr<FlightRing> ring, std::unique_ptr<Work> inner);

  // The operation that runs for longest, in words; empty if none runs.
  std::string Doing() const;

  FlightRecorder& recorder() { return recorder_; }

  // Hands the verdict to whoever waits for it.
  void End(OperationId operation, const absl::Status& status);

 private:
  friend class WatchedWork;

  struct Running {
    UserOperation name;
    const Work* inner = nullptr;
  };

  OperationId Enter(UserOperation name, const Work* inner);
  void Leave(OperationId operation);

  // Posts OperationFailed and waits for End(). Gives `raw` if nobody answers.
  absl::Status AskForVerdict(OperationId operation, Epoch epoch, const std::string& what,
                             const absl::Status& raw, absl::Duration patience);

  const EventSink post_;
  FlightRecorder recorder_;
  mutable Monitor monitor_;
  uint64_t last_ ABSL_GUARDED_BY(monitor_) = 0;
  std::map<OperationId, Running> running_ ABSL_GUARDED_BY(monitor_);
  // Of operations that wait for a verdict; unset until it comes.
  std::map<OperationId, std::optional<absl::Status>> verdicts_ ABSL_GUARDED_BY(monitor_);
};

}  // namespace muster::worker

#endif  // MUSTER_WORKER_AGENT_OPERATION_BOARD_H_
