#include "common/layout/validate.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/rank_ranges.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "common/layout/layout_error.h"

namespace muster {
namespace {

// Names of meshes and explicit groups, and what each stands for.
using Names = std::map<std::string, std::string_view, std::less<>>;

// `what` is said of `name`, and `holder` of it to those that want the name later.
absl::Status TakeName(std::string_view what, const std::string& name, std::string_view holder,
                      Names& names) {
  const auto [taken, is_new] = names.emplace(name, holder);
  if (is_new) return absl::OkStatus();
  return LayoutError(ErrorKind::kDuplicateName,
                     absl::StrCat(ToAbsl(what), " ", Quoted(name), ": this name is taken by ",
                                  ToAbsl(taken->second), ", want every name once in a layout"),
                     "Rename one of them.");
}

std::string FormatRanks(const std::vector<GlobalRank>& ranks) {
  return absl::StrCat(ranks.size() == 1 ? "rank " : "ranks ", FormatIdRanges(ranks));
}

absl::Status CheckRanks(std::string_view what, const ExplicitGroups& groups, int32_t world_size) {
  std::vector<GlobalRank> outside;
  std::vector<GlobalRank> repeated;
  std::vector<bool> seen(static_cast<size_t>(world_size), false);
  for (const std::vector<GlobalRank>& members : groups.ranks) {
    for (const GlobalRank rank : members) {
      if (rank.value < 0 || rank.value >= world_size) {
        outside.push_back(rank);
        continue;
      }
      const auto place = static_cast<size_t>(rank.value);
      if (seen[place]) repeated.push_back(rank);
      seen[place] = true;
    }
  }
  if (!outside.empty()) {
    return LayoutError(ErrorKind::kIndexOutOfLayout,
                       absl::StrCat(ToAbsl(what), ": ", FormatRanks(outside),
                                    " listed, want ranks from 0 to ", world_size - 1),
                       "List ranks of the world only.", outside);
  }
  if (!repeated.empty()) {
    std::sort(repeated.begin(), repeated.end());
    repeated.erase(std::unique(repeated.begin(), repeated.end()), repeated.end());
    return LayoutError(ErrorKind::kDuplicateRank,
                       absl::StrCat(ToAbsl(what), ": ", FormatRanks(repeated),
                                    " listed more than once, want every rank at most once"),
                       "Give groups that overlap names of their own.", repeated);
  }
  return absl::OkStatus();
}

absl::Status ValidateExplicit(const ExplicitGroups& groups, int32_t world_size) {
  MUSTER_RETURN_IF_ERROR(CheckName("groups", groups.name));
  const std::string what = absl::StrCat("groups ", Quoted(groups.name));
  if (groups.ranks.empty()) {
    return CheckPositive(absl::StrCat(what, ": the number of groups is"), 0);
  }
  for (size_t index = 0; index < groups.ranks.size(); ++index) {
    MUSTER_RETURN_IF_ERROR(
        CheckPositive(absl::StrCat(what, ": the number of ranks in group ", index, " is"),
                      std::ssize(groups.ranks[index])));
  }
  return CheckRanks(what, groups, world_size);
}

}  // namespace

absl::Status ValidateLayoutSpec(const LayoutSpec& spec) {
  MUSTER_RETURN_IF_ERROR(CheckPositive("the world size is", spec.world_size));
  MUSTER_RETURN_IF_ERROR(CheckLimit("the world size is", spec.world_size, kWorldSizeMax));
  MUSTER_RETURN_IF_ERROR(
      CheckLimit("the number of meshes is", std::ssize(spec.meshes), kMeshesMax));
  MUSTER_RETURN_IF_ERROR(CheckLimit("the number of names of explicit groups is",
                                    std::ssize(spec.groups), kExplicitGroupNamesMax));
  Names names = {{std::string(kWorldName), "the group of all ranks"}};
  for (const MeshSpec& mesh : spec.meshes) {
    MUSTER_RETURN_IF_ERROR(ValidateMesh(mesh, spec.world_size));
    MUSTER_RETURN_IF_ERROR(TakeName("mesh", mesh.name, "a mesh", names));
  }
  for (const ExplicitGroups& groups : spec.groups) {
    MUSTER_RETURN_IF_ERROR(ValidateExplicit(groups, spec.world_size));
    MUSTER_RETURN_IF_ERROR(TakeName("groups", groups.name, "explicit groups", names));
  }
  return absl::OkStatus();
}

}  // namespace muster
