#include "coordinator/journal/memory/memory_journal.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster::coordinator {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

JournalRecord Reserved(int64_t epoch) {
  return EpochReserved{JobUid(71), Epoch(epoch), {{GlobalRank(2), "w-2c"}}};
}

// Appends `record` and gives the answer, which a memory journal has at once.
JournalResult AppendTo(Journal& journal, JournalRecord record) {
  std::vector<JournalResult> answers;
  journal.Append(std::move(record), [&](JournalResult result) { answers.push_back(result); });
  EXPECT_EQ(answers.size(), 1U);
  return answers.at(0);
}

TEST(MemoryJournalTest, NewJournalIsEmptyAndHasAName) {
  MemoryJournal journal;

  const absl::StatusOr<JournalContents> contents = journal.Read();

  ASSERT_THAT(contents, IsOk());
  EXPECT_NE(contents->store, StoreId());
  EXPECT_THAT(contents->records, IsEmpty());
}

TEST(MemoryJournalTest, TwoJournalsHaveTwoNames) {
  MemoryJournal one;
  MemoryJournal other;

  EXPECT_NE(one.Read()->store, other.Read()->store);
}

TEST(MemoryJournalTest, RecordsComeBackInOrderUnderTheSameName) {
  MemoryJournal journal;
  const StoreId name = journal.Read()->store;
  const JournalRecord first = TermStarted{Term(4)};
  const JournalRecord second = Reserved(9);
  const JournalRecord third = JobDeleted{JobUid(71), "r-5"};

  EXPECT_EQ(AppendTo(journal, first), JournalResult::kWritten);
  EXPECT_EQ(AppendTo(journal, second), JournalResult::kWritten);
  EXPECT_EQ(AppendTo(journal, third), JournalResult::kWritten);

  EXPECT_EQ(journal.Read()->store, name);
  EXPECT_THAT(journal.Read()->records, ElementsAre(first, second, third));
}

TEST(MemoryJournalTest, FullJournalStaysFullAndKeepsWhatItHas) {
  MemoryJournal journal(MemoryJournal::Options{.records_max = 2});
  EXPECT_EQ(AppendTo(journal, Reserved(1)), JournalResult::kWritten);
  EXPECT_EQ(AppendTo(journal, Reserved(2)), JournalResult::kWritten);

  EXPECT_EQ(AppendTo(journal, Reserved(3)), JournalResult::kFull);
  EXPECT_EQ(AppendTo(journal, Reserved(4)), JournalResult::kFull);

  EXPECT_THAT(journal.Read()->records, ElementsAre(Reserved(1), Reserved(2)));
}

TEST(MemoryJournalTest, JournalWithoutRoomTakesNothing) {
  MemoryJournal journal(MemoryJournal::Options{.records_max = 0});

  EXPECT_EQ(AppendTo(journal, Reserved(1)), JournalResult::kFull);

  EXPECT_THAT(journal.Read()->records, IsEmpty());
}

}  // namespace
}  // namespace muster::coordinator
