#ifndef MUSTER_WORKER_OPS_SCRATCH_H_
#define MUSTER_WORKER_OPS_SCRATCH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "common/base/monitor.h"

namespace muster {

// Host memory for elements on their way. What was given back is kept for the next one that needs
// about as much, up to kKeptBytesMax, so that a loop of operations allocates once.
//
// Thread safety: any method from any thread.
class ScratchPool : public std::enable_shared_from_this<ScratchPool> {
 public:
  static constexpr int64_t kKeptBytesMax = int64_t{64} << 20;
  static constexpr size_t kKeptMax = 16;

  // Memory of at least `bytes`, for as long as the pointer lives, which also keeps the pool.
  // kResourceExhausted if there is none.
  absl::StatusOr<std::shared_ptr<std::byte>> Take(int64_t bytes);

  // Bytes that are kept and not in use.
  int64_t kept_bytes() const;

 private:
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    int64_t bytes = 0;
  };

  void GiveBack(Block block);

  mutable Monitor monitor_;
  std::vector<Block> kept_ ABSL_GUARDED_BY(monitor_);
  int64_t kept_bytes_ ABSL_GUARDED_BY(monitor_) = 0;
};

}  // namespace muster

#endif  // MUSTER_WORKER_OPS_SCRATCH_H_
