#ifndef MUSTER_WORKER_AGENT_LIVE_EPOCH_H_
#define MUSTER_WORKER_AGENT_LIVE_EPOCH_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/ids.h"
#include "common/base/monitor.h"
#include "common/layout/layout.h"
#include "common/session/job_spec.h"
#include "worker/agent/operation_board.h"
#include "worker/comm/communicator.h"

namespace muster::worker {

// The newest epoch of a process that was ever active; 0 before the first. Written by the control
// thread, read by users.
using ActiveEpoch = std::atomic<int64_t>;

// Tells whether users may start operations of one epoch.
//
// Shut until opened for the first time. Thread safety: any method from any thread.
class EpochGate {
 public:
  EpochGate(std::string job, Epoch epoch, std::shared_ptr<const ActiveEpoch> active)
      : job_(std::move(job)), epoch_(epoch), active_(std::move(active)) {}

  // OK if an operation may start now.
  //
  // Errors, the first that holds:
  //   kFailedPrecondition  the job is at a newer epoch, which is named (stale_epoch)
  //   what End() was given
  //   what Close() was given
  //   kFailedPrecondition  the epoch was never active (stale_epoch)
  absl::Status Check() const;

  void Open();
  void Close(absl::Status why);

  // For good; the first call counts.
  void End(absl::Status why);

 private:
  const std::string job_;
  const Epoch epoch_;
  const std::shared_ptr<const ActiveEpoch> active_;
  mutable Monitor monitor_;
  std::optional<absl::Status> over_ ABSL_GUARDED_BY(monitor_);
  absl::Status closed_ ABSL_GUARDED_BY(monitor_);
  bool opened_ ABSL_GUARDED_BY(monitor_) = false;
};

// One group of one epoch, as users reach it: the communicator, when there is one, behind the gate.
//
// Thread safety: any method from any thread. Nothing blocks but Free().
class GroupSlot {
 public:
  struct Info {
    Epoch epoch;
    std::string name;               // In full, as "wan/dit.sp#1".
    std::string short_name;         // "dit.sp#1".
    GlobalRank self;                // This process.
    GroupRank rank;                 // The same, in the group.
    std::vector<GlobalRank> ranks;  // All members, by group rank.
    bool is_built = true;           // A communicator is made when the epoch is formed.
  };

  GroupSlot(Info info, std::shared_ptr<const EpochGate> gate,
            std::shared_ptr<OperationBoard> board);

  const Info& info() const { return info_; }

  // Takes over a communicator. One that comes after Abort() is aborted at once.
  void Put(std::unique_ptr<Communicator> communicator);

  // Ends what runs and what comes with `why`.
  void Abort(const absl::Status& why);

  // Destroys the communicator, which was aborted.
  void Free();

  // Starts one operation, unless the gate refuses it.
  std::unique_ptr<Work> Start(OperationCall call, absl::Duration timeout);

  // Tells whether an operation on elements of `dtype` can be carried out; false without a
  // communicator.
  bool Supports(Operation operation, DType dtype) const;
  bool Supports(ReduceOp op, DType dtype) const;

 private:
  absl::Status NoCommunicator() const;

  const Info info_;
  const std::shared_ptr<const std::string> short_name_;
  const std::shared_ptr<const EpochGate> gate_;
  const std::shared_ptr<OperationBoard> board_;
  const std::shared_ptr<FlightRing> ring_;
  mutable Monitor monitor_;
  std::shared_ptr<Communicator> communicator_ ABSL_GUARDED_BY(monitor_);
  std::optional<absl::Status> aborted_ ABSL_GUARDED_BY(monitor_);
  uint64_t collectives_ ABSL_GUARDED_BY(monitor_) = 0;
};

// What one epoch is to this process: its seat, its layout and its groups.
//
// Thread safety: any method from any thread.
class LiveEpoch {
 public:
  struct Info {
    JobUid job;
    Epoch epoch;
    GlobalRank rank;
    Incarnation incarnation;
    std::shared_ptr<const JobSpec> spec;
  };

  // `layout` is the one of `info.spec`.
  LiveEpoch(Info info, Layout layout, std::shared_ptr<const ActiveEpoch> active,
            std::shared_ptr<OperationBoard> board);

  const Info& info() const { return info_; }
  const Layout& layout() const { return layout_; }
  EpochGate& gate() { return *gate_; }

  // Every group that this process is in, by id. Null for one that it is not in.
  const std::map<GroupId, std::shared_ptr<GroupSlot>>& groups() const { return groups_; }
  std::shared_ptr<GroupSlot> Find(GroupId id) const;

  // Shuts the gate for good and ends every operation with `why`.
  void End(const absl::Status& why);

 private:
  const Info info_;
  const Layout layout_;
  const std::shared_ptr<EpochGate> gate_;
  std::map<GroupId, std::shared_ptr<GroupSlot>> groups_;
};

}  // namespace muster::worker

#endif  // MUSTER_WORKER_AGENT_LIVE_EPOCH_H_
