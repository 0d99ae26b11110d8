#ifndef MUSTER_TESTS_SIMULATION_SIM_COORDINATOR_H_
#define MUSTER_TESTS_SIMULATION_SIM_COORDINATOR_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "coordinator/core/machine.h"
#include "tests/simulation/fault_kinds.h"
#include "tests/simulation/sim_time.h"

namespace muster::sim {

struct World;

// The process around the coordinator's real machine: starts it from the journal, feeds it, carries
// out its effects, ends it, lets it stand still.
class SimCoordinator {
 public:
  explicit SimCoordinator(World& world);

  // Loads the journal and starts the next run.
  void Start();

  // Ends the run, if there is one, and starts the next one after `downtime`. Wipes the journal in
  // between if asked to.
  enum class Journal { kSurvives, kWiped };
  void Crash(Micros downtime, Journal journal);

  // Stands still: what comes waits, ticks are missed.
  void Pause(Micros length);

  bool up() const { return machine_.has_value(); }
  uint64_t run() const { return run_; }

  // The machine's state; null while the coordinator is down.
  const coordinator::State* state() const { return up() ? &machine_->state() : nullptr; }
  const coordinator::Job* FindJob(const std::string& name) const;
  Step StepOfJob(const std::string& name) const;

  MonotonicTime Now() const;

  // An event for run `run`; dropped if that is over, kept while the coordinator stands still.
  void Post(uint64_t run, coordinator::Event event);
  // The same for a message, which is counted.
  void Deliver(uint64_t run, coordinator::Event event);

 private:
  void Feed(const coordinator::Event& event);
  void CarryOut(std::vector<coordinator::Effect> effects);
  void Resume();
  void ScheduleTick();
  void NoticeSteps();
  void Record(const coordinator::Event& event, const std::vector<coordinator::Effect>& effects);
  bool IsPaused() const;

  World& world_;
  Random random_;
  ProcessClock clock_;
  std::optional<coordinator::Machine> machine_;
  uint64_t run_ = 0;
  bool restarting_ = false;
  Micros paused_until_ = 0;
  std::vector<coordinator::Event> mailbox_;  // While it stands still.
  std::map<std::string, Step> steps_;        // Of each job, when last looked at.
};

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_SIM_COORDINATOR_H_
