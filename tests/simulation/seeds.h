#ifndef MUSTER_TESTS_SIMULATION_SEEDS_H_
#define MUSTER_TESTS_SIMULATION_SEEDS_H_

#include <cstdint>
#include <istream>
#include <vector>

namespace muster::sim {

// The seeds of a list such as seeds.txt: one a line, then a space and why. Lines that begin with
// '#' and empty ones say nothing; any other line that begins with no number ends the process.
std::vector<uint64_t> ReadSeeds(std::istream& list);

// Those of seeds.txt, which is looked for where the sources were built.
std::vector<uint64_t> RememberedSeeds();

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_SEEDS_H_
