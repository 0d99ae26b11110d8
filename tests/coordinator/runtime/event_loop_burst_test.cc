#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "common/base/clock.h"
#include "coordinator/journal/memory/memory_journal.h"
#include "coordinator/runtime/event_loop.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/runtime/gate.h"
#include "tests/coordinator/runtime/loop_fixture.h"
#include "tests/testing/status_matchers.h"

namespace muster::coordinator {
namespace {

constexpr int kThreads = 4;
constexpr uint64_t kPostsPerThread = 25000;

// Accepts every apply once the journal has it, and counts what it sees.
class CountingCore final : public Core {
 public:
  std::vector<Effect> Start(MonotonicTime) override { return {}; }

  std::vector<Effect> Step(const Event& event, MonotonicTime) override {
    if (const auto* apply = std::get_if<ApplyRequested>(&event)) {
      ++state_.last_write.value;
      waiting_[state_.last_write] = apply->call;
      return {WriteJournal{state_.last_write, TermStarted{Term(1)}}};
    }
    if (const auto* journaled = std::get_if<Journaled>(&event)) {
      const auto call = waiting_.extract(journaled->write);
      return {Reply{call.mapped(), absl::OkStatus(), JobUid(17), Generation(6)}};
    }
    if (const auto* report = std::get_if<ReportReceived>(&event)) {
      uint64_t& newest = newest_report_[report->connection];
      EXPECT_LT(newest, report->report.number);
      newest = report->report.number;
    }
    return {};
  }

  const State& state() const override { return state_; }

  // Once the loop has stopped.
  const std::map<ConnectionId, uint64_t>& newest_report() const { return newest_report_; }

 private:
  State state_;
  std::map<WriteId, CallId> waiting_;
  std::map<ConnectionId, uint64_t> newest_report_;
};

// Keeps whom it answered.
class AnswerSet final : public Outbox {
 public:
  void Publish(ConnectionId, Assignment) override {}
  void Close(ConnectionId, absl::Status) override {}
  void Reply(CallId call, absl::Status, JobUid, Generation) override {
    EXPECT_TRUE(answered_.insert(call.value).second) << "call " << call << " is answered twice";
  }

  // Once the loop has stopped.
  const std::set<uint64_t>& answered() const { return answered_; }

 private:
  std::set<uint64_t> answered_;
};

TEST(EventLoopBurstTest, EveryPostIsHandledOrRefused) {
  RealClock clock;
  MemoryJournal journal;
  AnswerSet outbox;
  EffectRunner runner(&journal, &outbox, [](const std::string&) {});
  auto owned_core = std::make_unique<CountingCore>();
  const CountingCore& core = *owned_core;
  std::array<std::set<uint64_t>, kThreads> accepted;
  std::array<uint64_t, kThreads> refused = {};

  EventLoop loop(std::move(owned_core), &runner, &clock,
                 {.tick_interval = absl::Milliseconds(1), .mailbox_max = 512});
  std::vector<std::thread> posters;
  for (uint64_t thread = 0; thread < kThreads; ++thread) {
    posters.emplace_back([&, thread] {
      for (uint64_t i = 1; i <= kPostsPerThread; ++i) {
        const uint64_t call = thread * kPostsPerThread + i;
        if (i % 5 == 0) {
          EXPECT_THAT(loop.Post(ReportOn(thread, i)), IsOk());
        } else if (loop.Post(ApplyRequested{CallId(call), "", {}}).ok()) {
          accepted[thread].insert(call);
        } else {
          ++refused[thread];
        }
      }
    });
  }
  for (std::thread& poster : posters) poster.join();
  // Answers of the journal are taken in as long as the loop is open.
  Gate handled;
  while (!loop.Read([&](const State&) { handled.Open(); }).ok()) std::this_thread::yield();
  handled.Wait();
  Gate answered;
  EXPECT_THAT(loop.Read([&](const State&) { answered.Open(); }), IsOk());
  answered.Wait();
  loop.Stop();

  std::set<uint64_t> all_accepted;
  for (size_t thread = 0; thread < kThreads; ++thread) {
    EXPECT_EQ(accepted[thread].size() + refused[thread], kPostsPerThread * 4 / 5);
    all_accepted.insert(accepted[thread].begin(), accepted[thread].end());
    EXPECT_EQ(core.newest_report().at(ConnectionId(thread)), kPostsPerThread);
  }
  EXPECT_EQ(outbox.answered(), all_accepted);
}

}  // namespace
}  // namespace muster::coordinator
