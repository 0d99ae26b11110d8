#ifndef MUSTER_COMMON_LAYOUT_LAYOUT_H_
#define MUSTER_COMMON_LAYOUT_LAYOUT_H_

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/ids.h"
#include "common/layout/group_shape.h"
#include "common/layout/layout_spec.h"

namespace muster {

// Names one group of one layout. The same number may be another group in another layout; only the
// name (Layout::Name) says which groups of two layouts correspond.
struct GroupId {
  int32_t kind = 0;   // place in Layout::kinds(); 0 is always the world
  int32_t index = 0;  // 0 <= index < GroupKind::group_count

  friend constexpr auto operator<=>(const GroupId&, const GroupId&) = default;
};

// One rank's place in one of its groups.
struct GroupMembership {
  GroupId id;
  GroupRank rank;
  int32_t size = 0;  // of the group

  friend bool operator==(const GroupMembership&, const GroupMembership&) = default;
};

// All groups that differ only in where they lie: those of one dimension, of one kind of a preset,
// or one set of lists.
struct GroupKind {
  std::string name;       // "world", "dit.sp", "draft"
  std::string mesh = {};  // empty for the world and for explicit groups
  // Dimensions of `mesh` that vary inside a group, in mesh order; none if it comes from a preset.
  std::vector<std::string> dims = {};
  BuildMode mode = BuildMode::kEager;
  int32_t group_count = 0;
  GroupShape shape;
};

// Who is in which group, and at which rank. Made from a LayoutSpec by the same code on every
// process, so that a rank and the spec are all that a worker needs.
//
// The kinds come in this order: the world; then mesh by mesh, in spec order, its dims, the inner
// dims of its splits, its flattened dims, or the kinds of its preset; then the explicit groups. The
// groups of a dimension are the sets of ranks that differ in its coordinate only, and are counted
// by their coordinates in the remaining dims, row-major in mesh order: so by their first ranks.
// Members are row-major in mesh order too. Groups and members of presets keep the order of the
// system that the preset stands for, explicit ones that of the spec; some ranks may be in none of
// them.
//
// A value that never changes. Copies are cheap and share their content. Thread safety: any method
// from any thread. Nothing blocks.
//
// A rank or group id handed to a method that does not give a status must be one of this layout; the
// process ends otherwise. HasRank() and HasGroup() tell for numbers that came from elsewhere.
class Layout {
 public:
  // Makes the layout of `spec`, or says what is wrong with it, before anything is built.
  //
  // Errors: kInvalidArgument, with an ErrorDetail whose kind says which rule is broken and whose
  // ranks are those concerned. Messages say what was asked, what was found and what was wanted.
  //   zero_size, negative_size  a world, dimension or rank range of no size; a mesh without dims, a
  //                             split or flatten of nothing, an explicit group without ranks
  //   limit_exceeded            more of something than layout_spec.h allows
  //   invalid_name              a name that breaks the rule of layout_spec.h
  //   duplicate_name            meshes and explicit groups share one set of names, in which "world"
  //                             is taken; the dims, inner dims and flattened dims of a mesh share
  //                             another; a dimension is split once, given a mode once, and
  //                             flattened once in the same flatten, itself or by its inner dims
  //   unknown_name              a split, flatten or mode of a dimension that the mesh lacks; only
  //                             dims are split, only dims and inner dims are flattened
  //   index_out_of_layout       a rank or rank range that reaches out of the world
  //   product_mismatch          dims that do not multiply to the ranks they tile, or inner dims to
  //                             the split one; the message holds the equation: "dp 2 x tp 3 = 6,
  //                             want 8"
  //   product_overflow          the same where the product needs more than 63 bits
  //   invalid_request           a flatten that does not list its dims in mesh order; a preset and
  //                             dims, splits or flattened dims in one mesh
  //   duplicate_rank            a rank twice under one name of explicit groups
  // A preset adds kinds of its own; see ExpandPreset().
  static absl::StatusOr<Layout> Create(LayoutSpec spec);

  int32_t world_size() const;
  const LayoutSpec& spec() const;
  const std::vector<GroupKind>& kinds() const;

  bool HasRank(GlobalRank rank) const;
  bool HasGroup(GroupId id) const;

  // The groups that `rank` is in, the world and groups of one included, ordered by id: at most one
  // per kind. Costs O(kinds), whatever the world size.
  std::vector<GroupMembership> GroupsOf(GlobalRank rank) const;

  // The members in group-rank order. Costs O(members).
  std::vector<GlobalRank> Members(GroupId id) const;

  // Number of members, at least 1.
  int32_t GroupSize(GroupId id) const;

  // Tells whether the group gets a communicator when the layout is formed: its mode is eager and it
  // has two members or more.
  bool IsBuilt(GroupId id) const;

  // "wan/dit.sp#1" with job "wan"; "dit.sp#1" with an empty one.
  std::string Name(GroupId id, std::string_view job) const;

  // The group of a name as Name() gives it, with a job before it or not; the job is not compared.
  //
  // Errors: kInvalidArgument: invalid_request (not of that form); unknown_name (no such kind; those
  // that are there are listed); index_out_of_layout (the kind has fewer groups).
  absl::StatusOr<GroupId> Find(std::string_view name) const;

  // Coordinates of `rank` in the mesh named `mesh`, one per dim of MeshSpec::dims.
  //
  // Errors: kInvalidArgument: unknown_name (of the mesh); unsupported_mode (it comes from a
  // preset); index_out_of_layout (`rank` is outside the mesh).
  absl::StatusOr<std::vector<int32_t>> Coordinates(std::string_view mesh, GlobalRank rank) const;

  // The rank at `coordinates`, one per dim of MeshSpec::dims; undoes Coordinates().
  //
  // Errors: kInvalidArgument: unknown_name (of the mesh); unsupported_mode (it comes from a
  // preset); size_mismatch (not one coordinate per dim); index_out_of_layout (a coordinate is
  // outside its dim).
  absl::StatusOr<GlobalRank> RankAt(std::string_view mesh,
                                    const std::vector<int32_t>& coordinates) const;

 private:
  struct Content {
    LayoutSpec spec;
    std::vector<GroupKind> kinds;
  };

  explicit Layout(std::shared_ptr<const Content> content);

  const GroupKind& KindOf(GroupId id) const;
  // A mesh that has dims.
  absl::StatusOr<const MeshSpec*> FindMesh(std::string_view mesh) const;

  std::shared_ptr<const Content> content_;
};

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_LAYOUT_H_
