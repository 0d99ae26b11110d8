#ifndef MUSTER_TESTS_SIMULATION_FAULTS_H_
#define MUSTER_TESTS_SIMULATION_FAULTS_H_

#include <map>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "tests/simulation/fault_kinds.h"
#include "tests/simulation/network.h"
#include "tests/simulation/plan.h"

namespace muster::sim {

struct World;
class Process;

// What goes wrong, when, and to whom: faults that come by chance, and quests, which wait for a job
// to be at a certain step. If none comes there by itself, something is done to bring one there.
class Faults {
 public:
  explicit Faults(World& world);

  void Start();
  void Stop() { stopped_ = true; }

  // A job came to another step.
  void OnStep(const std::string& job, Step step);

  // A message to or from `process` met `kind`.
  void CountMessageFault(FaultKind kind, ProcessId process);

  bool AreQuestsOver() const;
  uint64_t count() const { return count_; }

 private:
  struct OpenQuest {
    Quest quest;
    bool over = false;
    int nudges = 0;
  };

  void Count(FaultKind kind, Step step);
  void ScheduleNext();
  void LookAround();
  void Aim(size_t job, Step step);
  void Nudge(OpenQuest& quest);

  // Makes `kind` happen to `job`; false if there is nobody to whom it can happen.
  bool Inject(FaultKind kind, size_t job);
  bool InjectMessageFault(FaultKind kind, size_t job);
  bool InjectIntoStream(FaultKind kind, Process& process);
  void BreakAll();
  bool InjectIntoWorker(FaultKind kind, Process& process);
  bool InjectIntoShell(FaultKind kind, Process& process);
  bool InjectIntoCoordinator(FaultKind kind);
  bool InjectIntoJournal(FaultKind kind);
  bool StartRival(FaultKind kind, Process& process);
  bool Supersede(Process& process);
  bool BreakPeers(Process& process);
  void FillJournal();

  World& world_;
  Random random_;
  bool stopped_ = false;
  uint64_t count_ = 0;
  std::vector<OpenQuest> quests_;
  std::map<size_t, bool> aiming_;  // By job: an injection is scheduled.
};

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_FAULTS_H_
