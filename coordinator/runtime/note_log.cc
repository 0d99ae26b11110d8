#include "coordinator/runtime/note_log.h"

#include "common/base/check.h"
#include "common/support/log.h"

namespace muster::coordinator {
namespace {

struct Heading {
  std::string_view event;
  LogLevel level;
};

Heading HeadingOf(NoteKind kind) {
  switch (kind) {
    case NoteKind::kJobAccepted:
      return {"job.accepted", LogLevel::kInfo};
    case NoteKind::kJobDeleted:
      return {"job.deleted", LogLevel::kInfo};
    case NoteKind::kJobGone:
      return {"job.gone", LogLevel::kInfo};
    case NoteKind::kWorkerJoined:
      return {"worker.joined", LogLevel::kInfo};
    case NoteKind::kWorkerBack:
      return {"worker.back", LogLevel::kInfo};
    case NoteKind::kWorkerRefused:
      return {"worker.refused", LogLevel::kWarning};
    case NoteKind::kWorkerSuspected:
      return {"worker.suspected", LogLevel::kWarning};
    case NoteKind::kWorkerLost:
      return {"worker.lost", LogLevel::kWarning};
    case NoteKind::kEpochReserved:
      return {"epoch.reserved", LogLevel::kInfo};
    case NoteKind::kEpochBuilding:
      return {"epoch.building", LogLevel::kInfo};
    case NoteKind::kEpochCommitted:
      return {"epoch.committed", LogLevel::kInfo};
    case NoteKind::kEpochActive:
      return {"epoch.active", LogLevel::kInfo};
    case NoteKind::kEpochRolledBack:
      return {"epoch.rolled_back", LogLevel::kWarning};
    case NoteKind::kEpochEnded:
      return {"epoch.ended", LogLevel::kWarning};
    case NoteKind::kJobHeld:
      return {"job.held", LogLevel::kWarning};
    case NoteKind::kReadOnly:
      return {"coordinator.read_only", LogLevel::kError};
    case NoteKind::kOwnFault:
      return {"coordinator.own_fault", LogLevel::kWarning};
  }
  MUSTER_CHECK(false, "a kind of note has no name");
}

}  // namespace

std::string_view EventName(NoteKind kind) { return HeadingOf(kind).event; }

void LogNote(const Note& note) {
  const Heading heading = HeadingOf(note.kind);
  LogLine line = Log(heading.level, heading.event);
  if (!note.job.empty()) line.Job(note.job);
  if (note.epoch != Epoch()) line.Epoch(note.epoch);
  if (note.rank.has_value()) line.Rank(*note.rank);
  if (!note.worker.empty()) line.Worker(note.worker);
  if (!note.text.empty()) line.With("text", note.text);
}

void LogHalt(const std::string& reason) {
  Log(LogLevel::kError, "coordinator.halted").With("reason", reason);
}

}  // namespace muster::coordinator
