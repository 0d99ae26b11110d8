#include "tests/simulation/checkers/checks.h"

#include <string>
#include <variant>

#include "coordinator/core/invariants.h"
#include "tests/simulation/world.h"

namespace muster::sim {

Checks::Checks(World& world)
    : journal(world.verdict),
      epochs(world),
      verdict_(world.verdict),
      publishes_(journal, epochs, world.verdict),
      losses_(world.verdict) {}

void Checks::OnRunStarted(const coordinator::JournalContents& contents, MonotonicTime now) {
  journal.OnRunStarted(contents);
  publishes_.OnRunStarted();
  losses_.OnRunStarted(now);
}

void Checks::BeforeCoordinatorStep(const coordinator::Event& event, const coordinator::State& state,
                                   MonotonicTime now) {
  losses_.BeforeStep(event, state, now);
}

void Checks::AfterCoordinatorStep(const coordinator::Event& event,
                                  const std::vector<coordinator::Effect>& effects,
                                  const coordinator::State& state, MonotonicTime now) {
  for (const coordinator::Effect& effect : effects) {
    if (const auto* publish = std::get_if<coordinator::Publish>(&effect)) {
      publishes_.OnPublish(*publish);
    } else if (const auto* close = std::get_if<coordinator::CloseStream>(&effect)) {
      publishes_.OnClose(event, *close);
    } else if (const auto* reply = std::get_if<coordinator::Reply>(&effect)) {
      publishes_.OnReply(*reply);
    } else if (const auto* write = std::get_if<coordinator::WriteJournal>(&effect)) {
      publishes_.OnWrite(write->record);
    } else if (const auto* note = std::get_if<coordinator::Note>(&effect)) {
      if (note->kind == coordinator::NoteKind::kWorkerLost) {
        losses_.OnLost(*note, state, now);
        epochs.OnLost(*note, state);
      }
      if (note->kind == coordinator::NoteKind::kEpochRolledBack) {
        epochs.OnRolledBack(*note, state, now);
      }
    }
  }
  losses_.AfterStep(event, state, now);
  const std::vector<std::string> wrong = coordinator::Violations(state);
  if (!wrong.empty()) verdict_.Break("the coordinator keeps its invariants", wrong.front());
}

}  // namespace muster::sim
