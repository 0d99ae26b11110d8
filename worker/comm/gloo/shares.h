#ifndef MUSTER_WORKER_COMM_GLOO_SHARES_H_
#define MUSTER_WORKER_COMM_GLOO_SHARES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/ids.h"
#include "worker/comm/dtype.h"

namespace muster {

// Where the elements of each rank lie in memory that has those of all, one rank's after the
// other's.
class Shares {
 public:
  // `counts` has the elements of each rank.
  Shares(std::span<const int64_t> counts, DType dtype);

  // `each` elements for every one of `size` ranks.
  static Shares Uniform(int64_t each, int32_t size, DType dtype);

  // `count` elements dealt out evenly, the first ranks getting one more.
  static Shares Even(int64_t count, int32_t size, DType dtype);

  int32_t size() const { return static_cast<int32_t>(counts_.size()); }

  int64_t Count(GroupRank rank) const { return counts_[Place(rank)]; }
  size_t Bytes(GroupRank rank) const {
    return static_cast<size_t>(counts_[Place(rank)] * element_bytes_);
  }
  // Of the first byte.
  int64_t Offset(GroupRank rank) const { return starts_[Place(rank)] * element_bytes_; }

  int64_t LargestCount() const;
  size_t TotalBytes() const;

 private:
  static size_t Place(GroupRank rank) { return static_cast<size_t>(rank.value); }

  int64_t element_bytes_;
  std::vector<int64_t> counts_;
  std::vector<int64_t> starts_;
};

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_SHARES_H_
