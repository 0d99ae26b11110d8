#ifndef MUSTER_TESTS_COORDINATOR_CORE_TESTBED_H_
#define MUSTER_TESTS_COORDINATOR_CORE_TESTBED_H_

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/core/invariants.h"
#include "coordinator/core/machine.h"

namespace muster::coordinator {

// One coordinator and the workers that a test plays for it. Time moves only by Pass(). The journal
// answers at once unless a test holds it.
//
// After every step the machine's invariants are checked, and the newest of everything it did is
// kept for the test to look at.
class Testbed {
 public:
  Testbed() : Testbed(JournalContents{StoreId(77), {}}) {}

  explicit Testbed(JournalContents contents) : journal_(std::move(contents)) { Boot(); }

  // Kills the coordinator and starts another one over the same journal. Writes that were not
  // answered are lost.
  void Restart() {
    unanswered_.clear();
    connections_.clear();
    Boot();
  }

  static JobSpec Spec(const std::string& name, int32_t world, int32_t spares = 0) {
    JobSpec spec;
    spec.name = name;
    spec.spares = spares;
    spec.layout.world_size = world;
    MeshSpec mesh;
    mesh.name = "main";
    mesh.dims = {{"dp", world}};
    spec.layout.meshes = {mesh};
    return spec;
  }

  // Applies a job and gives the answer; nothing if none has come.
  std::optional<Reply> Apply(const JobSpec& spec, const std::string& request = "apply-1") {
    const CallId call(++calls_);
    Feed(ApplyRequested{call, request, spec, std::nullopt});
    return ReplyTo(call);
  }

  std::optional<Reply> Delete(const std::string& job, const std::string& request = "delete-1") {
    const CallId call(++calls_);
    Feed(DeleteRequested{call, request, job, std::nullopt});
    return ReplyTo(call);
  }

  std::optional<Reply> ReplyTo(CallId call) const {
    const auto it = replies_.find(call);
    if (it == replies_.end()) return std::nullopt;
    return it->second;
  }

  // A process "w<n>": on host "h", device n, incarnation 100 + n unless a test changes it.
  Hello HelloOf(int n) {
    Hello hello;
    hello.job = "wan";
    hello.worker = "w" + std::to_string(n);
    hello.incarnation = Incarnation(static_cast<uint64_t>(100 + n));
    hello.session = SessionNumber(++sessions_);
    hello.host.host_id = "h";
    hello.host.hostname = "h";
    hello.host.boot_id = "boot";
    hello.host.pid_namespace = "ns";
    hello.host.pid = 1000 + n;
    hello.device = {"gpu-" + std::to_string(n), n};
    hello.report.incarnation = hello.incarnation;
    hello.report.number = 1;
    return hello;
  }

  // Opens a stream and says `hello`; gives the stream.
  ConnectionId Connect(const Hello& hello) {
    const ConnectionId connection(++streams_);
    connections_[hello.worker] = connection;
    reports_[hello.worker] = hello.report;
    Feed(HelloReceived{connection, hello});
    return connection;
  }

  void ConnectAll(int world) {
    for (int n = 0; n < world; ++n) Connect(HelloOf(n));
  }

  // The newest assignment sent to a worker; fails the test if there is none.
  const Assignment& AssignmentOf(const std::string& worker) {
    const auto it = assignments_.find(connections_.at(worker));
    EXPECT_TRUE(it != assignments_.end()) << worker << " was told nothing";
    static const Assignment kNone;
    return it == assignments_.end() ? kNone : it->second;
  }

  // Reports that `worker` has exactly `holdings` and has seen everything it was sent.
  void Say(const std::string& worker, std::vector<Holding> holdings) {
    Report& report = reports_.at(worker);
    const auto seen = assignments_.find(connections_.at(worker));
    if (seen != assignments_.end()) {
      report.store = seen->second.store;
      report.term = seen->second.term;
      report.revision = seen->second.revision;
      report.job = seen->second.job;
      report.pong = seen->second.ping;
    }
    report.holdings = std::move(holdings);
    Send(worker);
  }

  Report& report(const std::string& worker) { return reports_.at(worker); }

  void Send(const std::string& worker) {
    ++reports_.at(worker).number;
    Feed(ReportReceived{connections_.at(worker), reports_.at(worker)});
  }

  static Holding Has(int64_t epoch, HoldingState state) {
    Holding holding;
    holding.epoch = Epoch(epoch);
    holding.state = state;
    return holding;
  }

  void SayAll(int world, int64_t epoch, HoldingState state) {
    for (int n = 0; n < world; ++n) Say("w" + std::to_string(n), {Has(epoch, state)});
  }

  // Brings a job "wan" of `world` workers to an active epoch 1.
  void Form(int world, int32_t spares = 0) {
    Apply(Spec("wan", world, spares));
    ConnectAll(world);
    SayAll(world, 1, HoldingState::kPrepared);
    SayAll(world, 1, HoldingState::kBuilt);
    SayAll(world, 1, HoldingState::kActive);
  }

  void Reset(const std::string& worker) { Feed(StreamReset{connections_.at(worker)}); }

  // Lets time pass in ticks, with everyone in `alive` reporting.
  void Pass(absl::Duration span, const std::vector<std::string>& alive = {}) {
    const MonotonicTime end = now_ + span;
    while (now_ < end) {
      now_ = std::min(end, now_ + absl::Milliseconds(50));
      for (const std::string& worker : alive) Send(worker);
      Feed(Tick{});
    }
  }

  // Moves the clock without a tick, as if the coordinator had stood still.
  void JumpBy(absl::Duration span) { now_ = now_ + span; }

  void Feed(const Event& event) { Carry(machine_->Step(event, now_)); }

  // While held, journal writes pile up; Answer() answers the oldest.
  void HoldJournal() { journal_held_ = true; }
  void Answer(JournalResult result = JournalResult::kWritten) {
    ASSERT_FALSE(unanswered_.empty());
    const WriteJournal write = unanswered_.front();
    unanswered_.pop_front();
    if (result == JournalResult::kWritten) journal_.records.push_back(write.record);
    Feed(Journaled{write.write, result});
  }
  void ReleaseJournal() {
    journal_held_ = false;
    while (!unanswered_.empty()) Answer();
  }
  void FailJournal(JournalResult result) { journal_fails_ = result; }

  const Job& job(const std::string& name = "wan") const {
    return machine_->state().jobs.at(machine_->state().names.at(name));
  }
  bool HasJob(const std::string& name) const { return machine_->state().names.contains(name); }
  const State& state() const { return machine_->state(); }
  const std::vector<Effect>& last() const { return last_; }
  size_t unanswered() const { return unanswered_.size(); }

  // Why a stream was closed; nothing if it is open.
  std::optional<absl::Status> Closed(ConnectionId connection) const {
    const auto it = closed_.find(connection);
    if (it == closed_.end()) return std::nullopt;
    return it->second;
  }

  template <typename E>
  std::vector<E> Last() const {
    std::vector<E> found;
    for (const Effect& effect : last_) {
      if (const E* e = std::get_if<E>(&effect)) found.push_back(*e);
    }
    return found;
  }

 private:
  void Boot() {
    absl::StatusOr<Machine> machine = Machine::Load(journal_, {.seed = 5}, now_);
    ASSERT_TRUE(machine.ok()) << machine.status();
    machine_ = *std::move(machine);
    Carry(machine_->Start(now_));
  }

  void Carry(std::vector<Effect> effects) {
    const std::vector<std::string> violations = Violations(machine_->state());
    EXPECT_TRUE(violations.empty()) << violations.front();
    for (const Effect& effect : effects) {
      if (const auto* publish = std::get_if<Publish>(&effect)) {
        assignments_[publish->connection] = publish->assignment;
      } else if (const auto* reply = std::get_if<Reply>(&effect)) {
        EXPECT_TRUE(replies_.emplace(reply->call, *reply).second) << "answered twice";
      } else if (const auto* close = std::get_if<CloseStream>(&effect)) {
        closed_[close->connection] = close->status;
      } else if (const auto* write = std::get_if<WriteJournal>(&effect)) {
        unanswered_.push_back(*write);
      }
    }
    last_ = std::move(effects);
    if (journal_held_ || unanswered_.empty()) return;
    Answer(journal_fails_.value_or(JournalResult::kWritten));
  }

  MonotonicTime now_;
  JournalContents journal_;
  std::optional<Machine> machine_;
  std::deque<WriteJournal> unanswered_;
  bool journal_held_ = false;
  std::optional<JournalResult> journal_fails_;
  std::map<std::string, ConnectionId> connections_;
  std::map<std::string, Report> reports_;
  std::map<ConnectionId, Assignment> assignments_;
  std::map<ConnectionId, absl::Status> closed_;
  std::map<CallId, Reply> replies_;
  std::vector<Effect> last_;
  uint64_t calls_ = 0;
  uint64_t streams_ = 0;
  int64_t sessions_ = 0;
};

}  // namespace muster::coordinator

#endif  // MUSTER_TESTS_COORDINATOR_CORE_TESTBED_H_
