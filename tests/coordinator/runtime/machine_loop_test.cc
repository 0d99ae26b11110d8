#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "coordinator/journal/memory/memory_journal.h"
#include "coordinator/runtime/core.h"
#include "coordinator/runtime/effect_runner.h"
#include "coordinator/runtime/event_loop.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/runtime/gate.h"
#include "tests/coordinator/runtime/trace.h"
#include "tests/testing/manual_clock.h"
#include "tests/testing/status_matchers.h"

namespace muster::coordinator {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using testing::VariantWith;

JobSpec SpecOf(const std::string& name) {
  JobSpec spec;
  spec.name = name;
  spec.layout.world_size = 1;
  MeshSpec mesh;
  mesh.name = "main";
  mesh.dims = {{"dp", 1}};
  spec.layout.meshes = {mesh};
  return spec;
}

Hello HelloTo(const std::string& job) {
  Hello hello;
  hello.job = job;
  hello.worker = "w-1";
  hello.incarnation = Incarnation(103);
  hello.session = SessionNumber(1);
  hello.host.host_id = "h";
  hello.report.incarnation = hello.incarnation;
  hello.report.number = 1;
  return hello;
}

// One run of a coordinator over `journal`: the real machine in the real loop.
class Coordinator {
 public:
  explicit Coordinator(Journal* journal)
      : runner_(journal, &outbox_,
                [this](const std::string& reason) { trace_.Add(absl::StrCat("halt ", reason)); }) {
    absl::StatusOr<Machine> machine =
        Machine::Load(journal->Read().value(), Machine::Options(), clock_.Now());
    EXPECT_THAT(machine, IsOk());
    loop_ = std::make_unique<EventLoop>(std::make_unique<MachineCore>(*std::move(machine)),
                                        &runner_, &clock_, EventLoop::Options());
    Flush();
  }

  // What came of `event`, and of a tick behind it.
  std::vector<std::string> Post(Event event) {
    trace_.Take();
    EXPECT_THAT(loop_->Post(std::move(event)), IsOk());
    Flush();
    clock_.Advance(absl::Milliseconds(50));
    Flush();
    return trace_.Take();
  }

  template <typename Value>
  Value Ask(const std::function<Value(const State&)>& question) {
    Value value;
    Gate answered;
    EXPECT_THAT(loop_->Read([&](const State& state) {
      value = question(state);
      answered.Open();
    }),
                IsOk());
    answered.Wait();
    return value;
  }

  void Stop() { loop_->Stop(); }
  std::vector<std::string> trace() const { return trace_.lines(); }

 private:
  // As the loop may have halted, a refused query is as good.
  void Flush() {
    for (int i = 0; i < 2; ++i) {
      Gate reached;
      if (!loop_->Read([&](const State&) { reached.Open(); }).ok()) return;
      reached.Wait();
    }
  }

  Trace trace_;
  ManualClock clock_;
  FakeOutbox outbox_{&trace_};
  EffectRunner runner_;
  std::unique_ptr<EventLoop> loop_;
};

TEST(MachineLoopTest, JobIsJournalledAndAnswered) {
  MemoryJournal journal;
  Coordinator coordinator(&journal);

  EXPECT_THAT(coordinator.Post(ApplyRequested{CallId(21), "r-1", SpecOf("wan")}),
              ElementsAre(StartsWith("reply 21 OK")));

  coordinator.Stop();
  EXPECT_THAT(journal.Read()->records,
              ElementsAre(VariantWith<TermStarted>(TermStarted{Term(1)}),
                          VariantWith<JobAccepted>(Field(&JobAccepted::spec, SpecOf("wan")))));
}

TEST(MachineLoopTest, WorkerIsToldWhatToBe) {
  MemoryJournal journal;
  Coordinator coordinator(&journal);
  coordinator.Post(ApplyRequested{CallId(21), "r-1", SpecOf("wan")});

  const std::vector<std::string> lines =
      coordinator.Post(HelloReceived{ConnectionId(5), HelloTo("wan")});

  EXPECT_THAT(lines, Contains(StartsWith("publish 5 revision ")));
  EXPECT_EQ(coordinator.Ask<size_t>([](const State& state) { return state.connections.size(); }),
            1U);
}

TEST(MachineLoopTest, NextRunOverTheSameJournalKnowsTheJob) {
  MemoryJournal journal;
  const ApplyRequested apply{CallId(21), "r-1", SpecOf("wan")};
  auto first = std::make_unique<Coordinator>(&journal);
  const std::vector<std::string> answer = first->Post(apply);
  EXPECT_THAT(answer, SizeIs(1));
  first.reset();

  Coordinator second(&journal);

  EXPECT_EQ(second.Post(apply), answer);
  EXPECT_EQ(second.Ask<Term>([](const State& state) { return state.term; }), Term(2));
}

TEST(MachineLoopTest, FullJournalRefusesJobs) {
  MemoryJournal journal(MemoryJournal::Options{.records_max = 1});
  Coordinator coordinator(&journal);

  EXPECT_THAT(coordinator.Post(ApplyRequested{CallId(21), "r-1", SpecOf("wan")}),
              ElementsAre(StartsWith("reply 21 RESOURCE_EXHAUSTED")));
}

TEST(MachineLoopTest, CoordinatorThatCannotClaimItsTermHalts) {
  MemoryJournal journal(MemoryJournal::Options{.records_max = 0});
  Coordinator coordinator(&journal);

  coordinator.Stop();

  EXPECT_THAT(coordinator.trace(), ElementsAre(StartsWith("halt ")));
  EXPECT_THAT(journal.Read()->records, IsEmpty());
}

}  // namespace
}  // namespace muster::coordinator
