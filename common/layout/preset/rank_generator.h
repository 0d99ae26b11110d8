#ifndef MUSTER_COMMON_LAYOUT_PRESET_RANK_GENERATOR_H_
#define MUSTER_COMMON_LAYOUT_PRESET_RANK_GENERATOR_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/layout/group_shape.h"
#include "common/layout/layout_spec.h"

namespace muster {

// Groups of ranks that differ along some of the dimensions of a grid. `sizes` are those of the
// grid, fastest first; `mask` tells which of them vary inside a group. Groups are counted along the
// others and members along these, each time the fastest first.
//
// Errors: kInvalidArgument: size_mismatch (not one entry of the mask for each size); zero_size,
// negative_size; product_overflow (more ranks than a world may have); index_out_of_layout (`world`
// is not the product of the sizes).
absl::StatusOr<StridedGroups> MaskedOrthogonalGroups(int64_t world,
                                                     const std::vector<int64_t>& sizes,
                                                     const std::vector<bool>& mask);

// What a generator refuses besides.
struct RankGeneratorRules {
  // Dimensions of which at most one may have a size above 1; empty: no such rule. Megatron has it
  // for "ep" and "cp".
  std::vector<std::string> exclusive = {};
};

// A grid of ranks whose dimensions have names, and whose groups are asked for by name.
//
// A value that never changes; methods may be called from any thread and do not block.
class RankGenerator {
 public:
  // One dimension, with a size that is not checked yet.
  struct Dim {
    std::string name;
    int64_t size = 1;
  };

  // `order` names the dimensions of the grid, fastest first, separated by hyphens, in lower or
  // upper case: "tp-sp-pp-cfg-dp". `dims` are all that there are, with their sizes; one of size 1
  // that the order leaves out is put at its end. The ranks begin with `rank_offset`,
  // which may be below 0.
  //
  // Errors: kInvalidArgument, in this order:
  //   zero_size, negative_size
  //   ep_and_cp_together         two of the exclusive dimensions have sizes above 1
  //   order_missing_dimension    a dimension of size above 1 is not in the order, not even as a
  //   part
  //                              of another word
  //   order_unknown_token        a word of the order is no dimension
  //   duplicate_name             a dimension is twice in the order
  //   token_unknown              a dimension is only there as a part of another word, as "tp" in
  //                              "gtp_remat"
  //   product_overflow           more ranks than a world may have
  //   index_out_of_layout        an offset further than kWorldSizeMax from 0
  static absl::StatusOr<RankGenerator> Create(std::vector<Dim> dims, std::string_view order,
                                              int32_t rank_offset = 0,
                                              const RankGeneratorRules& rules = {});

  // The groups of ranks that differ along the dimensions named by `token`: "dp", "dp-cp". The order
  // of the names has no meaning; members are counted in the order of the grid.
  //
  // Errors: kInvalidArgument: token_unknown (a name that is no dimension; names are in lower case).
  absl::StatusOr<StridedGroups> Groups(std::string_view token) const;

  // Number of ranks.
  int32_t world_size() const { return world_size_; }

  // The dimensions, fastest first.
  const std::vector<Dim>& dims() const { return dims_; }

 private:
  RankGenerator(std::vector<Dim> dims, int32_t rank_offset, int32_t world_size);

  std::vector<Dim> dims_;  // fastest first
  int32_t rank_offset_;
  int32_t world_size_;
};

}  // namespace muster

#endif  // MUSTER_COMMON_LAYOUT_PRESET_RANK_GENERATOR_H_
