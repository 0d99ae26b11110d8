#ifndef MUSTER_WORKER_AGENT_REGISTRY_H_
#define MUSTER_WORKER_AGENT_REGISTRY_H_

#include <map>
#include <memory>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/ids.h"
#include "common/base/monitor.h"
#include "common/base/time.h"
#include "worker/agent/live_epoch.h"
#include "worker/agent/operation_board.h"

namespace muster::worker {

// How an agent ended.
struct Finished {
  absl::Status status;  // What users that wait are told; never OK.
  int exit_code = 0;
};

// Where the control thread leaves what users look for: epochs, and how it all ended.
//
// Thread safety: any method from any thread. Only the two methods that wait block.
class Registry {
 public:
  explicit Registry(std::shared_ptr<OperationBoard> board) : board_(std::move(board)) {}

  // An epoch begins. It is kept until Forget().
  std::shared_ptr<LiveEpoch> Add(LiveEpoch::Info info, Layout layout);

  // Null if there is none.
  std::shared_ptr<LiveEpoch> Find(Epoch epoch) const;

  void Activate(Epoch epoch);
  void End(Epoch epoch, const absl::Status& why);
  void CloseGates(Epoch epoch, const absl::Status& why);
  void OpenGates(Epoch epoch);
  void Forget(Epoch epoch);

  // Nothing more will become active. A later call replaces an earlier one.
  void Finish(Finished finished);

  // The agent holds nothing any more.
  void SetEmpty();

  // Blocks until an epoch above `after` is active, and gives it.
  //
  // Errors: what Finish() was given; at `deadline`: what the gates of an epoch that is built were
  // closed with (verdict_unknown), else kDeadlineExceeded.
  absl::StatusOr<std::shared_ptr<LiveEpoch>> WaitForEpochAfter(Epoch after, MonotonicTime deadline);

  // Blocks until SetEmpty() was called. False if it was not by `deadline`.
  bool WaitUntilEmpty(MonotonicTime deadline);

  std::optional<Finished> finished() const;

  const std::shared_ptr<OperationBoard>& board() const { return board_; }

 private:
  const std::shared_ptr<OperationBoard> board_;
  const std::shared_ptr<ActiveEpoch> active_ = std::make_shared<ActiveEpoch>(0);
  mutable Monitor monitor_;
  std::map<Epoch, std::shared_ptr<LiveEpoch>> epochs_ ABSL_GUARDED_BY(monitor_);
  std::shared_ptr<LiveEpoch> current_ ABSL_GUARDED_BY(monitor_);  // Active, or was last.
  std::optional<absl::Status> doubt_ ABSL_GUARDED_BY(monitor_);
  std::optional<Finished> finished_ ABSL_GUARDED_BY(monitor_);
  bool empty_ ABSL_GUARDED_BY(monitor_) = false;
};

}  // namespace muster::worker

#endif  // MUSTER_WORKER_AGENT_REGISTRY_H_
