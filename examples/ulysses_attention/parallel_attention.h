#ifndef MUSTER_EXAMPLES_ULYSSES_ATTENTION_PARALLEL_ATTENTION_H_
#define MUSTER_EXAMPLES_ULYSSES_ATTENTION_PARALLEL_ATTENTION_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "worker/muster/context.h"

namespace muster::examples {

struct AttentionOptions {
  std::string folder;  // With q.npy, k.npy and v.npy; empty: from the seed.
  uint64_t seed = 7;
  int64_t sequence = 64;
  int64_t heads = 8;
  int64_t head_dim = 16;
  bool skip_exchange = false;  // Keep the own chunks where those of others belong.
};

// How far the result of this rank is from that of one process that computes everything.
struct AttentionCheck {
  double difference = 0;
  int32_t batch = 0;
  int32_t ulysses = 1;
  int32_t ring = 1;
  int32_t tensor = 1;
};

// Multi-head attention over the job's mesh, checked on every rank: `cfg` gives each batch entry its
// ranks, `tp` splits the heads, and the sequence is split over `ring` x `ulysses`, or over `sp`
// taken as Ulysses. Inside a Ulysses group an all-to-all trades sequence for heads and back; around
// the ring keys and values go from rank to rank. Every rank of the job calls it.
//
// Errors: kInvalidArgument if sizes do not divide, naming them; those of the collectives.
absl::StatusOr<AttentionCheck> CheckAttention(Context& context, const AttentionOptions& options);

}  // namespace muster::examples

#endif  // MUSTER_EXAMPLES_ULYSSES_ATTENTION_PARALLEL_ATTENTION_H_
