#ifndef MUSTER_WORKER_COMM_GLOO_GLOO_COMMUNICATOR_H_
#define MUSTER_WORKER_COMM_GLOO_GLOO_COMMUNICATOR_H_

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "common/base/clock.h"
#include "common/base/monitor.h"
#include "worker/comm/backend.h"
#include "worker/comm/communicator.h"
#include "worker/comm/gloo/breaking.h"
#include "worker/comm/gloo/mesh.h"
#include "worker/comm/gloo/wire.h"
#include "worker/comm/lanes.h"

namespace muster {

// A communicator over the connections of a mesh, on host memory.
//
// Before any data moves, the ranks of an operation exchange what they called, unless the job does
// without; data of up to kInlineBytesMax bytes per rank rides along, so that a small operation is
// one exchange.
// Collectives share one lane; each direction to and from each peer has a lane of its own.
class GlooCommunicator final : public Communicator {
 public:
  // `mesh` is connected and proved, and null for a group of one. `pool` and `clock` outlive it.
  GlooCommunicator(GroupFacts facts, CallChecks checks, std::unique_ptr<Mesh> mesh, LanePool* pool,
                   const Clock* clock);
  ~GlooCommunicator() override;

  const GroupFacts& facts() const override { return facts_; }
  bool Supports(Operation operation, DType dtype) const override;
  bool Supports(ReduceOp op, DType dtype) const override;
  std::unique_ptr<Work> Start(OperationCall call, absl::Duration timeout) override;
  void Abort(absl::Status why) override;

 private:
  // One operation on its way.
  struct Task {
    OperationCall call;
    Call header;           // What the others are told of it.
    absl::Status refusal;  // Why the arguments are refused; OK if they are not.
    absl::Duration timeout;
    MonotonicTime started;
    std::string what;      // As "all_reduce #17".
    Lane* lane = nullptr;  // On which it runs.
  };

  // The messages to one peer, or from it.
  struct Line {
    explicit Line(LanePool* pool) : lane(pool) {}
    uint64_t sequence = 0;
    Lane lane;
  };

  std::unique_ptr<Work> StartCollective(Task task);
  std::unique_ptr<Work> StartMessage(Task task);
  std::unique_ptr<Work> Post(Task task, absl::Status (GlooCommunicator::*run)(const Task&));

  absl::Status RunAlone(const Task& task);
  absl::Status RunCollective(const Task& task);
  absl::Status RunMessage(const Task& task);
  absl::Status RunAgreed(const Task& task);
  absl::Status MoveMessage(const Task& task, uint64_t slot);

  // Tells whether the ranks compare their calls before data moves.
  bool IsChecked(const OperationCall& call) const;

  absl::Status CheckUsable(const Task& task);
  absl::Status Fail(const Task& task, const Outcome& outcome);
  // What came from `ranks`, or from somebody, is not what a member of this version sends.
  absl::Status FailUnreadable(const Task& task, const std::set<GroupRank>& ranks);
  absl::Status EndLocked(const Task& task) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(monitor_);
  // Who, of the members, is named by the detail of `why`.
  std::set<GroupRank> MembersNamedBy(const absl::Status& why) const;
  void SetBroken(const absl::Status& cause) ABSL_LOCKS_EXCLUDED(monitor_);

  const GroupFacts facts_;
  const CallChecks checks_;
  const std::unique_ptr<Mesh> mesh_;
  LanePool* const pool_;
  const Clock* const clock_;

  Monitor monitor_;
  std::optional<absl::Status> aborted_ ABSL_GUARDED_BY(monitor_);
  std::optional<absl::Status> broken_ ABSL_GUARDED_BY(monitor_);

  std::atomic<int64_t> unfinished_{0};  // Operations that are posted and not done.
  uint64_t sequence_ = 0;
  Lane collectives_;
  // Sending comes first in the pair. Lanes go, and wait for what runs, before all the above.
  std::map<std::pair<bool, GroupRank>, Line> lines_;
};

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_GLOO_COMMUNICATOR_H_
