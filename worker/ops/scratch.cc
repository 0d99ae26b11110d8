#include "worker/ops/scratch.h"

#include <algorithm>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"

namespace muster {

absl::StatusOr<std::shared_ptr<std::byte>> ScratchPool::Take(int64_t bytes) {
  Block block;
  {
    MonitorLock lock(&monitor_);
    auto best = kept_.end();
    for (auto it = kept_.begin(); it != kept_.end(); ++it) {
      // Not one that is much too large: another operation may need it.
      if (it->bytes < bytes || it->bytes / 4 > bytes) continue;
      if (best == kept_.end() || it->bytes < best->bytes) best = it;
    }
    if (best != kept_.end()) {
      block = std::move(*best);
      kept_.erase(best);
      kept_bytes_ -= block.bytes;
    }
  }
  if (block.memory == nullptr) {
    block.bytes = std::max<int64_t>(bytes, 1);
    block.memory.reset(new (std::nothrow) std::byte[static_cast<size_t>(block.bytes)]);
    if (block.memory == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("no memory for ", bytes, " bytes on their way"));
    }
  }
  std::byte* const memory = block.memory.get();
  auto owned = std::make_shared<Block>(std::move(block));
  return std::shared_ptr<std::byte>(memory, [pool = shared_from_this(), owned](std::byte*) {
    pool->GiveBack(std::move(*owned));
  });
}

int64_t ScratchPool::kept_bytes() const {
  MonitorLock lock(&monitor_);
  return kept_bytes_;
}

void ScratchPool::GiveBack(Block block) {
  MonitorLock lock(&monitor_);
  if (block.bytes > kKeptBytesMax) return;
  kept_bytes_ += block.bytes;
  kept_.push_back(std::move(block));
  // The oldest go first.
  while (kept_.size() > kKeptMax || kept_bytes_ > kKeptBytesMax) {
    kept_bytes_ -= kept_.front().bytes;
    kept_.erase(kept_.begin());
  }
}

}  // namespace muster
