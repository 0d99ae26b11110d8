#ifndef MUSTER_EXAMPLES_ULYSSES_ATTENTION_ATTENTION_H_
#define MUSTER_EXAMPLES_ULYSSES_ATTENTION_ATTENTION_H_

#include <cstdint>
#include <vector>

#include "examples/ulysses_attention/tensor.h"

namespace muster::examples {

// softmax(q k^T / sqrt(head_dim)) v for each head, over keys that come block by block: the running
// maximum and sum of each row make the result independent of the blocks.
//
// Inside in double, so that the order of blocks does not show.
class BlockAttention {
 public:
  explicit BlockAttention(const Heads& q);

  // Takes in a block of keys and values; same heads and head_dim as the queries.
  void Add(const Heads& k, const Heads& v);

  // What the blocks so far lead to; at least one.
  Heads Result() const;

 private:
  const Heads& q_;
  std::vector<double> maximum_;  // By (sequence, head).
  std::vector<double> sum_;      // By (sequence, head).
  std::vector<double> output_;   // As q, not yet divided by the sums.
};

// The whole of it in one process.
Heads FullAttention(const Qkv& qkv);

}  // namespace muster::examples

#endif  // MUSTER_EXAMPLES_ULYSSES_ATTENTION_ATTENTION_H_
