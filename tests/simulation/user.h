#ifndef MUSTER_TESTS_SIMULATION_USER_H_
#define MUSTER_TESTS_SIMULATION_USER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "common/base/random.h"
#include "tests/simulation/build_hall.h"
#include "tests/simulation/shell.h"
#include "worker/core/effects.h"

namespace muster::sim {

struct World;

// One user thread of one worker: in each active epoch it calls the collectives of its groups one
// after the other, in the order that all members share, and waits for each of them.
//
// Holds the agent to what it owes a thread that waits: an end by the operation's own deadline, and
// by the time a verdict may take once a transport error was reported.
class User {
 public:
  User(World& world, ProcessId process);

  // The agent's effects.
  void OnActivate(Epoch epoch, const EpochResources& resources);
  void OnEpochOver(Epoch epoch, const absl::Status& status);  // Ended or aborted.
  void OnGates(Epoch epoch, bool open);
  void OnEndOperation(const worker::EndOperation& effect);
  void OnFinish();

  // The operation's own end.
  void OnDone(worker::OperationId operation);
  // A connection to a member broke; `epoch` is the one that it was of.
  void OnTransportError(JobUid job, Epoch epoch, GlobalRank peer);

  bool is_waiting() const { return operation_.has_value(); }
  Epoch epoch() const { return epoch_; }
  JobUid job() const { return job_; }
  GlobalRank rank() const { return rank_; }

 private:
  struct Operation {
    worker::OperationId id;
    GroupMembership group;
    Micros deadline = 0;  // True time at which it ends by itself.
    bool asked = false;   // A verdict was asked for.
    Micros asked_at = 0;
    absl::Duration allowed;  // How long the verdict may take, on the worker's clock.
  };

  void CallSoon();
  void CallNext();
  void End(const absl::Status& status);
  void OnDeadline(worker::OperationId operation);
  void ExpectVerdict(worker::OperationId operation, Micros from);
  void Tell(const std::string& doing);
  void BreakWaiter(const char* when);

  World& world_;
  const ProcessId process_;
  Random random_;
  Epoch epoch_;  // In which it works; 0: in none.
  JobUid job_;
  GlobalRank rank_;
  std::vector<GroupMembership> groups_;
  bool gates_open_ = false;
  bool gave_up_ = false;  // A group is broken: it waits for the next epoch.
  int64_t sequence_ = 0;
  uint64_t last_operation_ = 0;
  uint64_t turn_ = 0;  // Of epochs; an older one's next call means nothing.
  bool told_ = false;  // The agent believes that an operation runs.
  std::optional<Operation> operation_;
};

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_USER_H_
