#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/random.h"
#include "common/layout/preset/megatron.h"
#include "gtest/gtest.h"
#include "tests/common/layout/preset/preset_expectations.h"
#include "tests/common/layout/preset/slow_megatron.h"

namespace muster {
namespace {

constexpr int32_t kWorldMax = 1024;

int32_t Draw(Random& random, std::initializer_list<int32_t> choices) {
  return *(choices.begin() + static_cast<std::ptrdiff_t>(random.Uniform(choices.size())));
}

// A number that divides `total`.
int32_t DrawDivisor(Random& random, int32_t total) {
  std::vector<int32_t> divisors;
  for (int32_t candidate = 1; candidate <= total; ++candidate) {
    if (total % candidate == 0) divisors.push_back(candidate);
  }
  return divisors[static_cast<size_t>(random.Uniform(divisors.size()))];
}

// Levels that multiply to `cp`.
std::vector<int32_t> DrawLevels(Random& random, int32_t cp) {
  std::vector<int32_t> levels;
  while (cp > 1) {
    levels.push_back(DrawDivisor(random, cp));
    cp /= levels.back();
  }
  return levels;
}

// With pp last, as any sizes allow, or anywhere with the experts laid out like the dense layers.
SlowMegatron DrawSizes(Random& random) {
  SlowMegatron sizes;
  sizes.tp = Draw(random, {1, 1, 2, 3, 4});
  sizes.pp = Draw(random, {1, 2, 3, 4});
  sizes.order = {"tp", "cp", "ep", "dp"};
  for (size_t i = sizes.order.size(); i > 1; --i) {
    std::swap(sizes.order[i - 1], sizes.order[static_cast<size_t>(random.Uniform(i))]);
  }
  const bool pp_last = random.Chance(70);
  if (!pp_last) {
    const auto place = static_cast<std::ptrdiff_t>(random.Uniform(sizes.order.size()));
    sizes.order.insert(sizes.order.begin() + place, "pp");
    sizes.expert_tp = sizes.tp;
    sizes.world = sizes.tp * sizes.pp * Draw(random, {1, 2, 3, 4, 6, 12});
  } else {
    sizes.order.push_back("pp");
    sizes.cp = Draw(random, {1, 1, 2, 4, 6});
    sizes.gtp_remat = random.Chance(25) ? Draw(random, {2, 3}) : 1;
    sizes.world =
        sizes.tp * sizes.pp * sizes.cp * sizes.gtp_remat * Draw(random, {1, 2, 3, 4, 5, 8});
    const int32_t stage = sizes.world / sizes.pp;
    sizes.expert_tp = random.Chance(50) ? sizes.tp : DrawDivisor(random, stage);
    sizes.ep = DrawDivisor(random, stage / sizes.expert_tp);
    if (random.Chance(20)) {
      sizes.expert_gtp_remat = DrawDivisor(random, stage / sizes.expert_tp / sizes.ep);
    }
  }
  const int32_t dp_cp = sizes.world / (sizes.tp * sizes.pp * sizes.gtp_remat);
  const int32_t expert_dp =
      sizes.world / (sizes.expert_tp * sizes.ep * sizes.pp * sizes.expert_gtp_remat);
  const int32_t instances = DrawDivisor(random, expert_dp);
  const bool gtp = sizes.gtp_remat > 1 || sizes.expert_gtp_remat > 1;
  if (!gtp && random.Chance(40) && dp_cp % instances == 0) sizes.instances = instances;
  if (random.Chance(40)) sizes.levels = DrawLevels(random, sizes.cp);
  sizes.hybrid = dp_cp % 2 == 0 && random.Chance(40);
  sizes.twins = random.Chance(20);
  return sizes;
}

std::vector<PresetParam> ParamsOf(const SlowMegatron& sizes) {
  const auto size = [](const char* name, int32_t value) {
    return PresetParam{name, int64_t{value}};
  };
  std::vector<PresetParam> params = {
      size("tensor_model_parallel_size", sizes.tp),
      size("pipeline_model_parallel_size", sizes.pp),
      size("context_parallel_size", sizes.cp),
      size("expert_model_parallel_size", sizes.ep),
      size("expert_tensor_parallel_size", sizes.expert_tp),
      size("gtp_remat_size", sizes.gtp_remat),
      size("expert_gtp_remat_size", sizes.expert_gtp_remat),
      size("num_distributed_optimizer_instances", sizes.instances),
      {"hybrid_context_parallel", sizes.hybrid},
      {"create_all_gather_group", sizes.twins},
      {"order", std::string(absl::StrJoin(sizes.order, "-"))},
  };
  if (!sizes.levels.empty()) {
    params.push_back({"hierarchical_context_parallel_sizes",
                      absl::StrCat("[", absl::StrJoin(sizes.levels, ", "), "]")});
  }
  return params;
}

TEST(MegatronPropertyTest, EveryKindAgreesWithCounting) {
  Random random(2718);
  int checked = 0;
  for (int i = 0; i < 600; ++i) {
    const SlowMegatron sizes = DrawSizes(random);
    if (sizes.world > kWorldMax) continue;
    SCOPED_TRACE(absl::StrCat("draw ", i, ": world ", sizes.world, ", order ",
                              absl::StrJoin(sizes.order, "-")));
    const auto kinds =
        Expanded(ExpandMegatron, {.first = 0, .count = sizes.world}, ParamsOf(sizes));
    ASSERT_TRUE(kinds.ok()) << kinds.status();
    const SlowLayout wanted = SlowLayoutOf(sizes);
    ASSERT_EQ(kinds->size(), wanted.size());
    for (const PresetKind& kind : *kinds) {
      ASSERT_TRUE(wanted.contains(kind.name)) << kind.name;
      ASSERT_EQ(GroupsOf(kind.shape), wanted.at(kind.name)) << kind.name;
    }
    ++checked;
  }
  EXPECT_GT(checked, 500);
}

}  // namespace
}  // namespace muster
