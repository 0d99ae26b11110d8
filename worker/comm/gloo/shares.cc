#include "worker/comm/gloo/shares.h"

#include <algorithm>
#include <numeric>

namespace muster {

Shares::Shares(std::span<const int64_t> counts, DType dtype)
    : element_bytes_(static_cast<int64_t>(SizeOf(dtype))), counts_(counts.begin(), counts.end()) {
  starts_.reserve(counts_.size());
  int64_t start = 0;
  for (const int64_t count : counts_) {
    starts_.push_back(start);
    start += count;
  }
}

Shares Shares::Uniform(int64_t each, int32_t size, DType dtype) {
  return Shares(std::vector<int64_t>(static_cast<size_t>(size), each), dtype);
}

Shares Shares::Even(int64_t count, int32_t size, DType dtype) {
  std::vector<int64_t> counts(static_cast<size_t>(size), count / size);
  std::for_each_n(counts.begin(), count % size, [](int64_t& share) { ++share; });
  return Shares(counts, dtype);
}

int64_t Shares::LargestCount() const { return *std::max_element(counts_.begin(), counts_.end()); }

size_t Shares::TotalBytes() const {
  return static_cast<size_t>(std::accumulate(counts_.begin(), counts_.end(), int64_t{0}) *
                             element_bytes_);
}

}  // namespace muster
