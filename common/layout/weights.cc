#include "common/layout/weights.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/string_view.h"
#include "common/layout/group_shape.h"
#include "common/layout/layout_error.h"
#include "common/layout/queries.h"

namespace muster {
namespace {

// Whether `layout` has group `index` of `kind`, which is of another layout, in its kind of the
// name.
bool HasSameGroup(const Layout& layout, const GroupKind& kind, int32_t index) {
  for (const GroupKind& other : layout.kinds()) {
    if (other.name != kind.name) continue;
    const GlobalRank first = MemberAt(kind.shape, index, GroupRank(0));
    const std::optional<GroupPlace> place = Locate(other.shape, first);
    return place.has_value() && SameMembers(kind.shape, index, other.shape, place->index);
  }
  return false;
}

}  // namespace

WeightRule::WeightRule() {
  for (const absl::string_view name : absl::StrSplit(ToAbsl(kWeightNames), ',')) {
    names_.emplace(name);
  }
}

absl::StatusOr<WeightRule> WeightRule::Parse(std::string_view names) {
  WeightRule rule;
  rule.names_.clear();
  if (names.empty()) return rule;
  for (const absl::string_view name : absl::StrSplit(ToAbsl(names), ',')) {
    if (name.empty()) {
      return LayoutError(
          ErrorKind::kInvalidName,
          absl::StrCat("an empty name in ", Quoted(names), ", want names with commas between"),
          "Name dimensions or kinds of groups, as in 'tp,pp'.");
    }
    rule.names_.emplace(name);
  }
  return rule;
}

bool WeightRule::MovesWeights(const GroupKind& kind) const {
  std::string_view name = kind.name;
  if (names_.contains(name)) return true;
  if (kind.mesh.empty()) return false;
  name.remove_prefix(kind.mesh.size() + 1);
  return names_.contains(name);
}

std::set<std::string> WeightRule::MovedKinds(const Layout& from, const Layout& to) const {
  std::set<std::string> moved;
  AddMovedKinds(from, to, moved);
  AddMovedKinds(to, from, moved);
  return moved;
}

void WeightRule::AddMovedKinds(const Layout& from, const Layout& to,
                               std::set<std::string>& moved) const {
  for (const GroupKind& kind : from.kinds()) {
    if (!MovesWeights(kind)) continue;
    for (int32_t index = 0; index < kind.group_count && !moved.contains(kind.name); ++index) {
      if (GroupSize(kind.shape, index) < 2 || HasSameGroup(to, kind, index)) continue;
      moved.insert(kind.name);
    }
  }
}

}  // namespace muster
