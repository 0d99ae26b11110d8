#include "coordinator/runtime/effect_runner.h"

#include <utility>
#include <variant>

#include "coordinator/runtime/note_log.h"

namespace muster::coordinator {
namespace {

// Carries out one effect of each type.
struct Carrier {
  Journal& journal;
  Outbox& outbox;
  const std::function<void(const std::string&)>& halt;
  const JournalAnswer& answer;
  RunResult result = RunResult::kCarriedOut;

  void operator()(WriteJournal effect) {
    journal.Append(std::move(effect.record),
                   [answer = answer, write = effect.write](JournalResult written) {
                     answer(Journaled{write, written});
                   });
  }
  void operator()(Publish effect) {
    outbox.Publish(effect.connection, std::move(effect.assignment));
  }
  void operator()(CloseStream effect) { outbox.Close(effect.connection, std::move(effect.status)); }
  void operator()(Reply effect) {
    outbox.Reply(effect.call, std::move(effect.status), effect.job, effect.generation);
  }
  void operator()(const Note& effect) { LogNote(effect); }
  void operator()(const Halt& effect) {
    LogHalt(effect.reason);
    halt(effect.reason);
    result = RunResult::kHalted;
  }
};

}  // namespace

EffectRunner::EffectRunner(Journal* journal, Outbox* outbox,
                           std::function<void(const std::string&)> halt)
    : journal_(journal), outbox_(outbox), halt_(std::move(halt)) {}

RunResult EffectRunner::Run(std::vector<Effect> effects, const JournalAnswer& answer) {
  Carrier carrier{*journal_, *outbox_, halt_, answer};
  for (Effect& effect : effects) {
    std::visit(carrier, std::move(effect));
    if (carrier.result == RunResult::kHalted) break;
  }
  return carrier.result;
}

}  // namespace muster::coordinator
