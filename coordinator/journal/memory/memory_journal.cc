#include "coordinator/journal/memory/memory_journal.h"

#include <utility>

#include "common/base/random.h"

namespace muster::coordinator {

MemoryJournal::MemoryJournal(const Options& options) : options_(options) {
  contents_.store = StoreId(DrawNonZero64());
}

absl::StatusOr<JournalContents> MemoryJournal::Read() { return contents_; }

void MemoryJournal::Append(JournalRecord record, std::function<void(JournalResult)> done) {
  if (contents_.records.size() >= options_.records_max) {
    done(JournalResult::kFull);
    return;
  }
  contents_.records.push_back(std::move(record));
  done(JournalResult::kWritten);
}

}  // namespace muster::coordinator
