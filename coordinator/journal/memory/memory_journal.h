#ifndef MUSTER_COORDINATOR_JOURNAL_MEMORY_MEMORY_JOURNAL_H_
#define MUSTER_COORDINATOR_JOURNAL_MEMORY_MEMORY_JOURNAL_H_

#include <cstddef>
#include <functional>
#include <limits>

#include "absl/status/statusor.h"
#include "coordinator/core/journal_record.h"
#include "coordinator/journal/journal.h"

namespace muster::coordinator {

// A journal that lives exactly as long as this object: it survives a coordinator that is started
// anew over it in the same process, and nothing else. The next process finds an empty journal of
// another name, which tells its workers that the coordinator has lost its state.
//
// Appending is copying into memory, so `done` is called inside Append(). The answers are kWritten
// and, once the limit is reached, kFull.
class MemoryJournal final : public Journal {
 public:
  struct Options {
    // How many records it takes: from 0 on.
    size_t records_max = std::numeric_limits<size_t>::max();
  };

  // Draws the name of the store at random.
  MemoryJournal() : MemoryJournal(Options()) {}
  explicit MemoryJournal(const Options& options);
  MemoryJournal(const MemoryJournal&) = delete;
  MemoryJournal& operator=(const MemoryJournal&) = delete;

  // Always succeeds.
  absl::StatusOr<JournalContents> Read() override;

  void Append(JournalRecord record, std::function<void(JournalResult)> done) override;

 private:
  const Options options_;
  JournalContents contents_;
};

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_JOURNAL_MEMORY_MEMORY_JOURNAL_H_
