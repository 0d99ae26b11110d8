#include "tests/simulation/plan.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace muster::sim {
namespace {

constexpr Micros kMillisecond = 1000;
constexpr Micros kSecond = 1000 * kMillisecond;
constexpr uint64_t kWorkersMax = 8;
constexpr size_t kQuestsPerSeed = 8;

// A range within the given one.
Span DrawSpan(Random& random, Micros min, Micros max) {
  const Micros a = random.Between(min, max);
  const Micros b = random.Between(min, max);
  return {std::min(a, b), std::max(a, b)};
}

// 0 in most draws, so that most runs see few kinds of trouble, else up to `max`.
uint64_t DrawRate(Random& random, uint64_t max) {
  return random.Chance(50) ? 0 : random.Uniform(max + 1);
}

JobPlan DrawJob(Random& random, std::string name, int32_t world_size) {
  JobPlan job;
  job.spec.name = std::move(name);
  job.spec.layout = DrawLayout(random, world_size);
  job.spec.spares = static_cast<int32_t>(random.Uniform(3));
  job.spec.recovery = absl::Milliseconds(random.Between(1000, 5000));
  if (random.Chance(20)) job.spec.deadline_overrides.join = absl::Seconds(random.Between(20, 60));
  job.applied_at = random.Between(0, 2 * kSecond);
  return job;
}

// Two workers to a host on the average; a host's devices are numbered.
void PlaceOnHosts(Random& random, std::vector<WorkerPlan>& workers) {
  const bool has_devices = random.Chance(80);
  const uint64_t hosts = 1 + random.Uniform(4);
  std::vector<int32_t> devices(hosts, 0);
  for (WorkerPlan& worker : workers) {
    const uint64_t host = random.Uniform(hosts);
    worker.host.host_id = absl::StrCat("host-", host);
    worker.host.hostname = absl::StrCat("n", host + 1);
    worker.host.boot_id = absl::StrCat("boot-", host);
    worker.host.pid_namespace = absl::StrCat("pidns-", host);
    if (!has_devices) continue;
    worker.device.index = devices[host]++;
    worker.device.uuid = absl::StrCat("GPU-", host, "-", worker.device.index);
  }
}

// Workers for `job`: about as many as it has seats, now and then too few or too many.
void AddWorkers(Random& random, Plan& plan, const JobPlan& job, uint64_t room) {
  const auto world = static_cast<uint64_t>(job.spec.layout.world_size);
  const uint64_t wanted = random.Chance(30) ? world + random.Uniform(3) : world;
  const uint64_t count = std::min(wanted, room);
  const bool asks_for_ranks = random.Chance(30);
  for (uint64_t i = 0; i < count; ++i) {
    WorkerPlan worker;
    worker.job = job.spec.name;
    worker.id = absl::StrCat(job.spec.name, "-w", i);
    // Asked for backwards, so that a rank that comes from the order of arrival is told apart.
    if (asks_for_ranks && i < world && random.Chance(70)) {
      worker.wanted_rank = GlobalRank(static_cast<int32_t>(world - 1 - i));
    }
    worker.join_deadline = absl::Seconds(random.Chance(80) ? 600 : random.Between(20, 60));
    worker.first_start = random.Between(0, 3 * kSecond);
    plan.workers.push_back(std::move(worker));
  }
}

void DrawJobsAndWorkers(Random& random, Plan& plan) {
  const bool two_jobs = random.Chance(35);
  uint64_t room = kWorkersMax;
  for (int i = 0; i < (two_jobs ? 2 : 1); ++i) {
    const uint64_t largest = two_jobs ? 4 : kWorkersMax;
    const uint64_t world_size = 1 + random.Uniform(largest);
    plan.jobs.push_back(DrawJob(random, i == 0 ? "wan" : "lm", static_cast<int32_t>(world_size)));
    AddWorkers(random, plan, plan.jobs.back(), two_jobs ? kWorkersMax / 2 : room);
  }
  PlaceOnHosts(random, plan.workers);
}

NetworkPlan DrawNetwork(Random& random) {
  NetworkPlan network;
  network.delay = DrawSpan(random, 50, random.Chance(20) ? 40 * kMillisecond : 3 * kMillisecond);
  network.late = DrawSpan(random, 20 * kMillisecond, 800 * kMillisecond);
  network.loss_permille = DrawRate(random, 60);
  network.late_permille = DrawRate(random, 30);
  network.duplicate_permille = DrawRate(random, 60);
  network.reorder_permille = DrawRate(random, 80);
  network.keepalive = random.Between(kSecond / 2, 3 * kSecond);
  return network;
}

ShellPlan DrawShell(Random& random) {
  ShellPlan shell;
  shell.open = DrawSpan(random, 100, 20 * kMillisecond);
  shell.build = DrawSpan(random, 200, 20 * kMillisecond);
  shell.free = DrawSpan(random, 50, 10 * kMillisecond);
  shell.think = DrawSpan(random, 20 * kMillisecond, 400 * kMillisecond);
  shell.operation = DrawSpan(random, 100, 20 * kMillisecond);
  shell.deadline = DrawSpan(random, 300 * kMillisecond, 4 * kSecond);
  shell.doing_percent = random.Uniform(60);
  shell.tick = absl::Milliseconds(random.Between(25, 50));
  return shell;
}

// Walks the cells of the table so that any run of seeds covers them evenly.
std::vector<Quest> QuestsOf(uint64_t seed) {
  constexpr uint64_t kCells = kAnywhereFaultKinds * kSteps;
  // Has no factor in common with kCells, so that neighbouring quests differ in kind and step.
  constexpr uint64_t kStride = 67;
  std::vector<Quest> quests;
  for (uint64_t i = 0; i < kQuestsPerSeed; ++i) {
    const uint64_t cell = (seed * kQuestsPerSeed + i) % kCells * kStride % kCells;
    quests.push_back({static_cast<FaultKind>(cell / kSteps), static_cast<Step>(cell % kSteps)});
  }
  return quests;
}

FaultPlan DrawFaults(Random& random, uint64_t seed) {
  FaultPlan faults;
  faults.pause = DrawSpan(random, 200 * kMillisecond, 6 * kSecond);
  for (size_t kind = 0; kind < kFaultKinds; ++kind) {
    faults.weights[kind] = random.Chance(50) ? 0 : 1 + random.Uniform(8);
  }
  // Each of these changes what the whole run is about; more than a few would drown the others.
  for (const FaultKind kind : {FaultKind::kJournalWiped, FaultKind::kJournalFull, FaultKind::kLeave,
                               FaultKind::kJournalUnknown}) {
    uint64_t& weight = faults.weights[static_cast<size_t>(kind)];
    weight = std::min<uint64_t>(weight, 1);
  }
  faults.quests = QuestsOf(seed);
  faults.downtime = DrawSpan(random, 5 * kMillisecond, 3 * kSecond);
  faults.outage = DrawSpan(random, 10 * kMillisecond, 3 * kSecond);
  faults.exit_report_percent = random.Uniform(101);
  faults.silent_death_percent = random.Uniform(50);
  faults.reapply_percent = 30 + random.Uniform(71);
  return faults;
}

}  // namespace

Plan DrawPlan(uint64_t seed) {
  Random random(seed);
  Plan plan;
  plan.seed = seed;
  DrawJobsAndWorkers(random, plan);
  plan.network = DrawNetwork(random);
  plan.journal.delay = DrawSpan(random, 100, random.Chance(30) ? 200 * kMillisecond : 5000);
  plan.journal.keep_percent = random.Uniform(101);
  plan.shell = DrawShell(random);
  plan.faults = DrawFaults(random, seed);
  plan.clock_spread_permille = random.Chance(50) ? 0 : random.Between(1, 80);
  plan.coordinator_tick = absl::Milliseconds(random.Between(20, 60));
  plan.tick_jitter_percent = random.Uniform(50);
  return plan;
}

}  // namespace muster::sim
