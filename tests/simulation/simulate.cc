// The simulator as a program: many seeds with a summary, or one seed with its trace.

#include <charconv>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/simulation/many_seeds.h"
#include "tests/simulation/seeds.h"
#include "tests/simulation/tally.h"
#include "tests/simulation/world.h"

namespace muster::sim {
namespace {

constexpr std::string_view kUsage =
    "usage: simulate [--seeds N] [--first SEED] [--threads N]   many seeds and a summary\n"
    "       simulate --seed SEED [--trace]                      one seed, with what happens\n"
    "Ends with 1 if a promise is broken, or if 500 seeds or more leave a cell of the table thin.\n";

constexpr uint64_t kSeedsForTable = 500;

struct Options {
  uint64_t first = 0;
  uint64_t seeds = 500;
  bool one = false;
  bool trace = false;
  unsigned threads = DefaultThreads();
};

bool ParseNumber(std::string_view text, uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool Parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--trace") {
      options.trace = true;
      continue;
    }
    uint64_t number = 0;
    if (i + 1 >= argc || !ParseNumber(argv[++i], number)) return false;
    if (flag == "--seeds") {
      options.seeds = number;
    } else if (flag == "--first") {
      options.first = number;
    } else if (flag == "--seed") {
      options.one = true;
      options.first = number;
    } else if (flag == "--threads" && number >= 1) {
      options.threads = static_cast<unsigned>(number);
    } else {
      return false;
    }
  }
  return true;
}

int RunOne(const Options& options) {
  std::cout << "seed " << options.first << "\n";
  const Outcome outcome = RunSeed(options.first, options.trace ? &std::cout : nullptr);
  if (!outcome.ok) std::cout << DescribeFailure({options.first, outcome.text});
  std::cout << "trace hash " << std::hex << outcome.trace_hash << std::dec << "\n"
            << Summarize(outcome.tally);
  return outcome.ok ? 0 : 1;
}

int RunMany(const Options& options) {
  std::vector<uint64_t> seeds = RememberedSeeds();
  for (uint64_t i = 0; i < options.seeds; ++i) seeds.push_back(options.first + i);
  const ManyOutcomes outcomes = RunSeeds(seeds, options.threads);

  for (const FailedSeed& failed : outcomes.failed) std::cout << DescribeFailure(failed);
  std::cout << Summarize(outcomes.tally);
  // Fewer seeds are not meant to fill the table.
  const std::string thin = options.seeds >= kSeedsForTable ? ThinCells(outcomes.tally) : "";
  if (!thin.empty()) std::cout << "cells with too few faults:\n" << thin;
  std::cout << seeds.size() - outcomes.failed.size() << " of " << seeds.size()
            << " seeds hold every promise\n";
  return outcomes.failed.empty() && thin.empty() ? 0 : 1;
}

}  // namespace
}  // namespace muster::sim

int main(int argc, char** argv) {
  muster::sim::Options options;
  if (!muster::sim::Parse(argc, argv, options)) {
    std::cerr << muster::sim::kUsage;
    return 2;
  }
  return options.one ? muster::sim::RunOne(options) : muster::sim::RunMany(options);
}
