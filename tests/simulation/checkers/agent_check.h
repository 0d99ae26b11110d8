#ifndef MUSTER_TESTS_SIMULATION_CHECKERS_AGENT_CHECK_H_
#define MUSTER_TESTS_SIMULATION_CHECKERS_AGENT_CHECK_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/session/session.h"
#include "tests/simulation/network.h"
#include "worker/core/agent_state.h"
#include "worker/core/effects.h"

namespace muster::sim {

struct World;

// Promises of one agent, looked at before and after each of its steps: it follows no older
// coordinator, waits for the verdict on what it has built, gives everything back or says what it
// could not, wakes its users on a loss with the name of the lost, lets nobody start an operation
// after it slept, and lets run what it holds when its coordinator lost its state.
class AgentCheck {
 public:
  AgentCheck(World& world, ProcessId process) : world_(world), process_(process) {}

  void BeforeStep(const worker::Event& event);
  void AfterStep(const worker::Event& event, const std::vector<worker::Effect>& effects);

 private:
  // What the agent knew before the step.
  struct Before {
    StoreId store;
    Term term;
    Revision revision;
    std::map<Epoch, HoldingState> holdings;
  };

  void CheckOrder(const worker::Event& event);
  void CheckSleep(const worker::Event& event);
  void CheckStranger(const worker::Event& event, const std::vector<worker::Effect>& effects);
  void CheckTeardown(Epoch epoch, const char* what);
  void CheckReport(const Report& report);
  void CheckEnd(const worker::EndEpoch& effect);
  void CheckActivate(const worker::ActivateEpoch& effect);
  void CheckFinish(const worker::Finish& effect);
  void Break(std::string_view promise, const std::string& what);

  World& world_;
  const ProcessId process_;
  Before before_;
  bool leaving_ = false;  // The user asked to leave.
  bool refused_ = false;  // The coordinator closed the stream for good.
  bool finished_ = false;
  bool stranded_ = false;  // Finished because its coordinator lost its state.
  std::optional<MonotonicTime> last_tick_;
  uint64_t last_report_ = 0;
  std::set<Epoch> ended_;  // Over for user work, or never to be entered again.
  JobUid job_;             // Whose epochs those are.
};

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_CHECKERS_AGENT_CHECK_H_
