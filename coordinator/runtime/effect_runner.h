#ifndef MUSTER_COORDINATOR_RUNTIME_EFFECT_RUNNER_H_
#define MUSTER_COORDINATOR_RUNTIME_EFFECT_RUNNER_H_

#include <functional>
#include <string>
#include <vector>

#include "coordinator/core/effects.h"
#include "coordinator/core/events.h"
#include "coordinator/journal/journal.h"
#include "coordinator/runtime/outbox.h"

namespace muster::coordinator {

// Takes the answer to one journal write to where the machine's events come from. Called on any
// thread, also after the loop has ended; must not block.
using JournalAnswer = std::function<void(Journaled)>;

enum class RunResult {
  kCarriedOut,  // Every effect.
  kHalted,      // Those before a Halt; nothing may follow.
};

// Does what the machine wants done: writes go to the journal, messages to the outbox, notes to the
// log, and a halt to `halt`.
//
// Lifetime: the journal and the outbox outlive it.
//
// Thread safety: one thread at a time.
//
// Blocking: never, as long as the journal, the outbox and `halt` keep to their contracts.
class EffectRunner {
 public:
  // `halt` ends the process with the given reason; a test records it and returns.
  EffectRunner(Journal* journal, Outbox* outbox, std::function<void(const std::string&)> halt);

  // Carries out `effects` one after the other. Each write is answered through `answer`, perhaps
  // before this returns.
  RunResult Run(std::vector<Effect> effects, const JournalAnswer& answer);

 private:
  Journal* const journal_;
  Outbox* const outbox_;
  const std::function<void(const std::string&)> halt_;
};

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_RUNTIME_EFFECT_RUNNER_H_
