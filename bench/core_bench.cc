// What the coordinator's core costs without a network: one first formation of many simulated
// workers, and the stream of heartbeats afterwards.
//
// usage: core_bench [WORKERS [ROUNDS]]   default 10000 workers, 5 rounds
//
// Workers are played by the simplest code that answers: an assignment in, a report out. Only the
// machine's own steps are timed.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "coordinator/core/machine.h"

namespace muster::coordinator {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t size = 0;
  int64_t resident = 0;
  statm >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

JobSpec Spec(int32_t world) {
  JobSpec spec;
  spec.name = "bench";
  spec.layout.world_size = world;
  spec.layout.world_mode = BuildMode::kLazy;
  MeshSpec mesh;
  mesh.name = "dit";
  mesh.dims = {{"dp", world / 8}, {"sp", 4}, {"tp", 2}};
  mesh.host_dim_modes = {{"dp", BuildMode::kLazy}};
  spec.layout.meshes = {mesh};
  return spec;
}

struct Figures {
  double machine_seconds = 0;
  int64_t events = 0;
  int64_t messages = 0;
  double heartbeats_per_second = 0;
  int64_t bytes_per_worker = 0;
};

class Run {
 public:
  explicit Run(int32_t world)
      : world_(world), machine_(*Machine::Load({StoreId(1), {}}, {}, MonotonicTime())) {}

  Figures Measure() {
    const int64_t before = ResidentBytes();
    Carry(machine_.Start(MonotonicTime()));
    Feed(ApplyRequested{CallId(1), "r", Spec(world_)});
    reports_.resize(static_cast<size_t>(world_));
    for (int32_t n = 0; n < world_; ++n) Feed(HelloReceived{ConnectionId(Stream(n)), HelloOf(n)});
    Drain();
    const Job& job = machine_.state().jobs.begin()->second;
    MUSTER_CHECK(job.committed.has_value() && job.committed->not_active.empty(), "not formed");
    figures_.bytes_per_worker = (ResidentBytes() - before) / world_;
    MeasureHeartbeats();
    return figures_;
  }

 private:
  static uint64_t Stream(int32_t n) { return static_cast<uint64_t>(n) + 1; }

  Hello HelloOf(int32_t n) {
    Hello hello;
    hello.job = "bench";
    hello.worker = "w" + std::to_string(n);
    hello.incarnation = Incarnation(Stream(n));
    hello.session = SessionNumber(1);
    hello.host.host_id = "n" + std::to_string(n / 8);
    hello.host.hostname = hello.host.host_id;
    hello.device = {"gpu-" + std::to_string(n), n % 8};
    hello.report.incarnation = hello.incarnation;
    hello.report.number = 1;
    reports_[static_cast<size_t>(n)] = hello.report;
    return hello;
  }

  void Feed(const Event& event) {
    ++figures_.events;
    const Clock::time_point start = Clock::now();
    std::vector<Effect> effects = machine_.Step(event, MonotonicTime());
    figures_.machine_seconds += SecondsSince(start);
    Carry(std::move(effects));
  }

  void Carry(std::vector<Effect> effects) {
    for (Effect& effect : effects) {
      if (auto* publish = std::get_if<Publish>(&effect)) {
        inbox_.push_back(std::move(*publish));
      } else if (const auto* write = std::get_if<WriteJournal>(&effect)) {
        Feed(Journaled{write->write, JournalResult::kWritten});
      }
    }
  }

  void Drain() {
    while (!inbox_.empty()) {
      const Publish publish = std::move(inbox_.front());
      inbox_.pop_front();
      ++figures_.messages;
      if (Answer(publish)) Feed(ReportReceived{publish.connection, ReportOf(publish.connection)});
    }
  }

  Report& ReportOf(ConnectionId stream) { return reports_[stream.value - 1]; }

  // Moves the worker's report to what the assignment wants; false if it is there already.
  bool Answer(const Publish& publish) {
    Report& report = ReportOf(publish.connection);
    const Assignment& told = publish.assignment;
    std::vector<Holding> want;
    if (told.attempt.has_value()) {
      Holding holding;
      holding.epoch = told.attempt->epoch;
      const bool prepare = told.attempt->step == AttemptStep::kPrepare;
      holding.state = prepare ? HoldingState::kPrepared : HoldingState::kBuilt;
      if (prepare) holding.endpoints = Endpoints(told.attempt->rank);
      want.push_back(std::move(holding));
    } else if (told.committed.value != 0) {
      Holding holding;
      holding.epoch = told.committed;
      holding.state = HoldingState::kActive;
      want.push_back(std::move(holding));
    }
    if (want == report.holdings) return false;
    report.store = told.store;
    report.term = told.term;
    report.revision = told.revision;
    report.job = told.job;
    report.holdings = std::move(want);
    ++report.number;
    return true;
  }

  std::vector<Endpoint> Endpoints(GlobalRank rank) const {
    std::vector<Endpoint> endpoints;
    const Layout& layout = *machine_.state().jobs.begin()->second.layout;
    for (const GroupMembership& group : layout.GroupsOf(rank)) {
      if (!layout.IsBuilt(group.id)) continue;
      for (int32_t to = 0; to < group.size; ++to) {
        if (to == group.rank.value) continue;
        endpoints.push_back({group.id, group.rank, GroupRank(to), std::string(136, 'e')});
      }
    }
    return endpoints;
  }

  void MeasureHeartbeats() {
    const int rounds = 20;
    const Clock::time_point start = Clock::now();
    for (int round = 0; round < rounds; ++round) {
      for (Report& report : reports_) {
        ++report.number;
        machine_.Step(ReportReceived{ConnectionId(report.incarnation.value), report},
                      MonotonicTime());
      }
    }
    figures_.heartbeats_per_second = rounds * static_cast<double>(world_) / SecondsSince(start);
  }

  const int32_t world_;
  Machine machine_;
  std::deque<Publish> inbox_;
  std::vector<Report> reports_;
  Figures figures_;
};

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int Main(int argc, char** argv) {
  const int32_t world = argc > 1 ? std::atoi(argv[1]) : 10000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  if (world < 16 || world % 8 != 0 || rounds < 1) {
    std::fprintf(stderr, "core_bench: want WORKERS >= 16 divisible by 8, and ROUNDS >= 1\n");
    return 2;
  }
  std::vector<double> seconds;
  std::vector<double> per_event;
  std::vector<double> heartbeats;
  Figures first;
  for (int round = 0; round < rounds; ++round) {
    const Figures figures = Run(world).Measure();
    if (round == 0) first = figures;  // Later rounds reuse memory: only the first can be weighed.
    seconds.push_back(figures.machine_seconds);
    per_event.push_back(static_cast<double>(figures.events) / figures.machine_seconds);
    heartbeats.push_back(figures.heartbeats_per_second);
  }
  std::printf("# core_bench: %d workers, dims dp=%d sp=4 tp=2, %d rounds, medians\n", world,
              world / 8, rounds);
  std::printf("formation_machine_seconds   %.3f\n", Median(seconds));
  std::printf("formation_events            %lld\n", static_cast<long long>(first.events));
  std::printf("formation_assignments       %lld\n", static_cast<long long>(first.messages));
  std::printf("formation_events_per_second %.0f\n", Median(per_event));
  std::printf("heartbeats_per_second       %.0f\n", Median(heartbeats));
  std::printf("bytes_per_worker            %lld  (machine and the played workers together)\n",
              static_cast<long long>(first.bytes_per_worker));
  return 0;
}

}  // namespace
}  // namespace muster::coordinator

int main(int argc, char** argv) { return muster::coordinator::Main(argc, argv); }
