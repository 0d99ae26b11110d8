#include "tests/common/layout/preset/random_preset.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/layout/preset/fastvideo.h"
#include "common/layout/preset/vllm.h"
#include "common/layout/preset/vllm_omni.h"
#include "common/layout/preset/xdit.h"
#include "common/layout/preset/yunchang.h"

namespace muster {
namespace {

int32_t Between(Random& random, int32_t low, int32_t high) {
  return static_cast<int32_t>(random.Between(low, high));
}

// A size that fits into `room`, which is what the other sizes may multiply to.
int32_t TakeSize(Random& random, int32_t& room) {
  const int32_t size = random.Chance(40) ? 1 : Between(random, 1, std::min(room, 6));
  room /= size;
  return size;
}

int32_t DrawDivisor(Random& random, int32_t number) {
  std::vector<int32_t> divisors;
  for (int32_t d = 1; d <= number; ++d) {
    if (number % d == 0) divisors.push_back(d);
  }
  return divisors[random.Uniform(divisors.size())];
}

// Adds `value`, half of the time where leaving it out says the same.
template <typename Value>
void Give(Random& random, std::string name, Value value, Value fallback, PresetSpec& spec) {
  if (value == fallback && random.Chance(50)) return;
  if constexpr (std::is_same_v<Value, bool>) {
    spec.params.push_back({std::move(name), value});
  } else {
    spec.params.push_back({std::move(name), int64_t{value}});
  }
}

RankRun DrawRanks(Random& random, int32_t world) {
  return {.first = random.Chance(50) ? 0 : Between(random, 1, 100), .count = world};
}

std::string Text(const SlowGroups& groups) {
  const auto list = [](std::string* out, const std::vector<GlobalRank>& ranks) {
    absl::StrAppend(
        out, "[",
        absl::StrJoin(ranks, ", ",
                      [](std::string* to, GlobalRank rank) { absl::StrAppend(to, rank.value); }),
        "]");
  };
  return absl::StrCat("[", absl::StrJoin(groups, ", ", list), "]");
}

// Groups of `size` over `world` ranks: those of a grid whose sp is not the fastest, or any at all.
SlowGroups DrawSequenceGroups(Random& random, int32_t world, int32_t size) {
  if (random.Chance(60)) {
    const int32_t fast = DrawDivisor(random, world / size);
    return SlowGrid({{"slow", world / size / fast}, {"sp", size}, {"fast", fast}})
        .GroupsOver({"sp"});
  }
  std::vector<GlobalRank> ranks;
  for (int32_t rank = 0; rank < world; ++rank) ranks.emplace_back(rank);
  for (size_t i = ranks.size(); i > 1; --i) std::swap(ranks[i - 1], ranks[random.Uniform(i)]);
  SlowGroups groups;
  for (auto at = ranks.begin(); at != ranks.end(); at += size) groups.emplace_back(at, at + size);
  return groups;
}

// What the two entry points that only cut sequence parallel groups have in common.
DrawnPreset DrawCut(Random& random, int32_t world_max) {
  DrawnPreset drawn;
  int32_t room = world_max;
  const int32_t ulysses = TakeSize(random, room);
  const int32_t ring = TakeSize(random, room);
  const bool low = random.Chance(50);
  const int32_t world = ulysses * ring * Between(random, 1, room);
  Give(random, "ulysses_degree", ulysses, 1, drawn.spec);
  Give(random, "ring_degree", ring, 1, drawn.spec);
  Give(random, "use_ulysses_low", low, true, drawn.spec);
  drawn.ranks = DrawRanks(random, world);
  drawn.sp = SlowRuns(0, world, ulysses * ring);
  if (random.Chance(60)) {
    drawn.sp = DrawSequenceGroups(random, world, ulysses * ring);
    drawn.spec.params.push_back({"sp_group_ranks", Text(drawn.sp)});
  }
  drawn.wanted = SlowSequence(drawn.sp, ulysses, ring, low);
  return drawn;
}

}  // namespace

DrawnPreset DrawFastVideo(Random& random, int32_t world_max) {
  DrawnPreset drawn = {.expand = ExpandFastVideo, .spec = {.name = "fastvideo"}};
  SlowFastVideo sizes = {.world = Between(random, 1, world_max)};
  sizes.node = DrawDivisor(random, sizes.world);
  sizes.tp = DrawDivisor(random, sizes.world);
  sizes.sp = DrawDivisor(random, sizes.world);
  drawn.spec.params.push_back({"node_size", int64_t{sizes.node}});
  Give(random, "tensor_parallel_size", sizes.tp, 1, drawn.spec);
  Give(random, "sequence_parallel_size", sizes.sp, 1, drawn.spec);
  drawn.wanted = SlowLayoutOf(sizes);
  const int32_t extra = DrawDivisor(random, sizes.world);
  if (random.Chance(50)) {
    drawn.spec.params.push_back({"extra_tensor_parallel_groups", absl::StrCat("t5=", extra)});
    drawn.wanted["tp_t5"] = SlowRuns(0, sizes.world, extra);
  }
  drawn.ranks = DrawRanks(random, sizes.world);
  return drawn;
}

DrawnPreset DrawVllmOmni(Random& random, int32_t world_max) {
  DrawnPreset drawn = {.expand = ExpandVllmOmni, .spec = {.name = "vllm-omni"}};
  SlowOmni sizes = {.experts = random.Chance(40)};
  const bool hsdp = random.Chance(30);
  int32_t room = world_max;
  if (!hsdp || random.Chance(60)) {
    sizes.tp = TakeSize(random, room);
    sizes.pp = TakeSize(random, room);
    sizes.cfg = TakeSize(random, room);
    if (random.Chance(20)) {
      sizes.allgather = TakeSize(random, room);
    } else {
      sizes.ulysses = TakeSize(random, room);
      sizes.ring = TakeSize(random, room);
    }
  }
  const int32_t sp = sizes.ulysses * sizes.ring * sizes.allgather;
  const int32_t others = sizes.tp * sizes.pp * sizes.cfg * sp;
  if (!hsdp || others == 1) sizes.dp = Between(random, 1, room);
  const int32_t world = others * sizes.dp;
  Give(random, "tensor_parallel_size", sizes.tp, 1, drawn.spec);
  Give(random, "pipeline_parallel_size", sizes.pp, 1, drawn.spec);
  Give(random, "cfg_parallel_size", sizes.cfg, 1, drawn.spec);
  Give(random, "ulysses_degree", sizes.ulysses, 1, drawn.spec);
  Give(random, "ring_degree", sizes.ring, 1, drawn.spec);
  Give(random, "allgather_degree", sizes.allgather, 1, drawn.spec);
  Give(random, "sequence_parallel_size", sp, sp, drawn.spec);
  Give(random, "enable_expert_parallel", sizes.experts, false, drawn.spec);
  if (hsdp) {
    sizes.shard = DrawDivisor(random, world);
    drawn.spec.params.push_back({"use_hsdp", true});
    drawn.spec.params.push_back({"fully_shard_degree", int64_t{sizes.shard}});
  } else {
    Give(random, "data_parallel_size", sizes.dp, sizes.dp, drawn.spec);
  }
  drawn.ranks = DrawRanks(random, world);
  drawn.wanted = SlowLayoutOf(sizes);
  if (sizes.allgather == 1) drawn.sp = drawn.wanted["sp"];
  return drawn;
}

DrawnPreset DrawVllmOmniSequence(Random& random, int32_t world_max) {
  DrawnPreset drawn;
  if (random.Chance(80)) {
    drawn = DrawCut(random, world_max);
    drawn.wanted["allgather"] = SlowRuns(0, drawn.ranks.count, 1);
  } else {
    const int32_t size = Between(random, 2, 8);
    const int32_t world = size * Between(random, 1, world_max / size);
    const SlowGroups groups = DrawSequenceGroups(random, world, size);
    const SlowGroups alone = SlowRuns(0, world, 1);
    drawn.spec.params = {{"allgather_degree", int64_t{size}}, {"sp_group_ranks", Text(groups)}};
    drawn.ranks = DrawRanks(random, world);
    drawn.wanted = {{"allgather", groups}, {"ulysses", alone}, {"ring", alone}};
  }
  drawn.expand = ExpandVllmOmniSequence;
  drawn.spec.name = "vllm-omni";
  return drawn;
}

DrawnPreset DrawYunchang(Random& random, int32_t world_max) {
  DrawnPreset drawn = DrawCut(random, world_max);
  drawn.expand = ExpandYunchang;
  drawn.spec.name = "yunchang";
  return drawn;
}

DrawnPreset DrawXdit(Random& random, int32_t world_max) {
  DrawnPreset drawn = {.expand = ExpandXdit, .spec = {.name = "xdit"}};
  int32_t room = world_max;
  SlowXdit sizes;
  sizes.tp = TakeSize(random, room);
  sizes.pp = TakeSize(random, room);
  sizes.cfg = TakeSize(random, room);
  sizes.ulysses = TakeSize(random, room);
  sizes.ring = TakeSize(random, room);
  sizes.dp = Between(random, 1, room);
  const int32_t sp = sizes.ulysses * sizes.ring;
  const int32_t dit = sizes.tp * sizes.pp * sizes.cfg * sp * sizes.dp;
  sizes.shard = DrawDivisor(random, dit);
  if (random.Chance(50)) sizes.vae = Between(random, 0, world_max - dit);
  const int32_t world = Between(random, dit + sizes.vae, world_max);
  Give(random, "tensor_parallel_degree", sizes.tp, 1, drawn.spec);
  Give(random, "pipeline_parallel_degree", sizes.pp, 1, drawn.spec);
  Give(random, "classifier_free_guidance_degree", sizes.cfg, 1, drawn.spec);
  Give(random, "data_parallel_degree", sizes.dp, 1, drawn.spec);
  Give(random, "ulysses_degree", sizes.ulysses, 1, drawn.spec);
  Give(random, "ring_degree", sizes.ring, 1, drawn.spec);
  Give(random, "sequence_parallel_degree", sp, sp, drawn.spec);
  Give(random, "fully_shard_degree", sizes.shard, 1, drawn.spec);
  Give(random, "vae_parallel_size", sizes.vae, 0, drawn.spec);
  drawn.ranks = DrawRanks(random, world);
  drawn.wanted = SlowLayoutOf(sizes);
  drawn.sp = SlowRuns(0, dit, sp);
  return drawn;
}

DrawnPreset DrawVllm(Random& random, int32_t world_max) {
  DrawnPreset drawn = {.expand = ExpandVllm, .spec = {.name = "vllm"}};
  int32_t room = world_max;
  SlowVllm sizes;
  sizes.tp = TakeSize(random, room);
  sizes.pcp = TakeSize(random, room);
  sizes.pp = TakeSize(random, room);
  sizes.dp = TakeSize(random, room);
  sizes.replicas = Between(random, 1, room);
  sizes.dcp = DrawDivisor(random, sizes.tp * sizes.pcp);
  sizes.dcp_spans_pcp = random.Chance(70);
  sizes.experts = random.Chance(70);
  Give(random, "tensor_parallel_size", sizes.tp, 1, drawn.spec);
  Give(random, "prefill_context_parallel_size", sizes.pcp, 1, drawn.spec);
  Give(random, "decode_context_parallel_size", sizes.dcp, 1, drawn.spec);
  Give(random, "pipeline_parallel_size", sizes.pp, 1, drawn.spec);
  Give(random, "data_parallel_size", sizes.dp, 1, drawn.spec);
  Give(random, "is_moe", sizes.experts, true, drawn.spec);
  Give(random, "dcp_spans_pcp", sizes.dcp_spans_pcp, true, drawn.spec);
  drawn.ranks = DrawRanks(random, sizes.tp * sizes.pcp * sizes.pp * sizes.dp * sizes.replicas);
  drawn.wanted = SlowLayoutOf(sizes);
  return drawn;
}

DrawnPreset DrawPreset(Random& random, int32_t world_max) {
  constexpr DrawnPreset (*kDraws[])(Random&, int32_t) = {
      DrawFastVideo, DrawVllmOmni, DrawVllmOmniSequence, DrawYunchang, DrawXdit, DrawVllm};
  return kDraws[random.Uniform(std::size(kDraws))](random, world_max);
}

}  // namespace muster
