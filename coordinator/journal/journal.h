#ifndef MUSTER_COORDINATOR_JOURNAL_JOURNAL_H_
#define MUSTER_COORDINATOR_JOURNAL_JOURNAL_H_

#include <functional>

#include "absl/status/statusor.h"
#include "coordinator/core/events.h"
#include "coordinator/core/journal_record.h"

namespace muster::coordinator {

// Where the decisions of a coordinator survive it: an append-only list of records.
//
// Exclusive: making the object claims the store behind it, and the claim lasts as long as the
// object. Whoever makes a second one over the same store is refused, in this or another process, so
// one coordinator at a time decides. A restarted coordinator makes a new object, or is handed one
// whose coordinator is gone, reads it, and goes on behind the last record.
//
// Durable and in order: a record that was answered kWritten is in every later Read(), in this life
// of the coordinator and in the next, and so are all records appended before it. A record that was
// not answered yet may or may not survive a crash; if it does, all before it do.
//
// Lifetime: the destructor waits for the write that is under way and drops those behind it. No
// `done` runs after it.
//
// Thread safety: Append() and Read() come from one thread at a time, which also decides the order.
class Journal {
 public:
  virtual ~Journal() = default;

  // Gives the name of the store and all its records, oldest first.
  //
  // Blocks until it is read: called at start, before anyone is served, and with no write
  // unanswered.
  //
  // Errors:
  //   kDataLoss     what is stored cannot be understood; the text names the place
  //   kUnavailable  the store could not be read; the text has the reason
  virtual absl::StatusOr<JournalContents> Read() = 0;

  // Starts writing `record` behind all others. Never waits for the store.
  //
  // `done` is called exactly once, unless the journal is destroyed first, in the order of the
  // appends, with no lock of the journal held. It may be called inside Append() or later on a
  // thread of the journal: so it may only hand the answer on, must not block and must not use the
  // journal.
  //
  // Answers:
  //   kWritten  the record is durable
  //   kFull     it is surely not stored; every later answer is kFull too
  //   kUnknown  it may be stored or not; every later answer is kUnknown too, and only a fresh start
  //             over the store tells what it holds
  virtual void Append(JournalRecord record, std::function<void(JournalResult)> done) = 0;
};

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_JOURNAL_JOURNAL_H_
