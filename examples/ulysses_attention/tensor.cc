#include "examples/ulysses_attention/tensor.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"

namespace muster::examples {
namespace {

absl::Status Wrong(const std::string& path, const std::string& found) {
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": ", found, ", want an .npy file of float32 ('<f4') in C order with 4 dimensions"));
}

// The four sizes in "'shape': (2, 64, 8, 16)".
bool ReadShape(const std::string& header, int64_t shape[4]) {
  const size_t at = header.find("'shape'");
  if (at == std::string::npos) return false;
  const size_t open = header.find('(', at);
  if (open == std::string::npos) return false;
  long long sizes[4];
  if (std::sscanf(header.c_str() + open, "(%lld, %lld, %lld, %lld)", &sizes[0], &sizes[1],
                  &sizes[2], &sizes[3]) != 4) {
    return false;
  }
  std::copy(sizes, sizes + 4, shape);
  return std::all_of(shape, shape + 4, [](int64_t n) { return n >= 1 && n <= (1 << 24); });
}

absl::StatusOr<Heads> LoadNpy(const std::string& path, int64_t batch) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (bytes.size() < 10 || bytes.compare(0, 6, "\x93NUMPY") != 0 || bytes[6] != 1) {
    return Wrong(path, "no .npy file of version 1");
  }
  const size_t length =
      static_cast<uint8_t>(bytes[8]) + size_t{256} * static_cast<uint8_t>(bytes[9]);
  if (bytes.size() < 10 + length) return Wrong(path, "a header that is cut short");
  const std::string header = bytes.substr(10, length);
  int64_t shape[4];
  const bool type = header.find("'<f4'") != std::string::npos;
  const bool order = header.find("'fortran_order': False") != std::string::npos;
  if (!type || !order || !ReadShape(header, shape))
    return Wrong(path, absl::StrCat("header ", header));
  if (batch >= shape[0]) return Wrong(path, absl::StrCat("only ", shape[0], " batch entries"));
  Heads heads(shape[1], shape[2], shape[3]);
  const size_t size = heads.values.size() * sizeof(float);
  const size_t begin = 10 + length + static_cast<size_t>(batch) * size;
  if (bytes.size() < begin + size) return Wrong(path, "fewer values than the shape says");
  std::memcpy(heads.values.data(), bytes.data() + begin, size);
  return heads;
}

}  // namespace

Heads Slice(const Heads& from, int64_t s0, int64_t sequence, int64_t h0, int64_t heads) {
  Heads out(sequence, heads, from.head_dim);
  for (int64_t s = 0; s < sequence; ++s) {
    std::copy_n(from.at(s0 + s, h0), heads * from.head_dim, out.at(s, 0));
  }
  return out;
}

Qkv SeededQkv(uint64_t seed, int64_t batch, int64_t sequence, int64_t heads, int64_t head_dim) {
  Random random(seed + static_cast<uint64_t>(batch) * 1000003);
  Qkv qkv{Heads(sequence, heads, head_dim), Heads(sequence, heads, head_dim),
          Heads(sequence, heads, head_dim)};
  for (Heads* part : {&qkv.q, &qkv.k, &qkv.v}) {
    for (float& value : part->values) {
      value = static_cast<float>(random.Uniform(1 << 24)) / static_cast<float>(1 << 23) - 1.0f;
    }
  }
  return qkv;
}

absl::StatusOr<Qkv> LoadQkv(const std::string& folder, int64_t batch) {
  Qkv qkv;
  MUSTER_ASSIGN_OR_RETURN(qkv.q, LoadNpy(absl::StrCat(folder, "/q.npy"), batch));
  MUSTER_ASSIGN_OR_RETURN(qkv.k, LoadNpy(absl::StrCat(folder, "/k.npy"), batch));
  MUSTER_ASSIGN_OR_RETURN(qkv.v, LoadNpy(absl::StrCat(folder, "/v.npy"), batch));
  for (const Heads* part : {&qkv.k, &qkv.v}) {
    const bool same = part->sequence == qkv.q.sequence && part->heads == qkv.q.heads &&
                      part->head_dim == qkv.q.head_dim;
    if (!same)
      return absl::InvalidArgumentError(absl::StrCat(folder, ": q, k and v differ in shape"));
  }
  return qkv;
}

double MaxDifference(const Heads& a, const Heads& b) {
  double most = 0;
  for (size_t i = 0; i < a.values.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a.values[i]) - b.values[i]);
    if (!(difference <= most)) most = difference;  // Keeps what is not a number, too.
  }
  return most;
}

}  // namespace muster::examples
