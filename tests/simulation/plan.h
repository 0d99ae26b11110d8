#ifndef MUSTER_TESTS_SIMULATION_PLAN_H_
#define MUSTER_TESTS_SIMULATION_PLAN_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/base/random.h"
#include "common/session/session.h"
#include "tests/simulation/fault_kinds.h"
#include "tests/simulation/sim_time.h"

// Everything that a seed decides before a run begins: how large the world is, what it is asked to
// do, how fast and how reliable each part is, and which faults it is made to see.
namespace muster::sim {

// A range from which times are drawn.
struct Span {
  Micros min = 0;
  Micros max = 0;

  Micros Draw(Random& random) const { return random.Between(min, max); }
};

struct JobPlan {
  JobSpec spec;
  Micros applied_at = 0;
};

// An identity and where it lives. Processes come and go under it.
struct WorkerPlan {
  std::string job;
  WorkerId id;
  HostFacts host;  // Without a pid.
  DeviceFacts device;
  std::optional<GlobalRank> wanted_rank;
  absl::Duration join_deadline;
  Micros first_start = 0;
};

struct NetworkPlan {
  Span delay;  // Of every message.
  Span late;   // Added to one that is very late.
  uint64_t loss_permille = 0;
  uint64_t late_permille = 0;
  uint64_t duplicate_permille = 0;
  uint64_t reorder_permille = 0;
  Micros keepalive = 0;  // After this long, the other end of a dead stream is noticed.
};

struct JournalPlan {
  Span delay;
  uint64_t keep_percent = 0;  // Of a crash keeping the next unanswered write.
};

// How long a worker's shell takes, and what its user does.
struct ShellPlan {
  Span open;
  Span build;
  Span free;
  Span think;                  // Between two operations of a user.
  Span operation;              // Once all members called it.
  Span deadline;               // Of an operation.
  uint64_t doing_percent = 0;  // Of operations that the agent is told of.
  absl::Duration tick;
};

// A fault that the run must see while some job is at this step.
struct Quest {
  FaultKind kind = FaultKind::kLoss;
  Step step = Step::kWaiting;
};

struct FaultPlan {
  Span pause;                                   // Between two faults that nobody asked for.
  std::array<uint64_t, kFaultKinds> weights{};  // Of the kinds among those.
  std::vector<Quest> quests;
  Span downtime;                      // Of the coordinator.
  Span outage;                        // Of a worker or its link.
  uint64_t exit_report_percent = 0;   // Of process ends that a supervisor reports.
  uint64_t silent_death_percent = 0;  // Of process ends that no peer is told of.
  uint64_t reapply_percent = 0;       // Of wiped or deleted jobs that are made again.
};

struct Plan {
  uint64_t seed = 0;
  std::vector<JobPlan> jobs;
  std::vector<WorkerPlan> workers;
  NetworkPlan network;
  JournalPlan journal;
  ShellPlan shell;
  FaultPlan faults;
  int64_t clock_spread_permille = 0;  // Clocks run at 1000 plus or minus this.
  absl::Duration coordinator_tick = absl::Milliseconds(50);
  uint64_t tick_jitter_percent = 0;
};

// The same seed gives the same plan everywhere.
Plan DrawPlan(uint64_t seed);

// A layout of `world_size` ranks with meshes, splits, flattened dimensions, ranges and explicit
// groups as they come.
LayoutSpec DrawLayout(Random& random, int32_t world_size);

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_PLAN_H_
