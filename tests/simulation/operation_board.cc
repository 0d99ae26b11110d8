#include "tests/simulation/operation_board.h"

#include "tests/simulation/world.h"

namespace muster::sim {

OperationBoard::OperationBoard(World& world)
    : world_(world), random_(world.plan.seed ^ 0x626F617264u) {}

void OperationBoard::Call(const GroupKey& group, int64_t sequence, int32_t size, ProcessId process,
                          worker::OperationId operation) {
  const auto it = callers_.try_emplace({group, sequence}).first;
  it->second.emplace_back(process, operation);
  if (std::ssize(it->second) < size) return;
  for (const auto& caller : it->second) {
    const ProcessId called_by = caller.first;
    const worker::OperationId done = caller.second;
    world_.queue.After(world_.plan.shell.operation.Draw(random_), [this, called_by, done] {
      world_.processes.OnOperationDone(called_by, done);
    });
  }
  callers_.erase(it);
}

}  // namespace muster::sim
