#ifndef MUSTER_TESTS_SIMULATION_PROCESSES_H_
#define MUSTER_TESTS_SIMULATION_PROCESSES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "coordinator/core/events.h"
#include "tests/simulation/process.h"

namespace muster::sim {

struct World;

// Place of an identity in Plan::workers.
using Slot = size_t;

// All processes that ever were, who runs under which identity, and who starts the next one.
class Processes {
 public:
  explicit Processes(World& world);

  // Starts each identity's first process at its time.
  void ScheduleFirstStarts();

  // Starts a process. The one that holds the slot is the one that is started again when it ends.
  ProcessId StartHolder(Slot slot);
  // Starts one that nobody starts again, from a plan of its own.
  ProcessId StartStranger(WorkerPlan plan);

  // Ends a process: its resources are gone, its peers and the coordinator may notice. `silently`
  // says that its host went with it.
  enum class Manner { kNoticed, kSilently };
  void End(ProcessId id, Manner manner);

  // Nobody is started any more.
  void StopStarting() { starting_ = false; }
  // Every identity whose holder has ended or finished is started again soon.
  void ResumeAll();
  // No faults from now on, and nobody who starts asks for a rank that somebody else may have got
  // while things went wrong.
  void BecomeReliable();

  Process& At(ProcessId id) { return *processes_.at(static_cast<size_t>(id)); }
  const Process& At(ProcessId id) const { return *processes_.at(static_cast<size_t>(id)); }
  const std::vector<std::unique_ptr<Process>>& all() const { return processes_; }
  // The process that holds a slot; null if it ended.
  Process* HolderOf(Slot slot);
  // Processes of `job` that run, strangers included.
  std::vector<Process*> RunningOf(const std::string& job);
  Process* Find(Incarnation incarnation);

  // What others ask about one process.
  void Feed(ProcessId id, const worker::Event& event) { At(id).Feed(event); }
  void Run(ProcessId id, std::function<void()> action) { At(id).Run(std::move(action)); }
  const std::string& JobOf(ProcessId id) const { return At(id).plan().job; }
  std::string NameOf(ProcessId id) const;
  Incarnation IncarnationOf(ProcessId id) const { return At(id).incarnation(); }
  const ProcessClock& ClockOf(ProcessId id) const { return At(id).clock(); }
  Micros ResumedAt(ProcessId id) const { return At(id).resumed_at(); }
  coordinator::LeaveReceived LeaveOf(ProcessId id) const;
  bool IsAlive(Incarnation incarnation) const;
  bool HasMember(ProcessId id, GroupId group, GlobalRank rank) const;
  void CheckProbe(const ProcessProbe& probe) const;

  // From where builders meet and from the board of operations.
  void OnGroupStands(ProcessId id, const GroupKey& key);
  void OnBuildPeerGone(ProcessId id, const GroupKey& key, GlobalRank peer);
  void OnOperationDone(ProcessId id, worker::OperationId operation);
  // A connection of `a` to `b` broke, and both live on.
  void BreakBetween(Process& a, Process& b);

  // From an agent that is done.
  void OnFinish(Process& process);

 private:
  ProcessId Start(WorkerPlan plan);
  void StartAgain(Slot slot);
  void TellPeers(const Process& ended);

  World& world_;
  Random random_;
  bool starting_ = true;
  bool asking_for_ranks_ = true;
  int64_t last_pid_ = 1000;
  std::vector<std::unique_ptr<Process>> processes_;
  std::map<Incarnation, ProcessId> by_incarnation_;
  std::vector<ProcessId> holders_;  // By slot; negative: nobody yet.
  std::vector<bool> due_;           // By slot: a start is under way.
};

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_PROCESSES_H_
