#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "tests/simulation/many_seeds.h"
#include "tests/simulation/seeds.h"
#include "tests/simulation/tally.h"
#include "tests/simulation/world.h"

namespace muster::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint64_t kSeeds = 500;

TEST(SimulationTest, EveryPromiseHoldsAndEveryFaultMeetsEveryStep) {
  std::vector<uint64_t> seeds = RememberedSeeds();
  for (uint64_t seed = 0; seed < kSeeds; ++seed) seeds.push_back(seed);

  const ManyOutcomes outcomes = RunSeeds(seeds, DefaultThreads());

  std::cout << Summarize(outcomes.tally);
  for (const FailedSeed& failed : outcomes.failed) ADD_FAILURE() << DescribeFailure(failed);
  EXPECT_THAT(ThinCells(outcomes.tally), IsEmpty());
  EXPECT_EQ(outcomes.tally.seeds, seeds.size());
}

TEST(SimulationTest, EachSeedSeesEnough) {
  for (const uint64_t seed : {1u, 7u, 499u}) {
    SCOPED_TRACE(testing::Message() << "./dev sim --seed " << seed << " --trace");
    const Outcome outcome = RunSeed(seed);

    EXPECT_GE(outcome.tally.deliveries, kDeliveriesPerSeedMin);
    EXPECT_GE(outcome.tally.FaultCount(), kFaultsPerSeedMin);
    EXPECT_GE(outcome.tally.commits, 1u);
  }
}

TEST(SimulationTest, SameSeedGivesTheSameTraceByteForByte) {
  for (const uint64_t seed : {0u, 3u, 42u, 180u}) {
    SCOPED_TRACE(testing::Message() << "./dev sim --seed " << seed << " --trace");
    std::ostringstream first;
    std::ostringstream second;
    const uint64_t hash = RunSeed(seed, &first).trace_hash;

    EXPECT_EQ(RunSeed(seed, &second).trace_hash, hash);
    EXPECT_TRUE(first.str() == second.str()) << "the traces differ";
    EXPECT_GT(first.str().size(), 10000u);
  }
}

TEST(SimulationTest, SameSeedGivesTheSameHashWithAndWithoutText) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "./dev sim --seed " << seed << " --trace");
    std::ostringstream text;

    EXPECT_EQ(RunSeed(seed).trace_hash, RunSeed(seed, &text).trace_hash);
  }
}

TEST(SimulationTest, SeedsDiffer) { EXPECT_NE(RunSeed(4).trace_hash, RunSeed(5).trace_hash); }

TEST(SeedsTest, NumbersAreReadAndRemarksAreNot) {
  std::istringstream list("# a remark\n\n71 first cause\n9000000000 second cause\n");

  EXPECT_THAT(ReadSeeds(list), ElementsAre(71u, 9000000000u));
}

TEST(TallyTest, ThinCellsAreNamed) {
  Tally tally;
  for (auto& row : tally.faults) row.fill(kCellMin);
  EXPECT_THAT(ThinCells(tally), IsEmpty());

  --tally.faults[static_cast<size_t>(FaultKind::kLeave)][static_cast<size_t>(Step::kEnded)];

  EXPECT_EQ(ThinCells(tally), "leave while ended: 9, want 10\n");
}

TEST(TallyTest, MergingAdds) {
  Tally a;
  a.commits = 2;
  a.AddFault(FaultKind::kLoss, Step::kActive);
  Tally b;
  b.commits = 3;
  b.AddFault(FaultKind::kLoss, Step::kActive);

  a.Merge(b);

  EXPECT_EQ(a.commits, 5u);
  EXPECT_EQ(a.FaultCount(), 2u);
}

}  // namespace
}  // namespace muster::sim
