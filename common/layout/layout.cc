#include "common/layout/layout.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "common/layout/layout_error.h"
#include "common/layout/mesh_axes.h"
#include "common/layout/preset/preset.h"
#include "common/layout/validate.h"

namespace muster {
namespace {

BuildMode ModeOf(const MeshSpec& mesh, std::string_view dim) {
  for (const DimMode& mode : mesh.host_dim_modes) {
    if (mode.dim == dim) return mode.mode;
  }
  return mesh.host_mode;
}

// Adds the kinds of one mesh, in the order of Layout.
class MeshKinds {
 public:
  MeshKinds(const MeshSpec& mesh, std::vector<GroupKind>& kinds)
      : mesh_(mesh), axes_(mesh), kinds_(kinds) {}

  void AddAll() {
    for (const MeshDim& dim : mesh_.dims) Add(dim.name, {dim.name});
    for (const SplitSpec& split : mesh_.split) {
      for (const MeshDim& inner : split.into) Add(inner.name, {inner.name});
    }
    for (const FlattenSpec& flatten : mesh_.flatten) Add(flatten.name, flatten.of);
  }

 private:
  void Add(const std::string& name, const std::vector<std::string>& dims) {
    std::vector<size_t> places;
    for (const std::string& dim : dims) {
      const std::vector<size_t> more = axes_.PlacesOf(dim);
      places.insert(places.end(), more.begin(), more.end());
    }
    GroupShape shape = axes_.GroupsOver(places);
    const int32_t group_count = GroupCount(shape);
    kinds_.push_back({.name = absl::StrCat(mesh_.name, ".", name),
                      .mesh = mesh_.name,
                      .dims = dims,
                      .mode = ModeOf(mesh_, name),
                      .group_count = group_count,
                      .shape = std::move(shape)});
  }

  const MeshSpec& mesh_;
  const MeshAxes axes_;
  std::vector<GroupKind>& kinds_;
};

// Adds the kinds of one mesh that is made by a preset, which was validated.
void AddPresetKinds(const MeshSpec& mesh, RankRun ranks, std::vector<GroupKind>& kinds) {
  absl::StatusOr<std::vector<PresetKind>> expanded = ExpandPreset(*mesh.preset, ranks);
  MUSTER_CHECK(expanded.ok(), "a preset that was not validated");
  for (PresetKind& kind : *expanded) {
    const int32_t group_count = GroupCount(kind.shape);
    kinds.push_back({.name = absl::StrCat(mesh.name, ".", kind.name),
                     .mesh = mesh.name,
                     .mode = ModeOf(mesh, kind.name),
                     .group_count = group_count,
                     .shape = std::move(kind.shape)});
  }
}

std::vector<GroupKind> KindsOf(const LayoutSpec& spec) {
  const StridedGroups world = {
      .first_rank = GlobalRank(0), .outer = {}, .inner = {{.size = spec.world_size, .stride = 1}}};
  std::vector<GroupKind> kinds = {
      {.name = std::string(kWorldName), .mode = spec.world_mode, .group_count = 1, .shape = world}};
  for (const MeshSpec& mesh : spec.meshes) {
    if (mesh.preset.has_value()) {
      AddPresetKinds(mesh, RanksOf(mesh, spec.world_size), kinds);
    } else {
      MeshKinds(mesh, kinds).AddAll();
    }
  }
  for (const ExplicitGroups& groups : spec.groups) {
    kinds.push_back({.name = groups.name,
                     .mode = groups.host_mode,
                     .group_count = static_cast<int32_t>(groups.ranks.size()),
                     .shape = ListedGroups(groups.ranks)});
  }
  return kinds;
}

// "dit.sp#1" taken apart.
struct ParsedName {
  std::string_view kind;
  int32_t index = 0;
};

// Nothing if `name` has not the form that Layout::Name() gives.
std::optional<ParsedName> ParseName(std::string_view name) {
  const size_t slash = name.find('/');
  if (slash == 0) return std::nullopt;
  if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
  const size_t hash = name.find('#');
  if (hash == std::string_view::npos) return std::nullopt;
  ParsedName parsed = {.kind = name.substr(0, hash)};
  const std::string_view digits = name.substr(hash + 1);
  // A number has one spelling only: no sign, space or zero in front.
  if (!absl::SimpleAtoi(ToAbsl(digits), &parsed.index)) return std::nullopt;
  if (parsed.index < 0 || absl::StrCat(parsed.index) != ToAbsl(digits)) return std::nullopt;
  return parsed;
}

absl::Status UnknownKind(std::string_view name, const std::vector<GroupKind>& kinds) {
  const auto append = [](std::string* out, const GroupKind& kind) { out->append(kind.name); };
  return LayoutError(ErrorKind::kUnknownName,
                     absl::StrCat("no groups are named ", Quoted(name),
                                  ", want one of: ", absl::StrJoin(kinds, ", ", append)),
                     "Use a name that the layout has.");
}

absl::Status OutsideMesh(GlobalRank rank, const MeshSpec& mesh, RankRun ranks) {
  return LayoutError(
      ErrorKind::kIndexOutOfLayout,
      absl::StrCat("rank ", rank.value, " is not in mesh ", Quoted(mesh.name), ", want ranks from ",
                   ranks.first, " to ", ranks.first + ranks.count - 1),
      "Ask for a rank of the mesh.", {rank});
}

}  // namespace

Layout::Layout(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

absl::StatusOr<Layout> Layout::Create(LayoutSpec spec) {
  MUSTER_RETURN_IF_ERROR(ValidateLayoutSpec(spec));
  auto content = std::make_shared<Content>();
  content->kinds = KindsOf(spec);
  content->spec = std::move(spec);
  return Layout(std::move(content));
}

int32_t Layout::world_size() const { return content_->spec.world_size; }
const LayoutSpec& Layout::spec() const { return content_->spec; }
const std::vector<GroupKind>& Layout::kinds() const { return content_->kinds; }

bool Layout::HasRank(GlobalRank rank) const { return rank.value >= 0 && rank.value < world_size(); }

bool Layout::HasGroup(GroupId id) const {
  return id.kind >= 0 && id.kind < std::ssize(kinds()) && id.index >= 0 &&
         id.index < kinds()[static_cast<size_t>(id.kind)].group_count;
}

std::vector<GroupMembership> Layout::GroupsOf(GlobalRank rank) const {
  MUSTER_CHECK(HasRank(rank), "rank outside the layout");
  std::vector<GroupMembership> memberships;
  for (size_t kind = 0; kind < kinds().size(); ++kind) {
    const std::optional<GroupPlace> place = Locate(kinds()[kind].shape, rank);
    if (!place.has_value()) continue;
    memberships.push_back({.id = {.kind = static_cast<int32_t>(kind), .index = place->index},
                           .rank = place->rank,
                           .size = muster::GroupSize(kinds()[kind].shape, place->index)});
  }
  return memberships;
}

std::vector<GlobalRank> Layout::Members(GroupId id) const {
  return GroupMembers(KindOf(id).shape, id.index);
}

int32_t Layout::GroupSize(GroupId id) const {
  return muster::GroupSize(KindOf(id).shape, id.index);
}

bool Layout::IsBuilt(GroupId id) const {
  return KindOf(id).mode == BuildMode::kEager && GroupSize(id) >= 2;
}

std::string Layout::Name(GroupId id, std::string_view job) const {
  return absl::StrCat(ToAbsl(job), job.empty() ? "" : "/", KindOf(id).name, "#", id.index);
}

absl::StatusOr<GroupId> Layout::Find(std::string_view name) const {
  const std::optional<ParsedName> parsed = ParseName(name);
  if (!parsed.has_value()) {
    return LayoutError(ErrorKind::kInvalidRequest,
                       absl::StrCat("group name ", Quoted(name),
                                    ", want a kind and a number such as 'world#0', with or "
                                    "without 'JOB/' before it"),
                       "Give the name as it is listed.");
  }
  const auto kind = std::find_if(
      kinds().begin(), kinds().end(),
      [&parsed](const GroupKind& candidate) { return candidate.name == parsed->kind; });
  if (kind == kinds().end()) return UnknownKind(parsed->kind, kinds());
  if (parsed->index >= kind->group_count) {
    return LayoutError(ErrorKind::kIndexOutOfLayout,
                       absl::StrCat("group ", parsed->index, " of '", kind->name,
                                    "', want a number from 0 to ", kind->group_count - 1),
                       "Give the name as it is listed.");
  }
  return GroupId{.kind = static_cast<int32_t>(std::distance(kinds().begin(), kind)),
                 .index = parsed->index};
}

absl::StatusOr<std::vector<int32_t>> Layout::Coordinates(std::string_view mesh,
                                                         GlobalRank rank) const {
  MUSTER_ASSIGN_OR_RETURN(const MeshSpec* const found, FindMesh(mesh));
  const RankRun ranks = RanksOf(*found, world_size());
  int64_t place = int64_t{rank.value} - ranks.first;
  if (place < 0 || place >= ranks.count) return OutsideMesh(rank, *found, ranks);
  std::vector<int32_t> coordinates(found->dims.size());
  for (size_t i = coordinates.size(); i-- > 0;) {
    coordinates[i] = static_cast<int32_t>(place % found->dims[i].size);
    place /= found->dims[i].size;
  }
  return coordinates;
}

absl::StatusOr<GlobalRank> Layout::RankAt(std::string_view mesh,
                                          const std::vector<int32_t>& coordinates) const {
  MUSTER_ASSIGN_OR_RETURN(const MeshSpec* const found, FindMesh(mesh));
  if (coordinates.size() != found->dims.size()) {
    return LayoutError(ErrorKind::kSizeMismatch,
                       absl::StrCat(coordinates.size(), " coordinates for mesh ", Quoted(mesh),
                                    ", want ", found->dims.size()),
                       "Give one coordinate for each dimension.");
  }
  int32_t place = 0;
  for (size_t i = 0; i < coordinates.size(); ++i) {
    const MeshDim& dim = found->dims[i];
    if (coordinates[i] < 0 || coordinates[i] >= dim.size) {
      return LayoutError(
          ErrorKind::kIndexOutOfLayout,
          absl::StrCat("coordinate ", coordinates[i], " of dimension ", Quoted(dim.name),
                       " of mesh ", Quoted(mesh), ", want 0 to ", dim.size - 1),
          "Give coordinates inside the mesh.");
    }
    place = place * dim.size + coordinates[i];
  }
  return GlobalRank(found->first_rank + place);
}

const GroupKind& Layout::KindOf(GroupId id) const {
  MUSTER_CHECK(HasGroup(id), "group outside the layout");
  return kinds()[static_cast<size_t>(id.kind)];
}

absl::StatusOr<const MeshSpec*> Layout::FindMesh(std::string_view mesh) const {
  for (const MeshSpec& candidate : spec().meshes) {
    if (candidate.name != mesh) continue;
    if (!candidate.preset.has_value()) return &candidate;
    return LayoutError(
        ErrorKind::kUnsupportedMode,
        absl::StrCat("mesh ", Quoted(mesh), " comes from preset ", Quoted(candidate.preset->name),
                     " and has no coordinates, want a mesh with dims"),
        "Ask for the groups of a rank and its place in each.");
  }
  const auto append = [](std::string* out, const MeshSpec& known) { out->append(known.name); };
  return LayoutError(
      ErrorKind::kUnknownName,
      absl::StrCat("no mesh is named ", Quoted(mesh), ", want one of: ",
                   spec().meshes.empty() ? "none" : absl::StrJoin(spec().meshes, ", ", append)),
      "Use a name that the layout has.");
}

}  // namespace muster
