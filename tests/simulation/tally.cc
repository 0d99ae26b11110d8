#include "tests/simulation/tally.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace muster::sim {

uint64_t Tally::FaultCount() const {
  uint64_t count = 0;
  for (const auto& row : faults) {
    for (const uint64_t cell : row) count += cell;
  }
  return count;
}

void Tally::Merge(const Tally& other) {
  seeds += other.seeds;
  deliveries += other.deliveries;
  commits += other.commits;
  rollbacks += other.rollbacks;
  losses += other.losses;
  operations += other.operations;
  operations_failed += other.operations_failed;
  epochs_freed += other.epochs_freed;
  wiped_survivors += other.wiped_survivors;
  for (size_t kind = 0; kind < kFaultKinds; ++kind) {
    for (size_t step = 0; step <= kSteps; ++step) faults[kind][step] += other.faults[kind][step];
  }
}

std::string Summarize(const Tally& tally) {
  std::string text = absl::StrFormat("%-16s", "fault \\ step");
  for (size_t step = 0; step <= kSteps; ++step) {
    absl::StrAppendFormat(&text, "%13s", std::string(Name(static_cast<Step>(step))));
  }
  text += '\n';
  for (size_t kind = 0; kind < kFaultKinds; ++kind) {
    if (kind == kAnywhereFaultKinds) text += "faults of one step only:\n";
    absl::StrAppendFormat(&text, "%-16s", std::string(Name(static_cast<FaultKind>(kind))));
    for (const uint64_t cell : tally.faults[kind]) absl::StrAppendFormat(&text, "%13d", cell);
    text += '\n';
  }
  absl::StrAppend(&text, "seeds ", tally.seeds, ", deliveries ", tally.deliveries, ", faults ",
                  tally.FaultCount(), ", commits ", tally.commits, ", rollbacks ", tally.rollbacks,
                  ", losses ", tally.losses, "\noperations ", tally.operations, " (",
                  tally.operations_failed, " with an error), epochs freed ", tally.epochs_freed,
                  ", workers that outlived their coordinator's state ", tally.wiped_survivors,
                  "\n");
  return text;
}

std::string ThinCells(const Tally& tally) {
  std::string text;
  for (size_t kind = 0; kind < kAnywhereFaultKinds; ++kind) {
    for (size_t step = 0; step < kSteps; ++step) {
      const uint64_t cell = tally.faults[kind][step];
      if (cell >= kCellMin) continue;
      absl::StrAppend(&text, std::string(Name(static_cast<FaultKind>(kind))), " while ",
                      std::string(Name(static_cast<Step>(step))), ": ", cell, ", want ", kCellMin,
                      "\n");
    }
  }
  return text;
}

}  // namespace muster::sim
