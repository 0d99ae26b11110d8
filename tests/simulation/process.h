#ifndef MUSTER_TESTS_SIMULATION_PROCESS_H_
#define MUSTER_TESTS_SIMULATION_PROCESS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "common/base/random.h"
#include "tests/simulation/checkers/agent_check.h"
#include "tests/simulation/plan.h"
#include "tests/simulation/shell.h"
#include "tests/simulation/user.h"
#include "worker/core/agent.h"

namespace muster::sim {

struct World;

// One process of a worker, from its start to its end: the real agent, what it holds, its user.
class Process {
 public:
  Process(World& world, ProcessId id, WorkerPlan plan, Incarnation incarnation);

  // The first dial and the first tick.
  void Start();

  // Runs `action` now, or when the process runs again if it stands still. Never once it ended.
  void Run(std::function<void()> action);
  void Feed(const worker::Event& event);

  // Stands still; what comes waits.
  void Stop(Micros length);
  void Resume();

  // Ends at once; what it holds is gone. Others are told elsewhere.
  void End() { alive_ = false; }

  // The user wants out.
  void Leave();

  bool alive() const { return alive_; }
  bool stopped() const { return stopped_; }
  // What the agent finished with; nothing while it works.
  const std::optional<worker::Finish>& finish() const { return finish_; }
  bool runs() const { return alive_ && !finish_.has_value(); }
  Micros resumed_at() const { return resumed_at_; }
  Micros started_at() const { return started_at_; }

  ProcessId id() const { return id_; }
  const WorkerPlan& plan() const { return plan_; }
  Incarnation incarnation() const { return incarnation_; }
  const ProcessClock& clock() const { return clock_; }
  const worker::AgentState& agent() const { return agent_.state(); }
  const Shell& shell() const { return shell_; }
  Shell& shell() { return shell_; }
  const User& user() const { return user_; }
  User& user() { return user_; }
  const AgentCheck& check() const { return check_; }

 private:
  void Step(const worker::Event& event);
  void CarryOut(std::vector<worker::Effect> effects);
  void Carry(const worker::OpenStream& effect);
  void Carry(const worker::CloseStream& effect);
  void Carry(const worker::SendReport& effect);
  void Carry(const worker::OpenEndpoints& effect);
  void Carry(const worker::BuildGroup& effect) { shell_.Build(effect); }
  void Carry(const worker::AbortEpoch& effect);
  void Carry(const worker::FreeGroup& effect) { shell_.Free(effect); }
  void Carry(const worker::CloseEndpoints& effect) { shell_.Close(effect); }
  void Carry(const worker::ActivateEpoch& effect);
  void Carry(const worker::EndEpoch& effect) { user_.OnEpochOver(effect.epoch, effect.status); }
  void Carry(const worker::CloseGates& effect) { user_.OnGates(effect.epoch, false); }
  void Carry(const worker::OpenGates& effect) { user_.OnGates(effect.epoch, true); }
  void Carry(const worker::EndOperation& effect) { user_.OnEndOperation(effect); }
  void Carry(const worker::ProbeProcess& effect);
  void Carry(const worker::Finish& effect);
  void ScheduleTick();
  void Record(const worker::Event& event, const std::vector<worker::Effect>& effects);

  World& world_;
  const ProcessId id_;
  const WorkerPlan plan_;
  const Incarnation incarnation_;
  Random random_;
  const ProcessClock clock_;
  const Micros started_at_;
  bool alive_ = true;
  bool stopped_ = false;
  Micros stopped_until_ = 0;
  Micros resumed_at_ = 0;
  std::vector<std::function<void()>> inbox_;  // While it stands still.
  std::optional<worker::Finish> finish_;
  worker::Agent agent_;
  Shell shell_;
  User user_;
  AgentCheck check_;
};

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_PROCESS_H_
