#ifndef MUSTER_COORDINATOR_CORE_EFFECTS_H_
#define MUSTER_COORDINATOR_CORE_EFFECTS_H_

#include <optional>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/session/session.h"
#include "coordinator/core/events.h"
#include "coordinator/core/journal_record.h"

// What the coordinator wants done, in the order in which it must be done. Imperative.
namespace muster::coordinator {

// Starts a write and answers with Journaled. Writes are done one after the other, in this order.
struct WriteJournal {
  WriteId write;
  JournalRecord record;
};

// Sends a worker everything it should be now. A newer one for the same connection may replace one
// that is not sent yet.
struct Publish {
  ConnectionId connection;
  Assignment assignment;
};

// Ends a stream with an error that says why and whether coming back makes sense: kUnavailable does,
// all others do not.
struct CloseStream {
  ConnectionId connection;
  absl::Status status;
};

// Answers an admin. `job` is 0 unless the status is OK.
struct Reply {
  CallId call;
  absl::Status status;
  JobUid job;
  Generation generation;
};

enum class NoteKind {
  kJobAccepted,
  kJobDeleted,
  kJobGone,
  kWorkerJoined,
  kWorkerBack,
  kWorkerRefused,
  kWorkerSuspected,
  kWorkerLost,
  kEpochReserved,
  kEpochBuilding,
  kEpochCommitted,
  kEpochActive,
  kEpochRolledBack,
  kEpochEnded,
  kJobHeld,
  kReadOnly,
  kOwnFault,
};

// One thing worth telling people. Also kept in the job's ring of events.
struct Note {
  NoteKind kind = NoteKind::kJobAccepted;
  std::string job;
  Epoch epoch;
  std::optional<GlobalRank> rank;
  WorkerId worker;
  std::string text;
  MonotonicTime at;  // On the machine's clock.

  friend bool operator==(const Note&, const Note&) = default;
};

// The journal's state is unknown: end this process and start again from what the journal says.
struct Halt {
  std::string reason;
};

using Effect = std::variant<WriteJournal, Publish, CloseStream, Reply, Note, Halt>;

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_CORE_EFFECTS_H_
