#ifndef MUSTER_TESTS_SIMULATION_OPERATION_BOARD_H_
#define MUSTER_TESTS_SIMULATION_OPERATION_BOARD_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "common/base/random.h"
#include "tests/simulation/build_hall.h"
#include "worker/core/events.h"

namespace muster::sim {

struct World;

// Collectives of users: one is done when all members of its group have called it.
class OperationBoard {
 public:
  explicit OperationBoard(World& world);

  // `sequence` is the same on all members for one operation of the group; `size` is its size.
  void Call(const GroupKey& group, int64_t sequence, int32_t size, ProcessId process,
            worker::OperationId operation);

 private:
  World& world_;
  Random random_;
  std::map<std::pair<GroupKey, int64_t>, std::vector<std::pair<ProcessId, worker::OperationId>>>
      callers_;
};

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_OPERATION_BOARD_H_
