#ifndef MUSTER_COORDINATOR_RUNTIME_CORE_H_
#define MUSTER_COORDINATOR_RUNTIME_CORE_H_

#include <utility>
#include <vector>

#include "common/base/time.h"
#include "coordinator/core/effects.h"
#include "coordinator/core/events.h"
#include "coordinator/core/machine.h"
#include "coordinator/core/state.h"

namespace muster::coordinator {

// What an event loop drives: the machine, or a stand-in in a test of the loop. The methods are
// those of Machine, with its contract.
class Core {
 public:
  virtual ~Core() = default;
  virtual std::vector<Effect> Start(MonotonicTime now) = 0;
  virtual std::vector<Effect> Step(const Event& event, MonotonicTime now) = 0;
  virtual const State& state() const = 0;
};

// The machine as an event loop drives it.
class MachineCore final : public Core {
 public:
  explicit MachineCore(Machine machine) : machine_(std::move(machine)) {}

  std::vector<Effect> Start(MonotonicTime now) override { return machine_.Start(now); }
  std::vector<Effect> Step(const Event& event, MonotonicTime now) override {
    return machine_.Step(event, now);
  }
  const State& state() const override { return machine_.state(); }

 private:
  Machine machine_;
};

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_RUNTIME_CORE_H_
