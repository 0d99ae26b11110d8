#ifndef MUSTER_TESTS_SIMULATION_CHECKERS_CHECKS_H_
#define MUSTER_TESTS_SIMULATION_CHECKERS_CHECKS_H_

#include <vector>

#include "coordinator/core/effects.h"
#include "coordinator/core/events.h"
#include "coordinator/core/state.h"
#include "tests/simulation/checkers/epoch_check.h"
#include "tests/simulation/checkers/journal_check.h"
#include "tests/simulation/checkers/loss_check.h"
#include "tests/simulation/checkers/publish_check.h"

namespace muster::sim {

// Everything that watches the coordinator, and what all processes must agree on.
class Checks {
 public:
  explicit Checks(World& world);

  void BeforeCoordinatorStep(const coordinator::Event& event, const coordinator::State& state,
                             MonotonicTime now);
  void AfterCoordinatorStep(const coordinator::Event& event,
                            const std::vector<coordinator::Effect>& effects,
                            const coordinator::State& state, MonotonicTime now);
  void OnRunStarted(const coordinator::JournalContents& contents, MonotonicTime now);

  JournalCheck journal;
  EpochCheck epochs;

 private:
  Verdict& verdict_;
  PublishCheck publishes_;
  LossCheck losses_;
};

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_CHECKERS_CHECKS_H_
