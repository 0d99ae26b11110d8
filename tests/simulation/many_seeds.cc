#include "tests/simulation/many_seeds.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/simulation/world.h"

namespace muster::sim {

unsigned DefaultThreads() { return std::max(1u, std::thread::hardware_concurrency()); }

ManyOutcomes RunSeeds(const std::vector<uint64_t>& seeds, unsigned threads) {
  std::vector<Outcome> outcomes(seeds.size());
  std::atomic<size_t> next{0};
  const auto work = [&seeds, &outcomes, &next] {
    for (size_t i = next++; i < seeds.size(); i = next++) outcomes[i] = RunSeed(seeds[i]);
  };
  std::vector<std::thread> helpers;
  for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();

  ManyOutcomes result;
  for (size_t i = 0; i < seeds.size(); ++i) {
    result.tally.Merge(outcomes[i].tally);
    if (!outcomes[i].ok) result.failed.push_back({seeds[i], outcomes[i].text});
  }
  return result;
}

std::string DescribeFailure(const FailedSeed& failed) {
  return absl::StrCat("seed ", failed.seed, " failed: ", failed.text,
                      "\n  replay with: ./dev sim --seed ", failed.seed, " --trace\n");
}

}  // namespace muster::sim
