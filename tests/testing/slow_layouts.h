#ifndef MUSTER_TESTS_TESTING_SLOW_LAYOUTS_H_
#define MUSTER_TESTS_TESTING_SLOW_LAYOUTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.h"

namespace muster {

// The layouts of the reference systems written down a second time, plainly and without a stride:
// every rank is given its coordinates by counting, groups are what agrees in some of them. Costs
// O(world size) per kind. Shares no code with the product but the ids. All sizes are right.

using SlowGroups = std::vector<std::vector<GlobalRank>>;  // in group and member order
using SlowLayout = std::map<std::string, SlowGroups>;     // by kind

// Ranks [0, product of the sizes), and the dimensions that they are counted through.
class SlowGrid {
 public:
  // Names and sizes, slowest first.
  explicit SlowGrid(std::vector<std::pair<std::string, int32_t>> dims);

  // Groups of the ranks that agree in the dims `outside`; ordered by these, the first of them the
  // most significant, and members by the dims `inside` in the same way.
  SlowGroups Groups(const std::vector<std::string>& outside,
                    const std::vector<std::string>& inside) const;

  // The same with all dims but `inside` outside, both in the order of the grid.
  SlowGroups GroupsOver(const std::vector<std::string>& inside) const;

 private:
  using Place = std::vector<int32_t>;

  Place Pick(const Place& place, const std::vector<std::string>& dims) const;

  std::vector<std::pair<std::string, int32_t>> dims_;
  std::vector<Place> places_;  // of each rank
};

// Ranks [first, first + count) dealt out in groups of `size` neighbours.
SlowGroups SlowRuns(int32_t first, int32_t count, int32_t size);

// Ranks [0, count) dealt out like cards to `players`.
SlowGroups SlowDeal(int32_t count, int32_t players);

// The kinds ulysses and ring of the sequence parallel groups `sp`.
SlowLayout SlowSequence(const SlowGroups& sp, int32_t ulysses, int32_t ring, bool ulysses_low);

struct SlowFastVideo {
  int32_t world = 1;
  int32_t node = 1;
  int32_t tp = 1;
  int32_t sp = 1;
};
SlowLayout SlowLayoutOf(const SlowFastVideo& sizes);

struct SlowOmni {
  int32_t tp = 1;
  int32_t pp = 1;
  int32_t cfg = 1;
  int32_t dp = 1;  // with HSDP: 1, or the world if everything else is 1
  int32_t ulysses = 1;
  int32_t ring = 1;
  int32_t allgather = 1;  // above 1: the other two are 1
  int32_t shard = 0;      // 0: no HSDP
  bool experts = false;
};
SlowLayout SlowLayoutOf(const SlowOmni& sizes);

struct SlowXdit {
  int32_t tp = 1;
  int32_t pp = 1;
  int32_t cfg = 1;
  int32_t dp = 1;
  int32_t ulysses = 1;
  int32_t ring = 1;
  int32_t shard = 1;
  int32_t vae = 0;
};
SlowLayout SlowLayoutOf(const SlowXdit& sizes);

struct SlowVllm {
  int32_t replicas = 1;
  int32_t dp = 1;
  int32_t pp = 1;
  int32_t pcp = 1;
  int32_t tp = 1;
  int32_t dcp = 1;
  bool dcp_spans_pcp = true;
  bool experts = true;
};
SlowLayout SlowLayoutOf(const SlowVllm& sizes);

}  // namespace muster

#endif  // MUSTER_TESTS_TESTING_SLOW_LAYOUTS_H_
