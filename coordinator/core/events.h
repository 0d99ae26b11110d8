#ifndef MUSTER_COORDINATOR_CORE_EVENTS_H_
#define MUSTER_COORDINATOR_CORE_EVENTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "common/base/ids.h"
#include "common/session/session.h"

// What can happen to the coordinator. Past tense; none of them carries a time, which Step() gets
// beside the event.
namespace muster::coordinator {

// Names one caller that waits for an answer. Drawn by the shell; used in exactly one Reply.
using CallId = TaggedId<struct CallIdTag, uint64_t>;

// Names one journal write. Drawn by the machine; answered by exactly one Journaled.
using WriteId = TaggedId<struct WriteIdTag, uint64_t>;

// An admin wants a job. The same `request_id` again gives the answer of the first time.
struct ApplyRequested {
  CallId call;
  std::string request_id;  // 1 to kRequestIdBytesMax bytes.
  JobSpec spec;
  std::optional<Epoch> if_epoch;  // Refuse unless this is the committed epoch (0: none).
};
inline constexpr int kRequestIdBytesMax = 128;

// An admin wants a job gone.
struct DeleteRequested {
  CallId call;
  std::string request_id;
  std::string job;
  std::optional<Epoch> if_epoch;  // As above.
};

// A worker opened a stream and said who it is. `connection` is new.
struct HelloReceived {
  ConnectionId connection;
  Hello hello;
};

struct ReportReceived {
  ConnectionId connection;
  Report report;
};

// A stream ended without our doing.
struct StreamReset {
  ConnectionId connection;
};

// The shell ended a stream on purpose (age, certificate, slow reader, shutdown). Says nothing about
// the worker.
struct StreamCut {
  ConnectionId connection;
};

// A worker says that it leaves and holds nothing any more.
struct LeaveReceived {
  std::string job;
  WorkerId worker;
  Incarnation incarnation;
};

// A supervisor saw the process of a worker end. `status` is for people, as "signal 9".
struct ExitReported {
  std::string job;
  WorkerId worker;
  Incarnation incarnation;
  std::string status;
};

enum class JournalResult {
  kWritten,  // It is on disk and will be there after a crash.
  kFull,     // It is surely not there; nothing more can be written.
  kUnknown,  // It may or may not be there.
};

struct Journaled {
  WriteId write;
  JournalResult result = JournalResult::kWritten;
};

// Time passed. Comes every kTickInterval, and only after all input that was there is drained.
struct Tick {};

using Event = std::variant<ApplyRequested, DeleteRequested, HelloReceived, ReportReceived,
                           StreamReset, StreamCut, LeaveReceived, ExitReported, Journaled, Tick>;

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_CORE_EVENTS_H_
