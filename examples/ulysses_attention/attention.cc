#include "examples/ulysses_attention/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace muster::examples {

BlockAttention::BlockAttention(const Heads& q)
    : q_(q),
      maximum_(static_cast<size_t>(q.sequence * q.heads), -std::numeric_limits<double>::infinity()),
      sum_(maximum_.size(), 0),
      output_(q.values.size(), 0) {}

void BlockAttention::Add(const Heads& k, const Heads& v) {
  const double scale = 1 / std::sqrt(static_cast<double>(q_.head_dim));
  const int64_t dim = q_.head_dim;
  std::vector<double> scores(static_cast<size_t>(k.sequence));
  for (int64_t s = 0; s < q_.sequence; ++s) {
    for (int64_t h = 0; h < q_.heads; ++h) {
      const size_t row = static_cast<size_t>(s * q_.heads + h);
      double top = maximum_[row];
      for (int64_t t = 0; t < k.sequence; ++t) {
        double dot = 0;
        for (int64_t d = 0; d < dim; ++d) dot += double{q_.at(s, h)[d]} * k.at(t, h)[d];
        scores[static_cast<size_t>(t)] = dot * scale;
        top = std::max(top, dot * scale);
      }
      double* out = output_.data() + row * static_cast<size_t>(dim);
      const double shrink = std::exp(maximum_[row] - top);
      sum_[row] *= shrink;
      for (int64_t d = 0; d < dim; ++d) out[d] *= shrink;
      for (int64_t t = 0; t < k.sequence; ++t) {
        const double weight = std::exp(scores[static_cast<size_t>(t)] - top);
        sum_[row] += weight;
        for (int64_t d = 0; d < dim; ++d) out[d] += weight * v.at(t, h)[d];
      }
      maximum_[row] = top;
    }
  }
}

Heads BlockAttention::Result() const {
  Heads result(q_.sequence, q_.heads, q_.head_dim);
  for (size_t i = 0; i < output_.size(); ++i) {
    result.values[i] = static_cast<float>(output_[i] / sum_[i / static_cast<size_t>(q_.head_dim)]);
  }
  return result;
}

Heads FullAttention(const Qkv& qkv) {
  BlockAttention attention(qkv.q);
  attention.Add(qkv.k, qkv.v);
  return attention.Result();
}

}  // namespace muster::examples
