#ifndef MUSTER_COMMON_LAYOUT_WEIGHTS_H_
#define MUSTER_COMMON_LAYOUT_WEIGHTS_H_

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/layout/layout.h"

namespace muster {

// The names that reference systems use for tensor, pipeline and expert parallel groups, and for
// those that shard parameters.
inline constexpr std::string_view kWeightNames =
    "tp,pp,ep,shard,fs,mp,expert_tp,gtp_remat,expert_gtp_remat";

// Tells the groups over which weights are spread from the others. Where one of the former changes,
// its members must move weights; a group of the latter is stateless.
class WeightRule {
 public:
  // The names of kWeightNames.
  WeightRule();

  // `names` with commas between; empty text: no group at all. A name is that of a dimension ("tp"),
  // or of one kind of groups ("dit.tp", "draft").
  //
  // Errors: kInvalidArgument of kind invalid_name, for an empty name between commas.
  static absl::StatusOr<WeightRule> Parse(std::string_view names);

  // Whether the name of `kind`, or what follows the mesh in it, is one of the names as a whole.
  bool MovesWeights(const GroupKind& kind) const;

  // The names of the kinds for which weights must move where `to` follows `from`, in alphabetical
  // order: in one of the layouts, weights are spread over a group of theirs of two or more that the
  // other has not in a kind of that name, with the same members in the same order. Whether a group
  // has a communicator does not matter. Costs O(groups), and O(members) of those that are listed.
  std::set<std::string> MovedKinds(const Layout& from, const Layout& to) const;

 private:
  void AddMovedKinds(const Layout& from, const Layout& to, std::set<std::string>& moved) const;

  std::set<std::string, std::less<>> names_;
};

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_WEIGHTS_H_
