#ifndef MUSTER_TESTS_SIMULATION_TALLY_H_
#define MUSTER_TESTS_SIMULATION_TALLY_H_

#include <array>
#include <cstdint>
#include <string>

#include "tests/simulation/fault_kinds.h"

namespace muster::sim {

// What the acceptance of a simulation asks of each run and of each cell of the table.
inline constexpr uint64_t kDeliveriesPerSeedMin = 2000;
inline constexpr uint64_t kFaultsPerSeedMin = 5;
inline constexpr uint64_t kCellMin = 10;

// What happened in one run, or in many runs together.
struct Tally {
  uint64_t seeds = 0;
  uint64_t deliveries = 0;  // Messages that reached an agent or the coordinator.
  uint64_t commits = 0;
  uint64_t rollbacks = 0;
  uint64_t losses = 0;
  uint64_t operations = 0;  // Of users, ended one way or another.
  uint64_t operations_failed = 0;
  uint64_t epochs_freed = 0;
  uint64_t wiped_survivors = 0;  // Workers that ended because the coordinator lost its state.
  std::array<std::array<uint64_t, kSteps + 1>, kFaultKinds> faults{};

  void AddFault(FaultKind kind, Step step) {
    ++faults[static_cast<size_t>(kind)][static_cast<size_t>(step)];
  }
  uint64_t FaultCount() const;

  void Merge(const Tally& other);
};

// The table of faults by step and the counts, for people.
std::string Summarize(const Tally& tally);

// Cells of the table with fewer than kCellMin, one a line; empty if there are none.
std::string ThinCells(const Tally& tally);

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_TALLY_H_
