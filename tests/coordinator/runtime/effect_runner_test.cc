#include "coordinator/runtime/effect_runner.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/runtime/log_capture.h"
#include "tests/coordinator/runtime/trace.h"

namespace muster::coordinator {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class EffectRunnerTest : public testing::Test {
 protected:
  RunResult Run(std::vector<Effect> effects) {
    return runner_.Run(std::move(effects), [this](Journaled e) { trace_.Add(ToLine(e)); });
  }

  LogCapture log_;
  Trace trace_;
  HeldJournal journal_{&trace_};
  FakeOutbox outbox_{&trace_};
  EffectRunner runner_{&journal_, &outbox_, [this](const std::string& reason) {
                         trace_.Add(absl::StrCat("halt ", reason));
                       }};
};

TEST_F(EffectRunnerTest, EachEffectGoesToItsPlaceInOrder) {
  const RunResult result = Run({PublishTo(5, 40), WriteJournal{WriteId(9), TermStarted{Term(3)}},
                                Reply{CallId(21), absl::OkStatus(), JobUid(17), Generation(6)},
                                CloseStream{ConnectionId(8), absl::UnavailableError("moved")},
                                PublishTo(4, 41), WriteJournal{WriteId(10), TermStarted{Term(7)}}});

  EXPECT_EQ(result, RunResult::kCarriedOut);
  EXPECT_THAT(
      trace_.lines(),
      ElementsAre("publish 5 revision 40", "append term 3", "reply 21 OK job 17 generation 6",
                  "close 8 UNAVAILABLE: moved", "publish 4 revision 41", "append term 7"));
}

TEST_F(EffectRunnerTest, AnswersCarryTheNumberOfTheirWrite) {
  Run({WriteJournal{WriteId(9), TermStarted{Term(3)}},
       WriteJournal{WriteId(10), TermStarted{Term(7)}},
       WriteJournal{WriteId(11), TermStarted{Term(8)}}});
  trace_.Take();

  journal_.AnswerNext(JournalResult::kWritten);
  journal_.AnswerNext(JournalResult::kFull);
  journal_.AnswerNext(JournalResult::kUnknown);

  EXPECT_THAT(trace_.lines(),
              ElementsAre("journaled 9 written", "journaled 10 full", "journaled 11 unknown"));
}

TEST_F(EffectRunnerTest, RefusalKeepsItsCodeAndText) {
  Run({Reply{CallId(21), absl::NotFoundError("no job 'wan'"), JobUid(), Generation()}});

  EXPECT_THAT(trace_.lines(), ElementsAre("reply 21 NOT_FOUND: no job 'wan' job 0 generation 0"));
}

TEST_F(EffectRunnerTest, NothingFollowsAHalt) {
  const RunResult result = Run({PublishTo(5, 40), Halt{"fsync gave EIO"}, PublishTo(6, 41)});

  EXPECT_EQ(result, RunResult::kHalted);
  EXPECT_THAT(trace_.lines(), ElementsAre("publish 5 revision 40", "halt fsync gave EIO"));
  EXPECT_THAT(log_.Lines(), ElementsAre(AllOf(HasSubstr("coordinator.halted"),
                                              HasSubstr("\"reason\":\"fsync gave EIO\""))));
}

TEST_F(EffectRunnerTest, NothingToDoIsDone) {
  EXPECT_EQ(Run({}), RunResult::kCarriedOut);

  EXPECT_THAT(trace_.lines(), IsEmpty());
  EXPECT_THAT(log_.Lines(), IsEmpty());
}

TEST_F(EffectRunnerTest, NotesGoToTheLog) {
  Run({Note{NoteKind::kEpochCommitted, "wan", Epoch(4), std::nullopt, "", ""},
       Note{NoteKind::kWorkerLost, "wan", Epoch(4), GlobalRank(2), "w-2c", "silent for 10.2 s"}});

  EXPECT_THAT(trace_.lines(), IsEmpty());
  EXPECT_THAT(log_.Lines(), ElementsAre(HasSubstr("epoch.committed"), HasSubstr("worker.lost")));
}

}  // namespace
}  // namespace muster::coordinator
