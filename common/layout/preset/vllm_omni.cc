#include "common/layout/preset/vllm_omni.h"

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

// How sequence parallel groups are used: cut into Ulysses and ring groups, or as they are.
struct SequenceMode {
  SequenceCut cut;
  int64_t allgather = 1;

  bool gathers() const { return allgather > 1; }
};

// What the caller asked for, with sizes that follow from others not filled in.
struct Request {
  int64_t tp = 1;
  int64_t pp = 1;
  int64_t cfg = 1;
  SequenceMode mode;
  std::optional<int64_t> sp;
  std::optional<int64_t> dp;
  bool hsdp = false;
  int64_t shard = 1;
  bool expert_parallel = false;
  bool is_moe = true;
};

// All sizes, known to fit the ranks.
struct Plan {
  std::vector<RankGenerator::Dim> dims;
  int64_t non_dp = 1;
};

SequenceMode ReadMode(PresetParams& params) {
  SequenceMode mode;
  mode.cut.ulysses = params.Int("ulysses_degree", 1);
  mode.cut.ring = params.Int("ring_degree", 1);
  mode.allgather = params.Int("allgather_degree", 1);
  return mode;
}

Request ReadRequest(PresetParams& params) {
  Request request;
  request.tp = params.Int("tensor_parallel_size", 1);
  request.pp = params.Int("pipeline_parallel_size", 1);
  request.cfg = params.Int("cfg_parallel_size", 1);
  request.mode = ReadMode(params);
  request.sp = params.Int("sequence_parallel_size");
  request.dp = params.Int("data_parallel_size");
  request.hsdp = params.Flag("use_hsdp", false);
  request.shard = params.Int("fully_shard_degree", 1);
  request.expert_parallel = params.Flag("enable_expert_parallel", false);
  request.is_moe = params.Flag("is_moe", true);
  return request;
}

std::vector<PresetSize> CutSizes(const SequenceCut& cut) {
  return {{.name = "ulysses", .value = cut.ulysses}, {.name = "ring", .value = cut.ring}};
}

absl::Status CheckMode(std::string_view label, const SequenceMode& mode) {
  if (!mode.gathers() || (mode.cut.ulysses == 1 && mode.cut.ring == 1)) return absl::OkStatus();
  return LayoutError(ErrorKind::kSpModeConflict,
                     absl::StrCat(ToAbsl(label), ": allgather ", mode.allgather, " with ",
                                  SizesText(CutSizes(mode.cut)), ", want ulysses 1 and ring 1"),
                     "Use either all-gather or Ulysses and ring.");
}

// The size of sequence parallel groups that follows from how they are used.
absl::StatusOr<int64_t> SequenceSize(std::string_view label, const Request& request) {
  MUSTER_RETURN_IF_ERROR(CheckMode(label, request.mode));
  const std::vector<PresetSize> parts =
      request.mode.gathers() ? std::vector<PresetSize>{{"allgather", request.mode.allgather}}
                             : CutSizes(request.mode.cut);
  MUSTER_ASSIGN_OR_RETURN(const int64_t size, SizesProduct(label, parts));
  if (request.sp.value_or(size) == size) return size;
  return LayoutError(
      ErrorKind::kSpSizeMismatch,
      absl::StrCat(ToAbsl(label), ": sp ", *request.sp, ", want ", SizesText(parts), " = ", size),
      "Leave the sequence parallel size out, or correct it.");
}

absl::Status CheckHsdp(std::string_view label, const Request& request, const std::string& sizes,
                       int64_t non_dp, RankRun ranks) {
  if (request.dp.value_or(1) != 1) {
    return LayoutError(ErrorKind::kHsdpDpNotOne,
                       absl::StrCat(ToAbsl(label), ": HSDP with dp ", *request.dp, ", want dp 1"),
                       "Leave the data parallel size out.");
  }
  if (non_dp != 1 && non_dp != ranks.count) {
    return LayoutError(ErrorKind::kHsdpNonDpSize,
                       absl::StrCat(ToAbsl(label), ": HSDP with ", sizes, " = ", non_dp,
                                    ", want 1 or all ", ranks.count, " ranks"),
                       "Choose sizes that multiply to 1 or to the world size.");
  }
  if (request.shard <= 0) {
    return LayoutError(ErrorKind::kHsdpShardNonpositive,
                       absl::StrCat(ToAbsl(label), ": HSDP with fs ", request.shard, ", want >= 1"),
                       "Choose a fully shard degree of 1 or more.");
  }
  return CheckDivideRanks(ErrorKind::kHsdpShardNotDivisor, label,
                          {{.name = "fs", .value = request.shard}}, ranks);
}

absl::StatusOr<int64_t> DataSize(std::string_view label, const Request& request,
                                 const std::string& sizes, int64_t non_dp, RankRun ranks) {
  if (request.hsdp) {
    MUSTER_RETURN_IF_ERROR(CheckHsdp(label, request, sizes, non_dp, ranks));
    return 1;
  }
  const int64_t left = ranks.count / non_dp;
  if (request.dp.value_or(left) == left) return left;
  return LayoutError(ErrorKind::kDpMismatch,
                     absl::StrCat(ToAbsl(label), ": dp ", *request.dp, ", want ", ranks.count,
                                  " ranks / (", sizes, ") = ", left),
                     "Leave the data parallel size out, or correct it.");
}

absl::StatusOr<Plan> MakePlan(std::string_view label, const Request& request, RankRun ranks) {
  MUSTER_ASSIGN_OR_RETURN(const int64_t sp, SequenceSize(label, request));
  const std::vector<PresetSize> sizes = {
      {"cfg", request.cfg}, {"sp", sp}, {"pp", request.pp}, {"tp", request.tp}};
  MUSTER_RETURN_IF_ERROR(CheckNoZero(label, sizes));
  MUSTER_RETURN_IF_ERROR(CheckDivideRanks(ErrorKind::kNotDivisible, label, sizes, ranks));
  MUSTER_ASSIGN_OR_RETURN(const int64_t non_dp, SizesProduct(label, sizes));
  MUSTER_ASSIGN_OR_RETURN(const int64_t dp,
                          DataSize(label, request, SizesText(sizes), non_dp, ranks));
  if (request.expert_parallel && !request.is_moe) {
    return LayoutError(ErrorKind::kEpRequiresMoe,
                       absl::StrCat(ToAbsl(label),
                                    ": expert parallel for a model without experts, want one "
                                    "that is a mixture of experts"),
                       "Turn expert parallel off.");
  }
  MUSTER_RETURN_IF_ERROR(CheckSizes(label, sizes));
  MUSTER_RETURN_IF_ERROR(CheckSizes(label, CutSizes(request.mode.cut)));
  return Plan{.dims = {{"tp", request.tp},
                       {"sp", sp},
                       {"pp", request.pp},
                       {"cfg", request.cfg},
                       {"dp", dp}},
              .non_dp = non_dp};
}

// The groups of one token. With HSDP and nothing else parallel, which leaves the generator a single
// rank, each rank is alone.
class Generated {
 public:
  static absl::StatusOr<Generated> Create(const Plan& plan, bool hsdp, RankRun ranks) {
    MUSTER_ASSIGN_OR_RETURN(RankGenerator generator,
                            RankGenerator::Create(plan.dims, "tp-sp-pp-cfg-dp", ranks.first));
    return Generated(std::move(generator), hsdp && plan.non_dp == 1, ranks);
  }

  absl::StatusOr<StridedGroups> Groups(std::string_view token) const {
    if (alone_) return Singletons(ranks_);
    return generator_.Groups(token);
  }

 private:
  Generated(RankGenerator generator, bool alone, RankRun ranks)
      : generator_(std::move(generator)), alone_(alone), ranks_(ranks) {}

  RankGenerator generator_;
  bool alone_;
  RankRun ranks_;
};

// The kinds ulysses, ring and allgather where allgather groups are `groups`.
std::vector<PresetKind> GatherKinds(GroupShape groups, RankRun ranks) {
  std::vector<PresetKind> kinds;
  kinds.push_back({.name = "ulysses", .shape = Singletons(ranks)});
  kinds.push_back({.name = "ring", .shape = Singletons(ranks)});
  kinds.push_back({.name = "allgather", .shape = std::move(groups)});
  return kinds;
}

// The same where `kinds` are ulysses and ring.
std::vector<PresetKind> CutKinds(std::vector<PresetKind> kinds, RankRun ranks) {
  kinds.push_back({.name = "allgather", .shape = Singletons(ranks)});
  return kinds;
}

void AddHsdp(int64_t shard, RankRun ranks, std::vector<PresetKind>& kinds) {
  const auto size = static_cast<int32_t>(shard);
  kinds.push_back({.name = "fs", .shape = Runs(ranks, size)});
  if (ranks.count > size) {
    kinds.push_back({.name = "hsdp_replicate", .shape = Columns(ranks, size)});
  }
}

}  // namespace

absl::StatusOr<std::vector<PresetKind>> ExpandVllmOmni(PresetParams& params, RankRun ranks) {
  const Request request = ReadRequest(params);
  MUSTER_RETURN_IF_ERROR(params.Finish());
  MUSTER_ASSIGN_OR_RETURN(const Plan plan, MakePlan(PresetLabel(params), request, ranks));
  MUSTER_ASSIGN_OR_RETURN(const Generated generated, Generated::Create(plan, request.hsdp, ranks));
  std::vector<PresetKind> kinds;
  const auto add = [&generated, &kinds](std::string name, std::string_view token) -> absl::Status {
    MUSTER_ASSIGN_OR_RETURN(StridedGroups groups, generated.Groups(token));
    kinds.push_back({.name = std::move(name), .shape = std::move(groups)});
    return absl::OkStatus();
  };
  MUSTER_RETURN_IF_ERROR(add("dp", "dp"));
  MUSTER_RETURN_IF_ERROR(add("cfg", "cfg"));
  MUSTER_RETURN_IF_ERROR(add("pp", "pp"));
  MUSTER_ASSIGN_OR_RETURN(const StridedGroups sp, generated.Groups("sp"));
  for (PresetKind& kind : request.mode.gathers()
                              ? GatherKinds(sp, ranks)
                              : CutKinds(CutSequence(sp, request.mode.cut), ranks)) {
    kinds.push_back(std::move(kind));
  }
  MUSTER_RETURN_IF_ERROR(add("sp", "sp"));
  if (request.expert_parallel) MUSTER_RETURN_IF_ERROR(add("pcp", "sp"));
  MUSTER_RETURN_IF_ERROR(add("tp", "tp"));
  if (request.expert_parallel) MUSTER_RETURN_IF_ERROR(add("vllm_dp", "cfg-dp"));
  if (request.hsdp) AddHsdp(request.shard, ranks, kinds);
  MUSTER_RETURN_IF_ERROR(add("expert_layout", "tp-sp-cfg-dp"));
  if (request.expert_parallel) MUSTER_RETURN_IF_ERROR(add("ep", "tp-sp-cfg-dp"));
  return kinds;
}

absl::StatusOr<std::vector<PresetKind>> ExpandVllmOmniSequence(PresetParams& params,
                                                               RankRun ranks) {
  SequenceMode mode = ReadMode(params);
  mode.cut.ulysses_low = params.Flag("use_ulysses_low", true);
  const std::optional<RankLists> groups = params.RankLists("sp_group_ranks");
  MUSTER_RETURN_IF_ERROR(params.Finish());
  const std::string label = PresetLabel(params);
  MUSTER_RETURN_IF_ERROR(CheckMode(label, mode));
  if (!mode.gathers()) {
    MUSTER_ASSIGN_OR_RETURN(std::vector<PresetKind> kinds,
                            CutRanks(label, groups, mode.cut, ranks));
    return CutKinds(std::move(kinds), ranks);
  }
  if (groups.has_value()) {
    MUSTER_RETURN_IF_ERROR(
        CheckSequenceGroups(label, *groups, mode.allgather, ErrorKind::kSpGroupCount, ranks));
    return GatherKinds(ListedGroups(Shifted(*groups, ranks.first)), ranks);
  }
  MUSTER_RETURN_IF_ERROR(CheckDivideRanks(ErrorKind::kSpGroupCount, label,
                                          {{.name = "allgather", .value = mode.allgather}}, ranks));
  return GatherKinds(Runs(ranks, static_cast<int32_t>(mode.allgather)), ranks);
}

}  // namespace muster
