#ifndef MUSTER_EXAMPLES_ULYSSES_ATTENTION_TENSOR_H_
#define MUSTER_EXAMPLES_ULYSSES_ATTENTION_TENSOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace muster::examples {

// Numbers of shape (sequence, heads, head_dim), row-major.
struct Heads {
  int64_t sequence = 0;
  int64_t heads = 0;
  int64_t head_dim = 0;
  std::vector<float> values;

  Heads() = default;
  Heads(int64_t s, int64_t h, int64_t d)
      : sequence(s), heads(h), head_dim(d), values(static_cast<size_t>(s * h * d)) {}

  float* at(int64_t s, int64_t h) { return values.data() + (s * heads + h) * head_dim; }
  const float* at(int64_t s, int64_t h) const { return values.data() + (s * heads + h) * head_dim; }
};

// One batch entry each of queries, keys and values, all of one shape.
struct Qkv {
  Heads q;
  Heads k;
  Heads v;
};

// Rows [s0, s0 + sequence) and heads [h0, h0 + heads) of `from`.
Heads Slice(const Heads& from, int64_t s0, int64_t sequence, int64_t h0, int64_t heads);

// Values in [-1, 1) that follow from `seed`, `batch` and their place, all different.
Qkv SeededQkv(uint64_t seed, int64_t batch, int64_t sequence, int64_t heads, int64_t head_dim);

// Reads entry `batch` of q.npy, k.npy and v.npy in `folder`: little-endian float32 in C order, of
// shape (batch, sequence, heads, head_dim).
//
// Errors: kNotFound (a file cannot be read), kInvalidArgument (another type, order or shape); the
// file is named, with what was found and wanted.
absl::StatusOr<Qkv> LoadQkv(const std::string& folder, int64_t batch);

// The largest difference between two tensors of one shape.
double MaxDifference(const Heads& a, const Heads& b);

}  // namespace muster::examples

#endif  // MUSTER_EXAMPLES_ULYSSES_ATTENTION_TENSOR_H_
