#ifndef MUSTER_TESTS_SIMULATION_MANY_SEEDS_H_
#define MUSTER_TESTS_SIMULATION_MANY_SEEDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/simulation/tally.h"

namespace muster::sim {

struct FailedSeed {
  uint64_t seed = 0;
  std::string text;
};

struct ManyOutcomes {
  Tally tally;
  std::vector<FailedSeed> failed;  // In the order of the seeds.
};

// One for each processor.
unsigned DefaultThreads();

// Runs each seed in a world of its own, `threads` of them at a time. The result does not depend on
// how many.
ManyOutcomes RunSeeds(const std::vector<uint64_t>& seeds, unsigned threads);

// The seed first, then the promise that was broken, then the command that shows how.
std::string DescribeFailure(const FailedSeed& failed);

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_MANY_SEEDS_H_
