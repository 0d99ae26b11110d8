#include "common/layout/preset/megatron.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/base/check.h"
#include "common/base/error_kind.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "common/layout/layout_error.h"
#include "common/layout/preset/megatron_spec.h"
#include "common/layout/preset/preset_sizes.h"
#include "common/layout/preset/rank_generator.h"
#include "common/layout/preset/regroup.h"

namespace muster {
namespace {

// The two grids over the ranks, and the data parallel size of each.
struct Grids {
  RankGenerator dense;
  RankGenerator expert;
  int64_t dp = 1;
  int64_t expert_dp = 1;
};

// `order` with "gtp_remat" behind `anchor`; behind "tp" if it lacks that, and first if it lacks
// both.
std::string WithGtp(const std::string& order, std::string_view anchor) {
  std::vector<std::string> words = absl::StrSplit(order, '-');
  const auto place = [&words](std::string_view word) {
    return std::find(words.begin(), words.end(), word);
  };
  if (place("gtp_remat") != words.end()) return order;
  auto at = place(anchor);
  if (at == words.end()) at = place("tp");
  words.insert(at == words.end() ? words.begin() : at + 1, "gtp_remat");
  return absl::StrJoin(words, "-");
}

absl::StatusOr<RankGenerator> MakeGrid(const MegatronSpec& spec, const std::string& order,
                                       std::vector<RankGenerator::Dim> dims) {
  return RankGenerator::Create(std::move(dims), order, spec.ranks.first,
                               {.exclusive = {"ep", "cp"}});
}

bool SameGroups(const StridedGroups& a, const StridedGroups& b) {
  return a.first_rank == b.first_rank && MergeAxes(a.outer) == MergeAxes(b.outer) &&
         MergeAxes(a.inner) == MergeAxes(b.inner);
}

absl::Status CheckPipelines(const MegatronSpec& spec, const Grids& grids) {
  const auto refuse = [&spec](std::string_view found, std::string_view wanted) {
    return LayoutError(ErrorKind::kPpNotLastDpDiffers,
                       absl::StrCat(spec.label, ": order ", Quoted(spec.order), " with ",
                                    ToAbsl(found), ", want ", ToAbsl(wanted)),
                       "Put 'pp' last in the order.");
  };
  if (!absl::EndsWith(spec.order, "pp") && spec.pp != 1 && grids.dp != grids.expert_dp) {
    return refuse(absl::StrCat("pp ", spec.pp, ", dp ", grids.dp, " of the dense layers and dp ",
                               grids.expert_dp, " of the experts"),
                  "'pp' at its end, or both dp equal");
  }
  MUSTER_ASSIGN_OR_RETURN(const StridedGroups dense, grids.dense.Groups("pp"));
  MUSTER_ASSIGN_OR_RETURN(const StridedGroups expert, grids.expert.Groups("pp"));
  if (SameGroups(dense, expert)) return absl::OkStatus();
  return refuse("other pipelines for the dense layers than for the experts", "the same for both");
}

absl::StatusOr<Grids> MakeGrids(const MegatronSpec& spec) {
  const std::vector<PresetSize> sizes = {
      {"tp", spec.tp}, {"pp", spec.pp}, {"cp", spec.cp}, {"gtp_remat", spec.gtp_remat}};
  MUSTER_RETURN_IF_ERROR(CheckNoZero(spec.label, sizes));
  MUSTER_RETURN_IF_ERROR(CheckDivideRanks(ErrorKind::kNotDivisible, spec.label, sizes, spec.ranks));
  MUSTER_ASSIGN_OR_RETURN(const int64_t model, SizesProduct(spec.label, sizes));
  const int64_t dp = spec.ranks.count / model;
  if (spec.virtual_pp.has_value() && spec.pp <= 1) {
    return LayoutError(ErrorKind::kVirtualPpWithoutPp,
                       absl::StrCat(spec.label, ": virtual pp ", *spec.virtual_pp, " with pp ",
                                    spec.pp, ", want pp > 1"),
                       "Leave out the virtual pipeline size.");
  }
  MUSTER_ASSIGN_OR_RETURN(RankGenerator dense, MakeGrid(spec, WithGtp(spec.order, "tp"),
                                                        {{"tp", spec.tp},
                                                         {"pp", spec.pp},
                                                         {"dp", dp},
                                                         {"ep", 1},
                                                         {"cp", spec.cp},
                                                         {"gtp_remat", spec.gtp_remat}}));
  const std::vector<PresetSize> expert_sizes = {{"expert tp", spec.expert_tp},
                                                {"ep", spec.ep},
                                                {"pp", spec.pp},
                                                {"expert gtp_remat", spec.expert_gtp_remat}};
  MUSTER_RETURN_IF_ERROR(CheckNoZero(spec.label, expert_sizes));
  MUSTER_RETURN_IF_ERROR(
      CheckDivideRanks(ErrorKind::kExpertNotDivisible, spec.label, expert_sizes, spec.ranks));
  MUSTER_ASSIGN_OR_RETURN(const int64_t expert_model, SizesProduct(spec.label, expert_sizes));
  const int64_t expert_dp = spec.ranks.count / expert_model;
  MUSTER_ASSIGN_OR_RETURN(RankGenerator expert, MakeGrid(spec, WithGtp(spec.order, "ep"),
                                                         {{"tp", spec.expert_tp},
                                                          {"pp", spec.pp},
                                                          {"dp", expert_dp},
                                                          {"ep", spec.ep},
                                                          {"cp", 1},
                                                          {"gtp_remat", spec.expert_gtp_remat}}));
  Grids grids = {std::move(dense), std::move(expert), dp, expert_dp};
  MUSTER_RETURN_IF_ERROR(CheckPipelines(spec, grids));
  return grids;
}

// Refuses optimizer instances that do not divide `total`, which `what` names.
absl::Status CheckInstances(ErrorKind kind, const MegatronSpec& spec, std::string_view what,
                            int64_t total) {
  const int64_t instances = spec.optimizer_instances;
  if (total % instances == 0) return absl::OkStatus();
  return LayoutError(
      kind,
      absl::StrCat(spec.label, ": ", ToAbsl(what), " ", total, " over ", instances,
                   " optimizer instances: ", total, " = ", instances, " x ", total / instances,
                   " + ", total % instances, ", want no remainder"),
      absl::StrCat("Choose a number of instances that divides ", total, "."));
}

absl::Status CheckHierarchy(const MegatronSpec& spec) {
  if (spec.hierarchical_cp.empty()) return absl::OkStatus();
  std::vector<PresetSize> levels;
  for (const int64_t size : spec.hierarchical_cp) levels.push_back({"level", size});
  MUSTER_ASSIGN_OR_RETURN(const int64_t product, SizesProduct(spec.label, levels));
  if (product != spec.cp) {
    return LayoutError(
        ErrorKind::kHierarchicalCpProduct,
        absl::StrCat(spec.label, ": ", SizesText(levels), " = ", product, ", want cp ", spec.cp),
        absl::StrCat("Choose levels that multiply to ", spec.cp, "."));
  }
  return CheckSizes(spec.label, levels);
}

absl::Status CheckParts(const MegatronSpec& spec, const Grids& grids) {
  const int64_t instances = spec.optimizer_instances;
  const int64_t gtp_remat = std::max(spec.gtp_remat, spec.expert_gtp_remat);
  if (instances > 1 && gtp_remat > 1) {
    return LayoutError(ErrorKind::kGtpWithOptimizerInstances,
                       absl::StrCat(spec.label, ": gtp_remat ", gtp_remat, " with ", instances,
                                    " optimizer instances, want one of the two to be 1"),
                       "Use one optimizer instance.");
  }
  MUSTER_RETURN_IF_ERROR(CheckSizes(spec.label, {{"optimizer_instances", instances}}));
  const int64_t dp_cp = grids.dp * spec.cp;
  MUSTER_RETURN_IF_ERROR(
      CheckInstances(ErrorKind::kOptimizerInstancesNotDivisor, spec, "dp x cp =", dp_cp));
  if (spec.hybrid_cp && dp_cp % 2 != 0) {
    return LayoutError(ErrorKind::kHybridCpOdd,
                       absl::StrCat(spec.label, ": hybrid cp with dp ", grids.dp, " x cp ", spec.cp,
                                    " = ", dp_cp, ", want an even number"),
                       "Leave out the hybrid groups.");
  }
  MUSTER_RETURN_IF_ERROR(CheckHierarchy(spec));
  return CheckInstances(ErrorKind::kOptimizerInstancesNotDivisorExpert, spec, "expert dp",
                        grids.expert_dp);
}

// Adds the kinds of parameters and grids that passed all checks.
class Kinds {
 public:
  Kinds(const MegatronSpec& spec, const Grids& grids)
      : spec_(spec), grids_(grids), instances_(static_cast<int32_t>(spec.optimizer_instances)) {}

  std::vector<PresetKind> Take() && {
    AddDataParallel();
    AddContextParallel();
    AddModelParallel();
    AddExperts();
    return std::move(kinds_);
  }

 private:
  void Add(std::string name, GroupShape shape) {
    kinds_.push_back({.name = std::move(name), .shape = std::move(shape)});
  }

  static StridedGroups Over(const RankGenerator& grid, std::string_view token) {
    absl::StatusOr<StridedGroups> groups = grid.Groups(token);
    MUSTER_CHECK(groups.ok(), "a grid without one of its dimensions");
    return *std::move(groups);
  }
  StridedGroups Dense(std::string_view token) const { return Over(grids_.dense, token); }
  StridedGroups Expert(std::string_view token) const { return Over(grids_.expert, token); }

  void AddDataParallel() {
    const StridedGroups dp_cp = Dense("dp-cp");
    const int32_t size = GroupSize(dp_cp, 0);
    Add("dp_cp", dp_cp);
    if (spec_.all_gather_twins) Add("dp_cp_ag", dp_cp);
    if (instances_ > 1) Add("intra_dp_cp", CutIntoRuns(dp_cp, size / instances_));
    // Powers of two that fit twice.
    for (int32_t run = 2; spec_.hybrid_cp && run <= size / 2; run *= 2) {
      Add(absl::StrCat("hybrid_dp_cp_", run), CutIntoRuns(dp_cp, run));
    }
    Add("dp", Dense("dp"));
  }

  void AddContextParallel() {
    const StridedGroups cp = Dense("cp");
    Add("cp", cp);
    int32_t before = 1;
    for (size_t level = 0; level < spec_.hierarchical_cp.size(); ++level) {
      const auto size = static_cast<int32_t>(spec_.hierarchical_cp[level]);
      Add(absl::StrCat("hcp_l", level), TakeLevel(cp, before, size));
      before *= size;
    }
  }

  void AddModelParallel() {
    Add("mp", Dense("tp-gtp_remat-pp"));
    Add("tp", Dense("tp"));
    const StridedGroups pp = Dense("pp");
    Add("pp", pp);
    Add("embedding", EndsOf(pp));
    Add("position_embedding", StridedGroups{pp.first_rank, pp.outer, {}});
    Add("tp_dp_cp", Dense("tp-dp-cp"));
    Add("tp_dp", Dense("tp-dp"));
    Add("tp_cp", Dense("tp-cp"));
    if (spec_.gtp_remat == 1) return;
    Add("gtp_remat", Dense("gtp_remat"));
    Add("dp_gtp_remat", Dense("dp-gtp_remat"));
    Add("dp_cp_gtp_remat", Dense("dp-cp-gtp_remat"));
  }

  void AddExperts() {
    Add("ep", Expert("ep"));
    Add("expert_tp", Expert("tp"));
    Add("expert_tp_ep", Expert("tp-ep"));
    const StridedGroups model = Expert("tp-ep-gtp_remat-pp");
    Add("expert_tp_ep_pp", model);
    if (spec_.expert_gtp_remat > 1) Add("expert_gtp_remat", Expert("gtp_remat"));
    const StridedGroups dp = Expert("dp");
    Add("expert_dp", dp);
    if (spec_.all_gather_twins) Add("expert_dp_ag", dp);
    const int32_t part = static_cast<int32_t>(grids_.expert_dp) / instances_;
    if (instances_ > 1) {
      Add("intra_expert_dp", TakeLevel(dp, 1, part));
      Add("inter_expert_dp", TakeLevel(dp, part, instances_));
    }
    Add("intra_dist_opt", JoinGroups(model, part));
  }

  // The first and the last rank of each pipeline.
  static StridedGroups EndsOf(const StridedGroups& pipelines) {
    StridedGroups ends = pipelines;
    for (Axis& axis : ends.inner) {
      if (axis.size > 1) axis = {.size = 2, .stride = axis.stride * (axis.size - 1)};
    }
    return ends;
  }

  const MegatronSpec& spec_;
  const Grids& grids_;
  const int32_t instances_;
  std::vector<PresetKind> kinds_;
};

}  // namespace

absl::StatusOr<std::vector<PresetKind>> ExpandMegatron(PresetParams& params, RankRun ranks) {
  MUSTER_ASSIGN_OR_RETURN(const MegatronSpec spec, ReadMegatronSpec(params, ranks));
  MUSTER_ASSIGN_OR_RETURN(const Grids grids, MakeGrids(spec));
  MUSTER_RETURN_IF_ERROR(CheckParts(spec, grids));
  return Kinds(spec, grids).Take();
}

}  // namespace muster
