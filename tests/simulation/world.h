#ifndef MUSTER_TESTS_SIMULATION_WORLD_H_
#define MUSTER_TESTS_SIMULATION_WORLD_H_

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "common/layout/layout.h"
#include "tests/simulation/admin.h"
#include "tests/simulation/build_hall.h"
#include "tests/simulation/checkers/checks.h"
#include "tests/simulation/event_queue.h"
#include "tests/simulation/faults.h"
#include "tests/simulation/network.h"
#include "tests/simulation/operation_board.h"
#include "tests/simulation/plan.h"
#include "tests/simulation/processes.h"
#include "tests/simulation/sim_coordinator.h"
#include "tests/simulation/sim_journal.h"
#include "tests/simulation/tally.h"
#include "tests/simulation/trace.h"
#include "tests/simulation/verdict.h"

namespace muster::sim {

// One coordinator, its journal, its workers and everything between them, in one thread and from one
// seed. The parts find each other here.
struct World {
  // Text of what happens goes to `trace_out`; none is made if it is null.
  World(uint64_t seed, std::ostream* trace_out);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // The layout of a job of the plan.
  const Layout& LayoutOf(const std::string& job) const { return layouts.at(job); }
  // How many communicators `rank` of `job` builds.
  size_t BuiltGroupsOf(const std::string& job, GlobalRank rank) const;

  const Plan plan;
  EventQueue queue;
  Trace trace;
  Verdict verdict;
  Tally tally;
  std::map<std::string, Layout> layouts;

  Checks checks;
  Network network;
  SimJournal journal;
  SimCoordinator coordinator;
  BuildHall hall;
  OperationBoard board;
  Processes processes;
  Admin admin;
  Faults faults;
};

// How one run ended.
struct Outcome {
  bool ok = false;
  std::string text;  // The promise that was broken, and how; empty if none was.
  uint64_t trace_hash = 0;
  Tally tally;
};

// Runs one seed: faults until it has seen enough of them, then none until everything has healed,
// then every job is deleted. Text of what happens goes to `trace_out` unless that is null.
Outcome RunSeed(uint64_t seed, std::ostream* trace_out = nullptr);

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_WORLD_H_
