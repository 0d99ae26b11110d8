#ifndef MUSTER_TESTS_SIMULATION_SIM_JOURNAL_H_
#define MUSTER_TESTS_SIMULATION_SIM_JOURNAL_H_

#include <cstdint>
#include <deque>

#include "common/base/random.h"
#include "coordinator/core/events.h"
#include "coordinator/core/journal_record.h"
#include "tests/simulation/sim_time.h"

namespace muster::sim {

struct World;

// What survives a coordinator. Writes are done one after the other, each in its own time. A crash
// keeps everything that was answered as written and a part, drawn by chance, of what was not
// answered: a beginning of it, never something from the middle.
class SimJournal {
 public:
  explicit SimJournal(World& world);

  const coordinator::JournalContents& contents() const { return contents_; }

  // Answers the coordinator's run of now with Journaled.
  void Write(coordinator::WriteId write, coordinator::JournalRecord record);

  void OnCoordinatorEnd();

  // Everything is gone; what follows is another store.
  void Wipe();

  // Faults. Delay holds back whatever is answered before `length` has passed.
  void Delay(Micros length);
  void SetFull(bool full) { full_ = full; }
  // The next answer is that nobody knows.
  void LoseNextAnswer() { lose_next_ = true; }
  void BecomeReliable();

 private:
  struct Pending {
    coordinator::WriteId write;
    coordinator::JournalRecord record;
  };

  void StartNext();
  void FinishFirst();
  void Keep(const coordinator::JournalRecord& record);

  World& world_;
  Random random_;
  coordinator::JournalContents contents_;
  std::deque<Pending> pending_;  // The first is being written.
  uint64_t turn_ = 0;            // Of writers; an older one's completion means nothing.
  Micros held_until_ = 0;
  bool full_ = false;
  bool lose_next_ = false;
  bool broken_ = false;  // An answer was lost: nothing is written until the next run.
};

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_SIM_JOURNAL_H_
