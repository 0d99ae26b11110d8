#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/error_detail.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "common/layout/layout_error.h"
#include "common/layout/mesh_axes.h"
#include "common/layout/preset/preset.h"
#include "common/layout/validate.h"

namespace muster {
namespace {

// Checks one mesh, part by part. Each part relies on those before it.
class MeshCheck {
 public:
  MeshCheck(const MeshSpec& mesh, int32_t world_size)
      : mesh_(mesh),
        label_(absl::StrCat("mesh ", Quoted(mesh.name))),
        world_size_(world_size),
        ranks_(RanksOf(mesh, world_size)) {}

  absl::Status Range() const {
    MUSTER_RETURN_IF_ERROR(
        CheckPositive(absl::StrCat(label_, ": the number of ranks is"), ranks_.count));
    const int64_t end = int64_t{ranks_.first} + ranks_.count;
    if (ranks_.first >= 0 && end <= world_size_) return absl::OkStatus();
    return LayoutError(ErrorKind::kIndexOutOfLayout,
                       absl::StrCat(label_, ": ", ranks_.count, " ranks from rank ", ranks_.first,
                                    " on, want them among the ", world_size_, " of the world"),
                       absl::StrCat("Choose ranks from 0 to ", world_size_ - 1, "."));
  }

  absl::Status Dims() {
    if (mesh_.dims.empty()) {
      return CheckPositive(absl::StrCat(label_, ": the number of dims is"), 0);
    }
    MUSTER_RETURN_IF_ERROR(CheckLimit(absl::StrCat(label_, ": the number of dims is"),
                                      std::ssize(mesh_.dims), kMeshDimsMax));
    for (const MeshDim& dim : mesh_.dims) {
      MUSTER_RETURN_IF_ERROR(TakeName(dim.name, "dimension"));
      MUSTER_RETURN_IF_ERROR(CheckSize("dimension", dim));
    }
    return CheckTiles(label_, mesh_.dims, ranks_);
  }

  // Takes the names of the kinds of groups that the preset gives.
  absl::Status Preset() {
    if (!mesh_.dims.empty() || !mesh_.split.empty() || !mesh_.flatten.empty()) {
      return LayoutError(
          ErrorKind::kInvalidRequest,
          absl::StrCat(label_, ": preset ", Quoted(mesh_.preset->name),
                       " beside dims, splits or flattened dims, want one of the two"),
          "Remove the dims or the preset.");
    }
    const absl::StatusOr<std::vector<PresetKind>> kinds = ExpandPreset(*mesh_.preset, ranks_);
    if (!kinds.ok()) return Labelled(kinds.status());
    for (const PresetKind& kind : *kinds) {
      MUSTER_RETURN_IF_ERROR(TakeName(kind.name, "groups"));
    }
    return absl::OkStatus();
  }

  absl::Status Splits() {
    std::set<std::string_view> split_dims;
    for (const SplitSpec& split : mesh_.split) {
      if (!split_dims.insert(split.dim).second) {
        return LayoutError(
            ErrorKind::kDuplicateName,
            absl::StrCat(label_, ": dimension ", Quoted(split.dim), " is split twice, want once"),
            "List all inner dims in one split.");
      }
      MUSTER_RETURN_IF_ERROR(Split(split));
    }
    return absl::OkStatus();
  }

  absl::Status Flattens() {
    MUSTER_RETURN_IF_ERROR(CheckLimit(absl::StrCat(label_, ": the number of flattened dims is"),
                                      std::ssize(mesh_.flatten), kMeshFlattensMax));
    const MeshAxes axes(mesh_);
    for (const FlattenSpec& flatten : mesh_.flatten) {
      MUSTER_RETURN_IF_ERROR(TakeName(flatten.name, "flattened dimension"));
      MUSTER_RETURN_IF_ERROR(Flatten(flatten, axes));
    }
    return absl::OkStatus();
  }

  absl::Status Modes() const {
    std::set<std::string_view> seen;
    for (const DimMode& mode : mesh_.host_dim_modes) {
      if (!names_.contains(mode.dim)) return UnknownName("a mode is given for", mode.dim, names_);
      if (!seen.insert(mode.dim).second) {
        return LayoutError(ErrorKind::kDuplicateName,
                           absl::StrCat(label_, ": two modes are given for ", Quoted(mode.dim),
                                        ", want at most one"),
                           "Remove one of the modes.");
      }
    }
    return absl::OkStatus();
  }

 private:
  using Names = std::map<std::string, std::string, std::less<>>;  // name -> what it is

  absl::Status TakeName(const std::string& name, std::string_view what) {
    MUSTER_RETURN_IF_ERROR(CheckName(absl::StrCat(label_, ": ", ToAbsl(what)), name));
    const auto [taken, is_new] = names_.emplace(name, what);
    if (is_new) return absl::OkStatus();
    return LayoutError(
        ErrorKind::kDuplicateName,
        absl::StrCat(label_, ": ", ToAbsl(what), " ", Quoted(name), ": this name is taken (",
                     taken->second, "), want every name once in a mesh"),
        "Rename one of them.");
  }

  // The same refusal, with the mesh before its message.
  absl::Status Labelled(const absl::Status& status) const {
    return MakeError(status.code(), absl::StrCat(label_, ": ", status.message()),
                     DetailOf(status).value_or(ErrorDetail{}));
  }

  absl::Status CheckSize(std::string_view what, const MeshDim& dim) const {
    return CheckPositive(
        absl::StrCat(label_, ": ", ToAbsl(what), " ", Quoted(dim.name), " has size"), dim.size);
  }

  absl::Status Split(const SplitSpec& split) {
    const MeshDim* dim = nullptr;
    Names dims;
    for (const MeshDim& candidate : mesh_.dims) {
      dims.emplace(candidate.name, "dimension");
      if (candidate.name == split.dim) dim = &candidate;
    }
    if (dim == nullptr) return UnknownName("a split is of", split.dim, dims);
    const std::string what = absl::StrCat(label_, ": the split of ", Quoted(split.dim));
    if (split.into.empty()) return CheckPositive(absl::StrCat(what, ": the number of dims is"), 0);
    MUSTER_RETURN_IF_ERROR(CheckLimit(absl::StrCat(what, ": the number of dims is"),
                                      std::ssize(split.into), kSplitDimsMax));
    for (const MeshDim& inner : split.into) {
      MUSTER_RETURN_IF_ERROR(TakeName(inner.name, "inner dimension"));
      MUSTER_RETURN_IF_ERROR(CheckSize("inner dimension", inner));
    }
    return CheckProduct(what, split.into, dim->size);
  }

  absl::Status Flatten(const FlattenSpec& flatten, const MeshAxes& axes) const {
    const std::string what = absl::StrCat(label_, ": the flattened ", Quoted(flatten.name));
    if (flatten.of.empty()) return CheckPositive(absl::StrCat(what, ": the number of dims is"), 0);
    std::map<size_t, std::string_view> covered;
    bool in_order = true;
    for (const std::string& dim : flatten.of) {
      const std::vector<size_t> places = axes.PlacesOf(dim);
      if (places.empty()) {
        return UnknownName(absl::StrCat(Quoted(flatten.name), " is of"), dim, FlattenNames());
      }
      in_order = in_order && (covered.empty() || covered.rbegin()->first < places.front());
      for (const size_t place : places) {
        const auto [other, is_new] = covered.emplace(place, dim);
        if (!is_new) return CoveredTwice(what, dim, other->second);
      }
    }
    if (in_order) return absl::OkStatus();
    return LayoutError(ErrorKind::kInvalidRequest,
                       absl::StrCat(what, " is of ", absl::StrJoin(flatten.of, ", "),
                                    ", want them in mesh order: ", MeshOrder(covered)),
                       "List the dims in the order of the mesh.");
  }

  static absl::Status CoveredTwice(std::string_view what, std::string_view dim,
                                   std::string_view other) {
    return LayoutError(ErrorKind::kDuplicateName,
                       absl::StrCat(ToAbsl(what), " is of ", Quoted(other), " and of ", Quoted(dim),
                                    ", want every dimension once"),
                       "List either a dimension or inner dims of its split, each once.");
  }

  // "dp, tp" for what is listed at those places, without repeats.
  static std::string MeshOrder(const std::map<size_t, std::string_view>& covered) {
    std::vector<std::string> dims;
    for (const auto& [place, dim] : covered) {
      if (dims.empty() || dims.back() != dim) dims.emplace_back(dim);
    }
    return absl::StrJoin(dims, ", ");
  }

  // What may be flattened.
  Names FlattenNames() const {
    Names names = names_;
    for (const FlattenSpec& flatten : mesh_.flatten) names.erase(flatten.name);
    return names;
  }

  absl::Status UnknownName(std::string_view what, std::string_view name, const Names& known) const {
    const auto append = [](std::string* out, const Names::value_type& entry) {
      out->append(entry.first);
    };
    return LayoutError(ErrorKind::kUnknownName,
                       absl::StrCat(label_, ": ", ToAbsl(what), " ", Quoted(name),
                                    ", want one of: ", absl::StrJoin(known, ", ", append)),
                       "Use a name that the mesh has.");
  }

  const MeshSpec& mesh_;
  const std::string label_;
  const int32_t world_size_;
  const RankRun ranks_;
  Names names_;
};

}  // namespace

absl::Status ValidateMesh(const MeshSpec& mesh, int32_t world_size) {
  MUSTER_RETURN_IF_ERROR(CheckName("mesh", mesh.name));
  MeshCheck check(mesh, world_size);
  MUSTER_RETURN_IF_ERROR(check.Range());
  if (mesh.preset.has_value()) {
    MUSTER_RETURN_IF_ERROR(check.Preset());
  } else {
    MUSTER_RETURN_IF_ERROR(check.Dims());
    MUSTER_RETURN_IF_ERROR(check.Splits());
    MUSTER_RETURN_IF_ERROR(check.Flattens());
  }
  return check.Modes();
}

}  // namespace muster
