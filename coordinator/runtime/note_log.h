#ifndef MUSTER_COORDINATOR_RUNTIME_NOTE_LOG_H_
#define MUSTER_COORDINATOR_RUNTIME_NOTE_LOG_H_

#include <string>
#include <string_view>

#include "coordinator/core/effects.h"

namespace muster::coordinator {

// The name of what happened, such as "epoch.committed". Names are a contract: they appear in logs
// and are never reused for something else.
std::string_view EventName(NoteKind kind);

// Writes one line under EventName() with what the note has of job, epoch, rank and worker, then its
// text. Trouble (a loss, a refusal, a rollback, a hold) is a warning, the rest is information.
void LogNote(const Note& note);

// Writes the last line of a coordinator whose journal is in an unknown state, as an error.
void LogHalt(const std::string& reason);

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_RUNTIME_NOTE_LOG_H_
