#ifndef MUSTER_TESTS_COORDINATOR_RUNTIME_LOOP_FIXTURE_H_
#define MUSTER_TESTS_COORDINATOR_RUNTIME_LOOP_FIXTURE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/runtime/core.h"
#include "coordinator/runtime/effect_runner.h"
#include "coordinator/runtime/event_loop.h"
#include "gtest/gtest.h"
#include "tests/coordinator/runtime/gate.h"
#include "tests/coordinator/runtime/trace.h"
#include "tests/testing/manual_clock.h"
#include "tests/testing/status_matchers.h"

namespace muster::coordinator {

// A core that records what it is stepped with and answers as the test says. Its functions run on
// the loop's thread and are set before the loop is started.
class ScriptedCore final : public Core {
 public:
  struct Script {
    std::vector<Effect> at_start = {};
    std::function<std::vector<Effect>(const Event&, MonotonicTime)> on_event =
        [](const Event&, MonotonicTime) { return std::vector<Effect>(); };
  };

  ScriptedCore(Trace* trace, Script script) : trace_(trace), script_(std::move(script)) {
    state_.store = StoreId(1009);
  }

  std::vector<Effect> Start(MonotonicTime) override {
    trace_->Add("start");
    return script_.at_start;
  }
  std::vector<Effect> Step(const Event& event, MonotonicTime now) override {
    trace_->Add(ToLine(event));
    return script_.on_event(event, now);
  }
  const State& state() const override { return state_; }

 private:
  Trace* const trace_;
  const Script script_;
  State state_;
};

// A loop over a scripted core, a recording outbox, a held journal and a clock that stands still.
class LoopFixture : public testing::Test {
 protected:
  void StartLoop(ScriptedCore::Script script = {}, EventLoop::Options options = {}) {
    loop_ = std::make_unique<EventLoop>(std::make_unique<ScriptedCore>(&trace_, std::move(script)),
                                        &runner_, &clock_, options);
  }

  // Returns when everything that was posted before is handled, and so is what the loop posted to
  // itself meanwhile. Twice, because a tick comes behind the whole turn in which it fell due.
  void Flush() {
    for (int i = 0; i < 2; ++i) {
      Gate reached;
      ASSERT_THAT(loop_->Read([&](const State&) { reached.Open(); }), IsOk());
      reached.Wait();
    }
  }

  // Keeps the loop's thread busy, from when this returns until Release().
  void Hold() {
    Gate held;
    ASSERT_THAT(loop_->Read([&](const State&) {
      held.Open();
      release_.Wait();
    }),
                IsOk());
    held.Wait();
  }
  void Release() { release_.Open(); }

  absl::Status PostApply(uint64_t call) {
    return loop_->Post(ApplyRequested{CallId(call), "", {}});
  }
  void PostReport(uint64_t connection, uint64_t number) {
    EXPECT_THAT(loop_->Post(ReportOn(connection, number)), IsOk());
  }

  Trace trace_;
  ManualClock clock_;
  HeldJournal journal_{&trace_};
  FakeOutbox outbox_{&trace_};
  EffectRunner runner_{&journal_, &outbox_,
                       [this](const std::string& reason) { trace_.Add("halt " + reason); }};
  Gate release_;
  std::unique_ptr<EventLoop> loop_;  // Goes first: what it uses outlives it.
};

}  // namespace muster::coordinator

#endif  // MUSTER_TESTS_COORDINATOR_RUNTIME_LOOP_FIXTURE_H_
