#include "coordinator/runtime/note_log.h"

#include <optional>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/runtime/log_capture.h"

namespace muster::coordinator {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

TEST(NoteLogTest, EveryKindHasItsOwnName) {
  std::set<std::string_view> names;
  int kinds = 0;
  for (auto kind = NoteKind::kJobAccepted; kind <= NoteKind::kOwnFault;
       kind = static_cast<NoteKind>(static_cast<int>(kind) + 1)) {
    names.insert(EventName(kind));
    ++kinds;
  }

  EXPECT_EQ(std::ssize(names), kinds);
  EXPECT_EQ(EventName(NoteKind::kEpochCommitted), "epoch.committed");
}

TEST(NoteLogTest, LossIsAWarningWithAllThatIsKnown) {
  LogCapture log;

  LogNote({NoteKind::kWorkerLost, "wan", Epoch(4), GlobalRank(2), "w-2c", "silent for 10.2 s"});

  EXPECT_THAT(log.Lines(),
              ElementsAre(AllOf(HasSubstr(R"("level":"warning","event":"worker.lost")"),
                                EndsWith(R"("job":"wan","epoch":4,"rank":2,"worker":"w-2c",)"
                                         R"("text":"silent for 10.2 s"})"))));
}

TEST(NoteLogTest, WhatIsNotKnownIsLeftOut) {
  LogCapture log;

  LogNote({NoteKind::kJobAccepted, "wan", Epoch(), std::nullopt, "", ""});

  EXPECT_THAT(log.Lines(),
              ElementsAre(AllOf(HasSubstr(R"("level":"info","event":"job.accepted")"),
                                EndsWith(R"("component":"coordinator","job":"wan"})"))));
}

TEST(NoteLogTest, HaltIsAnErrorWithItsReason) {
  LogCapture log;

  LogHalt("fsync gave EIO");

  EXPECT_THAT(log.Lines(),
              ElementsAre(AllOf(HasSubstr(R"("level":"error","event":"coordinator.halted")"),
                                EndsWith(R"("reason":"fsync gave EIO"})"))));
}

}  // namespace
}  // namespace muster::coordinator
