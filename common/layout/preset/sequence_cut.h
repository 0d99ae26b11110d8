#ifndef MUSTER_COMMON_LAYOUT_PRESET_SEQUENCE_CUT_H_
#define MUSTER_COMMON_LAYOUT_PRESET_SEQUENCE_CUT_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/error_kind.h"
#include "common/base/ids.h"
#include "common/layout/group_shape.h"
#include "common/layout/layout_spec.h"
#include "common/layout/preset/preset_kind.h"

namespace muster {

using RankLists = std::vector<std::vector<GlobalRank>>;

// How each sequence parallel group is cut into Ulysses groups and ring groups. Both are cut by the
// place in the group, whatever ranks stand there: the one kind takes neighbours, the other one of
// each of those. A Ulysses group and a ring group of one sequence parallel group meet in one rank.
struct SequenceCut {
  int64_t ulysses = 1;      // members of a Ulysses group
  int64_t ring = 1;         // members of a ring group
  bool ulysses_low = true;  // whether Ulysses takes neighbours, or else the ring
};

// The kinds ulysses and ring of sequence parallel groups of cut.ulysses x cut.ring ranks that are
// evenly spaced.
std::vector<PresetKind> CutSequence(const StridedGroups& groups, const SequenceCut& cut);

// The same of groups that are lists.
std::vector<PresetKind> CutSequence(const RankLists& groups, const SequenceCut& cut);

// The kinds ulysses and ring over all `ranks`. `groups` are the sequence parallel groups as lists
// of ranks, counted from the first of `ranks`; without them these are runs of neighbours. `label`
// begins each message.
//
// Errors: kInvalidArgument, in this order: zero_size; product_overflow; not_divisible (ulysses x
// ring over the ranks); those of CheckSequenceGroups(); negative_size.
absl::StatusOr<std::vector<PresetKind>> CutRanks(std::string_view label,
                                                 const std::optional<RankLists>& groups,
                                                 const SequenceCut& cut, RankRun ranks);

// Refuses lists of ranks, counted from the first of `ranks`, that are not groups of `size` over all
// of `ranks`. `entry_kind` is the kind for a group of another size.
//
// Errors: kInvalidArgument, in this order: product_overflow; sp_group_count (not as many groups as
// their size asks for); `entry_kind`; rank_not_in_any_group (some ranks are in none, so others are
// twice in one).
absl::Status CheckSequenceGroups(std::string_view label, const RankLists& groups, int64_t size,
                                 ErrorKind entry_kind, RankRun ranks);

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_PRESET_SEQUENCE_CUT_H_
