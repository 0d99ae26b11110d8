#include "tests/simulation/seeds.h"

#include <fstream>
#include <sstream>
#include <string>

#include "common/base/check.h"

namespace muster::sim {

std::vector<uint64_t> ReadSeeds(std::istream& list) {
  std::vector<uint64_t> seeds;
  std::string line;
  while (std::getline(list, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    uint64_t seed = 0;
    MUSTER_CHECK(words >> seed, "a line of the seed list begins with no number: " + line);
    seeds.push_back(seed);
  }
  return seeds;
}

std::vector<uint64_t> RememberedSeeds() {
  std::ifstream list(MUSTER_SEEDS_FILE);
  MUSTER_CHECK(list.is_open(), "cannot open " MUSTER_SEEDS_FILE);
  return ReadSeeds(list);
}

}  // namespace muster::sim
