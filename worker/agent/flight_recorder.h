#ifndef MUSTER_WORKER_AGENT_FLIGHT_RECORDER_H_
#define MUSTER_WORKER_AGENT_FLIGHT_RECORDER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/ids.h"
#include "common/base/monitor.h"
#include "common/base/time.h"
#include "common/session/session.h"
#include "worker/comm/operation.h"
#include "worker/comm/work.h"

namespace muster::worker {

// From here on an operation that is not over means trouble.
inline constexpr absl::Duration kSlowOperation = absl::Seconds(1);

// What of a call must be the same on all members of a group, to be put into words when somebody
// asks.
struct CallFacts {
  Operation operation = Operation::kBarrier;
  DType dtype = DType::kUint8;
  ReduceOp reduce = ReduceOp::kSum;
  GroupRank root;
  int64_t count = 0;    // Elements that one rank gives or gets, where all do the same.
  uint64_t shares = 0;  // A number for the sizes of all ranks' shares, where they differ.
};

CallFacts FactsOf(const OperationCall& call, GroupRank self);

// As "all_reduce sum float32 x1024", "broadcast float32 x10 from group rank 2".
std::string ToText(const CallFacts& facts);

// The newest collectives of one group in one epoch.
//
// Thread safety: any method from any thread. Nothing blocks.
class FlightRing {
 public:
  FlightRing(Epoch epoch, std::string group) : epoch_(epoch), group_(std::move(group)) {}

  // Notes that the collective `sequence`, one more than the one before, was called; `work` lives
  // until End().
  void Begin(uint64_t sequence, const CallFacts& facts, Work* work, MonotonicTime now);

  // Notes how it ended.
  void End(uint64_t sequence, const absl::Status& outcome);

  GroupTrace Trace(MonotonicTime now) const;

  Epoch epoch() const { return epoch_; }
  const std::string& group() const { return group_; }

 private:
  struct Entry {
    uint64_t sequence = 0;  // 0: none yet.
    CallFacts facts;
    MonotonicTime called;
    Work* running = nullptr;  // Null once it has ended.
    bool failed = false;
  };

  static OperationState StateOf(const Entry& entry);

  const Epoch epoch_;
  const std::string group_;
  mutable Monitor monitor_;
  std::array<Entry, kRecordsMax> entries_ ABSL_GUARDED_BY(monitor_);  // By sequence, modulo.
  uint64_t newest_ ABSL_GUARDED_BY(monitor_) = 0;
};

// The rings of one process.
//
// Thread safety: any method from any thread.
class FlightRecorder {
 public:
  // A new ring, known to this value for as long as its owner keeps it.
  std::shared_ptr<FlightRing> Open(Epoch epoch, const std::string& group);

  // The traces of `epoch` that are in trouble, and those of the groups in `wanted`; at most
  // kTracesMax.
  std::vector<GroupTrace> Traces(Epoch epoch, const std::vector<std::string>& wanted,
                                 MonotonicTime now);

 private:
  Monitor monitor_;
  std::vector<std::weak_ptr<FlightRing>> rings_ ABSL_GUARDED_BY(monitor_);
};

}  // namespace muster::worker

#endif  // MUSTER_WORKER_AGENT_FLIGHT_RECORDER_H_
