#include "tests/simulation/sim_journal.h"

#include <algorithm>
#include <utility>

#include "tests/simulation/world.h"

namespace muster::sim {

using coordinator::JournalResult;

SimJournal::SimJournal(World& world) : world_(world), random_(world.plan.seed ^ 0x6A6F75726E616Cu) {
  contents_.store = StoreId(random_.Next() | 1);
}

void SimJournal::Write(coordinator::WriteId write, coordinator::JournalRecord record) {
  pending_.push_back({write, std::move(record)});
  if (pending_.size() == 1) StartNext();
}

void SimJournal::StartNext() {
  if (pending_.empty()) return;
  const uint64_t turn = turn_;
  const Micros done = world_.queue.now() + world_.plan.journal.delay.Draw(random_);
  world_.queue.At(std::max(done, held_until_), [this, turn] {
    if (turn != turn_) return;
    if (world_.queue.now() < held_until_) return StartNext();
    FinishFirst();
  });
}

void SimJournal::FinishFirst() {
  const Pending done = std::move(pending_.front());
  pending_.pop_front();
  JournalResult result = JournalResult::kWritten;
  if (lose_next_ || broken_) {
    const bool kept = !broken_ && !full_ && random_.Chance(world_.plan.journal.keep_percent);
    if (kept) Keep(done.record);
    lose_next_ = false;
    broken_ = true;
    result = JournalResult::kUnknown;
  } else if (full_) {
    result = JournalResult::kFull;
  } else {
    Keep(done.record);
    world_.checks.journal.OnAnswered(done.record);
  }
  StartNext();
  world_.coordinator.Post(world_.coordinator.run(), coordinator::Journaled{done.write, result});
}

void SimJournal::Keep(const coordinator::JournalRecord& record) {
  contents_.records.push_back(record);
  world_.checks.journal.OnDurable(record);
}

void SimJournal::OnCoordinatorEnd() {
  ++turn_;
  while (!pending_.empty() && !broken_ && !full_ &&
         random_.Chance(world_.plan.journal.keep_percent)) {
    Keep(pending_.front().record);
    pending_.pop_front();
  }
  pending_.clear();
  broken_ = false;
  lose_next_ = false;
}

void SimJournal::Wipe() {
  contents_ = {};
  contents_.store = StoreId(random_.Next() | 1);
  world_.checks.journal.OnWiped();
}

void SimJournal::Delay(Micros length) {
  held_until_ = std::max(held_until_, world_.queue.now() + length);
}

void SimJournal::BecomeReliable() {
  full_ = false;
  lose_next_ = false;
  held_until_ = 0;
}

}  // namespace muster::sim
