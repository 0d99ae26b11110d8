#include "coordinator/runtime/event_loop.h"

#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/base/error_kind.h"
#include "coordinator/journal/memory/memory_journal.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/runtime/gate.h"
#include "tests/coordinator/runtime/loop_fixture.h"
#include "tests/testing/status_matchers.h"

namespace muster::coordinator {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

using EventLoopTest = LoopFixture;

constexpr absl::Duration kTick = absl::Milliseconds(50);

Reply Accept(CallId call, int64_t generation) {
  return Reply{call, absl::OkStatus(), JobUid(17), Generation(generation)};
}

TEST_F(EventLoopTest, MachineIsStartedBeforeItIsStepped) {
  StartLoop({.at_start = {WriteJournal{WriteId(1), TermStarted{Term(3)}}}});

  EXPECT_THAT(PostApply(21), IsOk());
  Flush();

  EXPECT_THAT(trace_.lines(), ElementsAre("start", "append term 3", "apply 21"));
}

TEST_F(EventLoopTest, EffectsAreCarriedOutInOrderBeforeTheNextEvent) {
  StartLoop({.on_event = [](const Event& event, MonotonicTime) -> std::vector<Effect> {
    const CallId call = std::get<ApplyRequested>(event).call;
    return {PublishTo(5, 40), Accept(call, 6),
            CloseStream{ConnectionId(8), absl::UnavailableError("moved")}, PublishTo(4, 41)};
  }});
  Hold();
  EXPECT_THAT(PostApply(21), IsOk());
  EXPECT_THAT(PostApply(22), IsOk());

  Release();
  Flush();

  EXPECT_THAT(
      trace_.lines(),
      ElementsAre("start",                                                                 //
                  "apply 21", "publish 5 revision 40", "reply 21 OK job 17 generation 6",  //
                  "close 8 UNAVAILABLE: moved", "publish 4 revision 41",                   //
                  "apply 22", "publish 5 revision 40", "reply 22 OK job 17 generation 6",  //
                  "close 8 UNAVAILABLE: moved", "publish 4 revision 41"));
}

TEST_F(EventLoopTest, NothingIsPublishedBeforeTheJournalAnswers) {
  StartLoop({.on_event = [](const Event& event, MonotonicTime) -> std::vector<Effect> {
    if (std::holds_alternative<Journaled>(event)) return {PublishTo(5, 40)};
    return {WriteJournal{WriteId(9), TermStarted{Term(3)}}};
  }});
  EXPECT_THAT(PostApply(21), IsOk());
  Flush();
  EXPECT_THAT(trace_.Take(), ElementsAre("start", "apply 21", "append term 3"));

  std::thread([this] { journal_.AnswerNext(JournalResult::kWritten); }).join();
  Flush();

  EXPECT_THAT(trace_.lines(), ElementsAre("journaled 9 written", "publish 5 revision 40"));
}

TEST_F(EventLoopTest, JournalThatAnswersAtOnceDoesNotReenterTheMachine) {
  MemoryJournal journal;
  EffectRunner runner(&journal, &outbox_, [](const std::string&) {});
  auto core = std::make_unique<ScriptedCore>(
      &trace_, ScriptedCore::Script{
                   .on_event = [](const Event& event, MonotonicTime) -> std::vector<Effect> {
                     if (std::holds_alternative<Journaled>(event)) return {};
                     return {WriteJournal{WriteId(9), TermStarted{Term(3)}}, PublishTo(5, 40)};
                   }});
  loop_ = std::make_unique<EventLoop>(std::move(core), &runner, &clock_, EventLoop::Options());

  EXPECT_THAT(PostApply(21), IsOk());
  Flush();
  loop_.reset();

  EXPECT_THAT(trace_.lines(),
              ElementsAre("start", "apply 21", "publish 5 revision 40", "journaled 9 written"));
}

TEST_F(EventLoopTest, FullMailboxRefusesAndKeepsWhatItTook) {
  StartLoop({}, {.mailbox_max = 3});
  Hold();
  EXPECT_THAT(PostApply(21), IsOk());
  EXPECT_THAT(PostApply(22), IsOk());
  EXPECT_THAT(PostApply(23), IsOk());

  EXPECT_THAT(PostApply(24), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(PostApply(25), HasKind(ErrorKind::kMailboxFull));
  EXPECT_THAT(loop_->Read([this](const State&) { trace_.Add("query"); }),
              StatusIs(absl::StatusCode::kResourceExhausted));

  Release();
  loop_->Stop();
  EXPECT_THAT(trace_.lines(), ElementsAre("start", "apply 21", "apply 22", "apply 23"));
}

TEST_F(EventLoopTest, LivenessIsTakenWhenNothingElseIs) {
  StartLoop({}, {.mailbox_max = 1});
  Hold();
  EXPECT_THAT(loop_->Post(HelloReceived{ConnectionId(7), {}}), IsOk());
  EXPECT_THAT(PostApply(21), StatusIs(absl::StatusCode::kResourceExhausted));

  for (uint64_t number = 1; number <= 1000; ++number) {
    PostReport(7, number);
    PostReport(8, 5000 + number);
  }
  EXPECT_THAT(loop_->Post(StreamReset{ConnectionId(7)}), IsOk());
  EXPECT_THAT(loop_->Post(StreamCut{ConnectionId(8)}), IsOk());
  EXPECT_THAT(loop_->Post(ExitReported{"wan", "w-1", Incarnation(3), "signal 9"}), IsOk());
  EXPECT_THAT(loop_->Post(ExitReported{"wan", "w-2", Incarnation(3), "exit 2"}), IsOk());

  Release();
  loop_->Stop();
  EXPECT_THAT(trace_.lines(),
              ElementsAre("start", "hello 7", "report 7 number 1000", "report 8 number 6000",
                          "reset 7", "cut 8", "exit wan/w-1 signal 9", "exit wan/w-2 exit 2"));
}

TEST_F(EventLoopTest, AnswersOfTheJournalAreTakenWhenNothingElseIs) {
  StartLoop({.at_start = {WriteJournal{WriteId(1), TermStarted{Term(3)}},
                          WriteJournal{WriteId(2), TermStarted{Term(4)}}}},
            {.mailbox_max = 1});
  Hold();
  EXPECT_THAT(PostApply(21), IsOk());
  EXPECT_THAT(PostApply(22), StatusIs(absl::StatusCode::kResourceExhausted));

  journal_.AnswerNext(JournalResult::kWritten);
  journal_.AnswerNext(JournalResult::kFull);

  Release();
  loop_->Stop();
  EXPECT_THAT(trace_.lines(), ElementsAre("start", "append term 3", "append term 4", "apply 21",
                                          "journaled 1 written", "journaled 2 full"));
}

TEST_F(EventLoopTest, TickComesAfterTheInputThatWasThere) {
  StartLoop();
  Hold();
  clock_.Advance(kTick);
  PostReport(7, 30);
  EXPECT_THAT(PostApply(21), IsOk());

  Release();
  Flush();

  EXPECT_THAT(trace_.lines(), ElementsAre("start", "report 7 number 30", "apply 21", "tick"));
}

TEST_F(EventLoopTest, TicksComeEveryInterval) {
  std::vector<MonotonicTime> ticks;
  StartLoop({.on_event = [&](const Event&, MonotonicTime now) -> std::vector<Effect> {
    ticks.push_back(now);
    return {};
  }});
  Flush();
  for (int i = 0; i < 3; ++i) {
    clock_.Advance(kTick - absl::Milliseconds(1));
    Flush();
    clock_.Advance(absl::Milliseconds(1));
    Flush();
  }
  loop_->Stop();

  const MonotonicTime start;
  EXPECT_THAT(ticks, ElementsAre(start + kTick, start + 2 * kTick, start + 3 * kTick));
}

TEST_F(EventLoopTest, LongPauseGivesOneTick) {
  StartLoop();
  Hold();
  clock_.Advance(absl::Seconds(10));

  Release();
  Flush();

  EXPECT_THAT(trace_.lines(), ElementsAre("start", "tick"));
}

TEST_F(EventLoopTest, ClockIsReadForEachEvent) {
  std::vector<MonotonicTime> readings;
  StartLoop({.on_event = [&](const Event&, MonotonicTime now) -> std::vector<Effect> {
    readings.push_back(now);
    clock_.Advance(absl::Milliseconds(3));  // That long it took.
    return {};
  }});
  Hold();
  EXPECT_THAT(PostApply(21), IsOk());
  EXPECT_THAT(PostApply(22), IsOk());
  EXPECT_THAT(PostApply(23), IsOk());

  Release();
  loop_->Stop();

  const MonotonicTime start;
  EXPECT_THAT(readings,
              ElementsAre(start, start + absl::Milliseconds(3), start + absl::Milliseconds(6)));
}

TEST_F(EventLoopTest, QueryComesBehindWhatWasPostedAndSeesTheState) {
  StartLoop();
  Hold();
  EXPECT_THAT(PostApply(21), IsOk());
  EXPECT_THAT(loop_->Read([this](const State& state) {
    trace_.Add(absl::StrCat("query store ", state.store.value));
  }),
              IsOk());
  EXPECT_THAT(PostApply(22), IsOk());

  Release();
  loop_->Stop();

  EXPECT_THAT(trace_.lines(), ElementsAre("start", "apply 21", "query store 1009", "apply 22"));
}

TEST_F(EventLoopTest, QueryMayPost) {
  StartLoop();
  EXPECT_THAT(loop_->Read([this](const State&) { EXPECT_THAT(PostApply(21), IsOk()); }), IsOk());

  Flush();

  EXPECT_THAT(trace_.lines(), ElementsAre("start", "apply 21"));
}

TEST_F(EventLoopTest, StopHandlesWhatWasTakenAndRefusesTheRest) {
  StartLoop();
  Hold();
  EXPECT_THAT(PostApply(21), IsOk());
  PostReport(7, 30);
  std::thread stopping([this] { loop_->Stop(); });
  size_t taken = 0;  // Until the other thread has closed the mailbox.
  for (; PostApply(22).ok(); ++taken) std::this_thread::yield();

  Release();
  stopping.join();

  EXPECT_THAT(PostApply(23), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(loop_->Read([](const State&) {}), StatusIs(absl::StatusCode::kUnavailable));
  PostReport(7, 31);
  std::vector<std::string> expected = {"start", "apply 21", "report 7 number 30"};
  expected.resize(expected.size() + taken, "apply 22");
  EXPECT_THAT(trace_.lines(), ElementsAreArray(expected));
}

TEST_F(EventLoopTest, StopDoesNotWaitForTheJournal) {
  StartLoop({.on_event = [](const Event& event, MonotonicTime) -> std::vector<Effect> {
    if (std::holds_alternative<Journaled>(event)) return {PublishTo(5, 40)};
    return {WriteJournal{WriteId(9), TermStarted{Term(3)}},
            WriteJournal{WriteId(10), TermStarted{Term(4)}}};
  }});
  EXPECT_THAT(PostApply(21), IsOk());
  Flush();

  loop_->Stop();
  journal_.AnswerNext(JournalResult::kWritten);
  loop_.reset();
  journal_.AnswerNext(JournalResult::kWritten);

  EXPECT_THAT(trace_.lines(), ElementsAre("start", "apply 21", "append term 3", "append term 4"));
}

TEST_F(EventLoopTest, StopTakesTheTimerBackAndMayBeRepeated) {
  StartLoop();
  Flush();
  EXPECT_EQ(clock_.pending(), 1U);

  loop_->Stop();
  loop_->Stop();

  EXPECT_EQ(clock_.pending(), 0U);
}

TEST_F(EventLoopTest, NothingIsDoneAfterAHalt) {
  StartLoop({.on_event = [](const Event&, MonotonicTime) -> std::vector<Effect> {
    return {PublishTo(5, 40), Halt{"fsync gave EIO"}, PublishTo(6, 41)};
  }});
  Hold();
  EXPECT_THAT(PostApply(21), IsOk());
  EXPECT_THAT(PostApply(22), IsOk());
  Gate asked;
  EXPECT_THAT(loop_->Read([&](const State&) {
    trace_.Add("query");
    asked.Open();
  }),
              IsOk());

  clock_.Advance(kTick);
  Release();
  asked.Wait();
  EXPECT_THAT(PostApply(23), StatusIs(absl::StatusCode::kUnavailable));
  loop_->Stop();

  EXPECT_EQ(clock_.pending(), 0U);
  EXPECT_THAT(trace_.lines(), ElementsAre("start", "apply 21", "publish 5 revision 40",
                                          "halt fsync gave EIO", "query"));
}

TEST_F(EventLoopTest, HaltAtStartEndsTheLoop) {
  StartLoop({.at_start = {Halt{"no term"}}});
  loop_->Stop();

  EXPECT_EQ(clock_.pending(), 0U);
  EXPECT_THAT(trace_.lines(), ElementsAre("start", "halt no term"));
}

TEST_F(EventLoopTest, LastTurnTellsABusyLoopFromAHealthyOne) {
  StartLoop();
  Hold();

  clock_.Advance(absl::Seconds(3));
  EXPECT_EQ(loop_->SinceLastTurn(), absl::Seconds(3));

  Release();
  Flush();
  EXPECT_EQ(loop_->SinceLastTurn(), absl::ZeroDuration());
}

}  // namespace
}  // namespace muster::coordinator
