#include "common/layout/preset/xdit.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/error_kind.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "common/layout/layout_error.h"
#include "common/layout/preset/preset_sizes.h"
#include "common/layout/preset/rank_generator.h"
#include "common/layout/preset/regular_groups.h"
#include "common/layout/preset/sequence_cut.h"

namespace muster {
namespace {

struct Request {
  int64_t tp = 1;
  int64_t pp = 1;
  int64_t cfg = 1;
  int64_t dp = 1;
  SequenceCut cut;
  std::optional<int64_t> sp;
  int64_t shard = 1;
  int64_t vae = 0;
};

// All sizes, and the ranks of the transformer and of the VAE.
struct Plan {
  std::vector<RankGenerator::Dim> dims;
  RankRun dit;
  RankRun vae;
};

Request ReadRequest(PresetParams& params) {
  Request request;
  request.tp = params.Int("tensor_parallel_degree", 1);
  request.pp = params.Int("pipeline_parallel_degree", 1);
  request.cfg = params.Int("classifier_free_guidance_degree", 1);
  request.dp = params.Int("data_parallel_degree", 1);
  request.cut.ulysses = params.Int("ulysses_degree", 1);
  request.cut.ring = params.Int("ring_degree", 1);
  request.sp = params.Int("sequence_parallel_degree");
  request.shard = params.Int("fully_shard_degree", 1);
  request.vae = params.Int("vae_parallel_size", 0);
  return request;
}

absl::StatusOr<int64_t> SequenceSize(std::string_view label, const Request& request) {
  const std::vector<PresetSize> parts = {{"ulysses", request.cut.ulysses},
                                         {"ring", request.cut.ring}};
  MUSTER_ASSIGN_OR_RETURN(const int64_t size, SizesProduct(label, parts));
  if (request.sp.value_or(size) == size) return size;
  return LayoutError(
      ErrorKind::kSpSizeMismatch,
      absl::StrCat(ToAbsl(label), ": sp ", *request.sp, ", want ", SizesText(parts), " = ", size),
      "Leave the sequence parallel degree out, or correct it.");
}

absl::Status CheckFits(std::string_view label, const std::vector<PresetSize>& sizes,
                       int64_t product, RankRun ranks) {
  if (product <= ranks.count) return absl::OkStatus();
  return LayoutError(ErrorKind::kProductMismatch,
                     absl::StrCat(ToAbsl(label), ": ", SizesText(sizes), " = ", product,
                                  ", want at most ", ranks.count, " ranks"),
                     "Choose smaller degrees, or a larger world.");
}

absl::StatusOr<RankRun> VaeRanks(std::string_view label, int64_t vae, RankRun dit, RankRun ranks) {
  if (vae < 0) {
    MUSTER_RETURN_IF_ERROR(CheckSizes(label, {{"vae", vae}}));
  }
  if (vae <= ranks.count - dit.count) {
    return RankRun{.first = dit.first + dit.count, .count = static_cast<int32_t>(vae)};
  }
  return LayoutError(ErrorKind::kIndexOutOfLayout,
                     absl::StrCat(ToAbsl(label), ": dit ", dit.count, " + vae ", vae,
                                  " ranks, want ", "at most ", ranks.count),
                     "Choose a smaller VAE size, or a larger world.");
}

absl::StatusOr<Plan> MakePlan(std::string_view label, const Request& request, RankRun ranks) {
  MUSTER_ASSIGN_OR_RETURN(const int64_t sp, SequenceSize(label, request));
  const std::vector<PresetSize> sizes = {
      {"tp", request.tp}, {"sp", sp}, {"pp", request.pp}, {"cfg", request.cfg}, {"dp", request.dp}};
  MUSTER_ASSIGN_OR_RETURN(const int64_t product, SizesProduct(label, sizes));
  MUSTER_RETURN_IF_ERROR(CheckFits(label, sizes, product, ranks));
  MUSTER_RETURN_IF_ERROR(CheckSizes(label, sizes));
  MUSTER_RETURN_IF_ERROR(CheckSizes(
      label,
      {{"ulysses", request.cut.ulysses}, {"ring", request.cut.ring}, {"fs", request.shard}}));
  Plan plan;
  for (const PresetSize& size : sizes) plan.dims.push_back({std::string(size.name), size.value});
  plan.dit = {.first = ranks.first, .count = static_cast<int32_t>(product)};
  MUSTER_RETURN_IF_ERROR(
      CheckDivideRanks(ErrorKind::kNotDivisible, label, {{"fs", request.shard}}, plan.dit));
  MUSTER_ASSIGN_OR_RETURN(plan.vae, VaeRanks(label, request.vae, plan.dit, ranks));
  return plan;
}

}  // namespace

absl::StatusOr<std::vector<PresetKind>> ExpandXdit(PresetParams& params, RankRun ranks) {
  const Request request = ReadRequest(params);
  MUSTER_RETURN_IF_ERROR(params.Finish());
  MUSTER_ASSIGN_OR_RETURN(const Plan plan, MakePlan(PresetLabel(params), request, ranks));
  MUSTER_ASSIGN_OR_RETURN(const RankGenerator generator,
                          RankGenerator::Create(plan.dims, "tp-sp-pp-cfg-dp", ranks.first));
  std::vector<PresetKind> kinds;
  const auto add = [&generator, &kinds](std::string_view token) -> absl::Status {
    MUSTER_ASSIGN_OR_RETURN(StridedGroups groups, generator.Groups(token));
    kinds.push_back({.name = std::string(token), .shape = std::move(groups)});
    return absl::OkStatus();
  };
  MUSTER_RETURN_IF_ERROR(add("dp"));
  MUSTER_RETURN_IF_ERROR(add("cfg"));
  MUSTER_RETURN_IF_ERROR(add("pp"));
  const auto sp = static_cast<int32_t>(request.cut.ulysses * request.cut.ring);
  for (PresetKind& kind : CutSequence(Runs(plan.dit, sp), request.cut)) {
    kinds.push_back(std::move(kind));
  }
  MUSTER_RETURN_IF_ERROR(add("sp"));
  MUSTER_RETURN_IF_ERROR(add("tp"));
  kinds.push_back({.name = "fs", .shape = Runs(plan.dit, static_cast<int32_t>(request.shard))});
  if (plan.vae.count > 0) kinds.push_back({.name = "vae", .shape = Whole(plan.vae)});
  kinds.push_back({.name = "dit", .shape = Whole(plan.dit)});
  return kinds;
}

}  // namespace muster
