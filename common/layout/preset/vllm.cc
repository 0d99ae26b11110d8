#include "common/layout/preset/vllm.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/error_kind.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "common/layout/layout_error.h"
#include "common/layout/preset/preset_sizes.h"
#include "common/layout/preset/regroup.h"
#include "common/layout/preset/regular_groups.h"

namespace muster {
namespace {

struct Request {
  int64_t tp = 1;
  int64_t pp = 1;
  int64_t dp = 1;
  int64_t pcp = 1;
  int64_t dcp = 1;
  bool is_moe = true;
  bool dcp_spans_pcp = true;
};

// The axes of the grid.
struct Grid {
  GlobalRank first;
  Axis replica;
  Axis dp;
  Axis pp;
  Axis pcp;
  Axis tp;
};

Request ReadRequest(PresetParams& params) {
  Request request;
  request.tp = params.Int("tensor_parallel_size", 1);
  request.pp = params.Int("pipeline_parallel_size", 1);
  request.dp = params.Int("data_parallel_size", 1);
  request.pcp = params.Int("prefill_context_parallel_size", 1);
  request.dcp = params.Int("decode_context_parallel_size", 1);
  request.is_moe = params.Flag("is_moe", true);
  request.dcp_spans_pcp = params.Flag("dcp_spans_pcp", true);
  return request;
}

absl::Status CheckRequest(std::string_view label, const Request& request, RankRun ranks) {
  const std::vector<PresetSize> sizes = {
      {"dp", request.dp}, {"pp", request.pp}, {"pcp", request.pcp}, {"tp", request.tp}};
  MUSTER_RETURN_IF_ERROR(CheckSizes(label, sizes));
  MUSTER_RETURN_IF_ERROR(CheckSizes(label, {{"dcp", request.dcp}}));
  MUSTER_RETURN_IF_ERROR(CheckDivideRanks(ErrorKind::kNotDivisible, label, sizes, ranks));
  const int64_t shared = request.pcp * request.tp;
  if (shared % request.dcp == 0) return absl::OkStatus();
  return LayoutError(
      ErrorKind::kNotDivisible,
      absl::StrCat(ToAbsl(label), ": dcp ", request.dcp, " over pcp ", request.pcp, " x tp ",
                   request.tp, " = ", shared, ": ", shared, " = ", request.dcp, " x ",
                   shared / request.dcp, " + ", shared % request.dcp, ", want no remainder"),
      absl::StrCat("Choose a dcp that divides ", shared, "."));
}

Grid MakeGrid(const Request& request, RankRun ranks) {
  int32_t stride = 1;
  const auto next = [&stride](int64_t size) {
    const Axis axis = {.size = static_cast<int32_t>(size), .stride = stride};
    stride *= axis.size;
    return axis;
  };
  Grid grid;
  grid.first = GlobalRank(ranks.first);
  grid.tp = next(request.tp);
  grid.pcp = next(request.pcp);
  grid.pp = next(request.pp);
  grid.dp = next(request.dp);
  grid.replica = next(ranks.count / stride);
  return grid;
}

GroupShape DecodeGroups(const Grid& grid, const Request& request, RankRun ranks) {
  const auto size = static_cast<int32_t>(request.dcp);
  if (!request.dcp_spans_pcp) return Runs(ranks, size);
  const StridedGroups all = {.first_rank = grid.first,
                             .outer = {},
                             .inner = {grid.replica, grid.dp, grid.pp, grid.tp, grid.pcp}};
  return CutIntoRuns(all, size);
}

}  // namespace

absl::StatusOr<std::vector<PresetKind>> ExpandVllm(PresetParams& params, RankRun ranks) {
  const Request request = ReadRequest(params);
  MUSTER_RETURN_IF_ERROR(params.Finish());
  MUSTER_RETURN_IF_ERROR(CheckRequest(PresetLabel(params), request, ranks));
  const Grid grid = MakeGrid(request, ranks);
  std::vector<PresetKind> kinds;
  const auto add = [&grid, &kinds](std::string name, std::vector<Axis> outer,
                                   std::vector<Axis> inner) {
    kinds.push_back(
        {.name = std::move(name),
         .shape = StridedGroups{
             .first_rank = grid.first, .outer = std::move(outer), .inner = std::move(inner)}});
  };
  add("tp", {grid.replica, grid.dp, grid.pp, grid.pcp}, {grid.tp});
  kinds.push_back({.name = "dcp", .shape = DecodeGroups(grid, request, ranks)});
  add("pcp", {grid.replica, grid.dp, grid.pp, grid.tp}, {grid.pcp});
  add("pp", {grid.replica, grid.dp, grid.tp, grid.pcp}, {grid.pp});
  add("dp", {grid.replica, grid.tp, grid.pp, grid.pcp}, {grid.dp});
  if (request.is_moe) add("ep", {grid.replica, grid.pp}, {grid.dp, grid.pcp, grid.tp});
  return kinds;
}

}  // namespace muster
