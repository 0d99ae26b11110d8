#include "common/layout/preset/rank_generator.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/base/error_kind.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "common/layout/layout_error.h"

namespace muster {
namespace {

using Dim = RankGenerator::Dim;

std::vector<std::string> Words(std::string_view text) { return absl::StrSplit(ToAbsl(text), '-'); }

// "tp 2 x sp 3".
std::string Equation(const std::vector<Dim>& dims) {
  return absl::StrJoin(dims, " x ", [](std::string* out, const Dim& dim) {
    absl::StrAppend(out, dim.name, dim.name.empty() ? "" : " ", dim.size);
  });
}

std::string Names(const std::vector<Dim>& dims) {
  return absl::StrJoin(dims, ", ", [](std::string* out, const Dim& dim) { out->append(dim.name); });
}

const Dim* Find(const std::vector<Dim>& dims, std::string_view name) {
  const auto at =
      std::find_if(dims.begin(), dims.end(), [name](const Dim& dim) { return dim.name == name; });
  return at == dims.end() ? nullptr : &*at;
}

absl::Status CheckExclusive(const std::vector<Dim>& dims, const RankGeneratorRules& rules) {
  std::vector<Dim> large;
  for (const Dim& dim : dims) {
    const bool exclusive = std::find(rules.exclusive.begin(), rules.exclusive.end(), dim.name) !=
                           rules.exclusive.end();
    if (exclusive && dim.size > 1) large.push_back(dim);
  }
  if (large.size() < 2) return absl::OkStatus();
  return LayoutError(ErrorKind::kEpAndCpTogether,
                     absl::StrCat("one grid has ", Equation(large), ", want at most one of ",
                                  Names(large), " above 1"),
                     "Use a grid of its own for each.");
}

// The words of `order`, with the dimensions of size 1 that it lacks at the end.
absl::StatusOr<std::vector<std::string>> Completed(const std::vector<Dim>& dims,
                                                   const std::string& order) {
  std::vector<std::string> words = Words(order);
  for (const Dim& dim : dims) {
    if (order.find(dim.name) != std::string::npos) continue;
    if (dim.size != 1) {
      return LayoutError(ErrorKind::kOrderMissingDimension,
                         absl::StrCat("order ", Quoted(order), " lacks ", dim.name, " of size ",
                                      dim.size, ", want every dimension above 1 in it"),
                         absl::StrCat("Add '", dim.name, "' to the order."));
    }
    words.push_back(dim.name);
  }
  return words;
}

// The dimensions in the order of `words`.
absl::StatusOr<std::vector<Dim>> Ordered(const std::vector<Dim>& dims, const std::string& order,
                                         const std::vector<std::string>& words) {
  std::vector<Dim> ordered;
  for (const std::string& word : words) {
    const Dim* const dim = Find(dims, word);
    if (dim == nullptr) {
      return LayoutError(ErrorKind::kOrderUnknownToken,
                         absl::StrCat("order ", Quoted(order), " has ", Quoted(word),
                                      ", want names of: ", Names(dims)),
                         "Separate the names with hyphens.");
    }
    ordered.push_back(*dim);
  }
  std::set<std::string_view> seen;
  for (const Dim& dim : ordered) {
    if (seen.insert(dim.name).second) continue;
    return LayoutError(
        ErrorKind::kDuplicateName,
        absl::StrCat("order ", Quoted(order), " has ", Quoted(dim.name), " twice, want it once"),
        "Remove one of them.");
  }
  for (const Dim& dim : dims) {
    if (Find(ordered, dim.name) != nullptr) continue;
    return LayoutError(ErrorKind::kTokenUnknown,
                       absl::StrCat("order ", Quoted(order), " has ", Quoted(dim.name),
                                    " as a part of another word only, want it as a word"),
                       absl::StrCat("Add '", dim.name, "' to the order."));
  }
  return ordered;
}

// The number of ranks of a grid whose sizes are those of `dims`.
absl::StatusOr<int64_t> RanksOfGrid(const std::vector<Dim>& dims) {
  for (const Dim& dim : dims) {
    const std::string what =
        dim.name.empty() ? "a size is" : absl::StrCat("the size of ", Quoted(dim.name), " is");
    MUSTER_RETURN_IF_ERROR(CheckPositive(what, dim.size));
  }
  int64_t product = 1;
  for (const Dim& dim : dims) {
    if (!__builtin_mul_overflow(product, dim.size, &product) && product <= kWorldSizeMax) continue;
    return LayoutError(ErrorKind::kProductOverflow,
                       absl::StrCat(Equation(dims), " is more than the ", kWorldSizeMax,
                                    " ranks that a world may have"),
                       "Choose smaller sizes.");
  }
  return product;
}

// The groups of a grid over the axes of which `inside` holds. All numbers are those of a world.
StridedGroups GroupsOver(const std::vector<Dim>& dims, const std::vector<bool>& inside,
                         int32_t first_rank) {
  StridedGroups groups{.first_rank = GlobalRank(first_rank), .outer = {}, .inner = {}};
  int32_t stride = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    const auto size = static_cast<int32_t>(dims[i].size);
    (inside[i] ? groups.inner : groups.outer).push_back({.size = size, .stride = stride});
    stride *= size;
  }
  std::reverse(groups.outer.begin(), groups.outer.end());
  std::reverse(groups.inner.begin(), groups.inner.end());
  return groups;
}

}  // namespace

absl::StatusOr<StridedGroups> MaskedOrthogonalGroups(int64_t world,
                                                     const std::vector<int64_t>& sizes,
                                                     const std::vector<bool>& mask) {
  if (mask.size() != sizes.size()) {
    return LayoutError(
        ErrorKind::kSizeMismatch,
        absl::StrCat("a mask of ", mask.size(), " for ", sizes.size(), " sizes, want as many"),
        "Give one entry for each size.");
  }
  std::vector<Dim> dims;
  for (const int64_t size : sizes) dims.push_back({.name = "", .size = size});
  MUSTER_ASSIGN_OR_RETURN(const int64_t product, RanksOfGrid(dims));
  if (world != product) {
    return LayoutError(ErrorKind::kIndexOutOfLayout,
                       absl::StrCat("a world of ", world, " over sizes ", Equation(dims), " = ",
                                    product, ", want the product"),
                       "Choose sizes that multiply to the world size.");
  }
  return GroupsOver(dims, mask, 0);
}

absl::StatusOr<RankGenerator> RankGenerator::Create(std::vector<Dim> dims, std::string_view order,
                                                    int32_t rank_offset,
                                                    const RankGeneratorRules& rules) {
  MUSTER_RETURN_IF_ERROR(CheckExclusive(dims, rules));
  const std::string lower = absl::AsciiStrToLower(ToAbsl(order));
  MUSTER_ASSIGN_OR_RETURN(const std::vector<std::string> words, Completed(dims, lower));
  MUSTER_ASSIGN_OR_RETURN(std::vector<Dim> ordered, Ordered(dims, lower, words));
  MUSTER_ASSIGN_OR_RETURN(const int64_t world, RanksOfGrid(ordered));
  if (rank_offset < -kWorldSizeMax || rank_offset > kWorldSizeMax) {
    return LayoutError(ErrorKind::kIndexOutOfLayout,
                       absl::StrCat("a rank offset of ", rank_offset, ", want one from ",
                                    -kWorldSizeMax, " to ", kWorldSizeMax),
                       "Choose another offset.");
  }
  return RankGenerator(std::move(ordered), rank_offset, static_cast<int32_t>(world));
}

RankGenerator::RankGenerator(std::vector<Dim> dims, int32_t rank_offset, int32_t world_size)
    : dims_(std::move(dims)), rank_offset_(rank_offset), world_size_(world_size) {}

absl::StatusOr<StridedGroups> RankGenerator::Groups(std::string_view token) const {
  std::vector<bool> inside(dims_.size(), false);
  for (const std::string& word : Words(token)) {
    const Dim* const dim = Find(dims_, word);
    if (dim == nullptr) {
      return LayoutError(ErrorKind::kTokenUnknown,
                         absl::StrCat("groups over ", Quoted(token), ": no dimension is named ",
                                      Quoted(word), ", want names of: ", Names(dims_)),
                         "Separate the names with hyphens.");
    }
    inside[static_cast<size_t>(dim - dims_.data())] = true;
  }
  return GroupsOver(dims_, inside, rank_offset_);
}

}  // namespace muster
