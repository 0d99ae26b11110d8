#include "examples/ulysses_attention/parallel_attention.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "examples/ulysses_attention/attention.h"
#include "examples/ulysses_attention/tensor.h"

namespace muster::examples {
namespace {

// One dimension of the mesh as this rank sees it; without the dimension, a group of this rank
// alone.
struct Axis {
  std::shared_ptr<GroupHandle> group;
  int32_t size = 1;
  int32_t rank = 0;
};

Axis FindAxis(Context& context, const std::string& dim) {
  for (const std::shared_ptr<GroupHandle>& group : context.Groups()) {
    if (!absl::StrContains(group->name(), absl::StrCat(".", dim, "#"))) continue;
    return Axis{group, group->size(), group->rank().value};
  }
  return Axis{};
}

// Sends `out` to `to` while receiving `in` from `from`.
absl::Status Exchange(const Axis& axis, const std::vector<float>& out, int32_t to,
                      std::vector<float>& in, int32_t from) {
  std::unique_ptr<Work> send = axis.group->Send(BufferOf(out), GroupRank(to));
  std::unique_ptr<Work> recv = axis.group->Recv(BufferOf(in), GroupRank(from));
  const absl::Status sent = send->Wait();
  const absl::Status received = recv->Wait();
  return sent.ok() ? received : sent;
}

// chunks[i] goes to rank i; the chunk of rank i comes back in its place. All of one size.
absl::Status AllToAll(const Axis& axis, std::vector<std::vector<float>>& chunks, bool skip) {
  for (int32_t step = 1; step < axis.size; ++step) {
    const int32_t to = (axis.rank + step) % axis.size;
    const int32_t from = (axis.rank - step + axis.size) % axis.size;
    std::vector<float> in(chunks[0].size());
    MUSTER_RETURN_IF_ERROR(Exchange(axis, chunks[static_cast<size_t>(to)], to, in, from));
    // What is still to be sent must not be overwritten before its turn.
    chunks.push_back(std::move(in));
  }
  for (int32_t step = 1; step < axis.size; ++step) {
    const int32_t from = (axis.rank - step + axis.size) % axis.size;
    const size_t at = static_cast<size_t>(axis.size + step - 1);
    if (!skip) chunks[static_cast<size_t>(from)] = std::move(chunks[at]);
  }
  chunks.resize(static_cast<size_t>(axis.size));
  return absl::OkStatus();
}

// (sequence / U, heads) on each rank becomes (sequence, heads / U).
absl::StatusOr<Heads> GatherSequence(const Axis& axis, const Heads& local, bool skip) {
  const int64_t heads = local.heads / axis.size;
  std::vector<std::vector<float>> chunks;
  for (int32_t r = 0; r < axis.size; ++r) {
    chunks.push_back(Slice(local, 0, local.sequence, r * heads, heads).values);
  }
  MUSTER_RETURN_IF_ERROR(AllToAll(axis, chunks, skip));
  Heads out(local.sequence * axis.size, heads, local.head_dim);
  out.values.clear();
  for (const std::vector<float>& chunk : chunks) {
    out.values.insert(out.values.end(), chunk.begin(), chunk.end());
  }
  return out;
}

// The way back: (sequence, heads / U) becomes (sequence / U, heads).
absl::StatusOr<Heads> GatherHeads(const Axis& axis, const Heads& local, bool skip) {
  const int64_t sequence = local.sequence / axis.size;
  std::vector<std::vector<float>> chunks;
  for (int32_t r = 0; r < axis.size; ++r) {
    chunks.push_back(Slice(local, r * sequence, sequence, 0, local.heads).values);
  }
  MUSTER_RETURN_IF_ERROR(AllToAll(axis, chunks, skip));
  Heads out(sequence, local.heads * axis.size, local.head_dim);
  for (int32_t r = 0; r < axis.size; ++r) {
    for (int64_t s = 0; s < sequence; ++s) {
      const float* from = chunks[static_cast<size_t>(r)].data() + s * local.heads * local.head_dim;
      std::copy_n(from, local.heads * local.head_dim, out.at(s, r * local.heads));
    }
  }
  return out;
}

// Attention over keys and values that travel once around the ring.
absl::StatusOr<Heads> RingAttention(const Axis& ring, const Heads& q, Heads k, Heads v) {
  BlockAttention attention(q);
  for (int32_t step = 0; step < ring.size; ++step) {
    attention.Add(k, v);
    if (step + 1 == ring.size) break;
    const int32_t next = (ring.rank + 1) % ring.size;
    const int32_t previous = (ring.rank - 1 + ring.size) % ring.size;
    for (Heads* part : {&k, &v}) {
      std::vector<float> in(part->values.size());
      MUSTER_RETURN_IF_ERROR(Exchange(ring, part->values, next, in, previous));
      part->values = std::move(in);
    }
  }
  return attention.Result();
}

absl::Status CheckSizes(const Heads& q, const AttentionCheck& sizes) {
  const int64_t sequence = int64_t{sizes.ring} * sizes.ulysses;
  const int64_t heads = int64_t{sizes.tensor} * sizes.ulysses;
  if (q.sequence % sequence != 0) {
    return absl::InvalidArgumentError(absl::StrCat("sequence ", q.sequence,
                                                   " does not divide by ring ", sizes.ring,
                                                   " x ulysses ", sizes.ulysses, " = ", sequence));
  }
  if (q.heads % heads == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("heads ", q.heads, " do not divide by tp ",
                                                 sizes.tensor, " x ulysses ", sizes.ulysses, " = ",
                                                 heads));
}

}  // namespace

absl::StatusOr<AttentionCheck> CheckAttention(Context& context, const AttentionOptions& options) {
  const Axis cfg = FindAxis(context, "cfg");
  const Axis tp = FindAxis(context, "tp");
  const Axis ring = FindAxis(context, "ring");
  Axis ulysses = FindAxis(context, "ulysses");
  if (ulysses.group == nullptr && ring.group == nullptr) ulysses = FindAxis(context, "sp");

  AttentionCheck check{0, cfg.rank, ulysses.size, ring.size, tp.size};
  Qkv all = SeededQkv(options.seed, cfg.rank, options.sequence, options.heads, options.head_dim);
  if (!options.folder.empty()) {
    MUSTER_ASSIGN_OR_RETURN(all, LoadQkv(options.folder, cfg.rank));
  }
  MUSTER_RETURN_IF_ERROR(CheckSizes(all.q, check));
  const int64_t rows = all.q.sequence / (int64_t{ring.size} * ulysses.size);
  const int64_t first_row = rows * (int64_t{ring.rank} * ulysses.size + ulysses.rank);
  const int64_t heads = all.q.heads / tp.size;
  const int64_t first_head = heads * tp.rank;

  Heads parts[3];
  const Heads* wholes[3] = {&all.q, &all.k, &all.v};
  for (size_t i = 0; i < 3; ++i) {
    const Heads local = Slice(*wholes[i], first_row, rows, first_head, heads);
    MUSTER_ASSIGN_OR_RETURN(parts[i], GatherSequence(ulysses, local, options.skip_exchange));
  }
  MUSTER_ASSIGN_OR_RETURN(const Heads wide,
                          RingAttention(ring, parts[0], std::move(parts[1]), std::move(parts[2])));
  MUSTER_ASSIGN_OR_RETURN(const Heads result, GatherHeads(ulysses, wide, options.skip_exchange));
  check.difference =
      MaxDifference(result, Slice(FullAttention(all), first_row, rows, first_head, heads));
  return check;
}

}  // namespace muster::examples
