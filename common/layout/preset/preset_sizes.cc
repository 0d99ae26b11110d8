#include "common/layout/preset/preset_sizes.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/ids.h"
#include "common/base/rank_ranges.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "common/layout/layout_error.h"

namespace muster {
namespace {

std::string SizeLabel(std::string_view label, const PresetSize& size) {
  return absl::StrCat(ToAbsl(label), ": the size of ", ToAbsl(size.name), " is");
}

}  // namespace

std::string PresetLabel(const PresetParams& params) {
  return absl::StrCat("preset ", Quoted(params.preset()));
}

std::string SizesText(const std::vector<PresetSize>& sizes) {
  return absl::StrJoin(sizes, " x ", [](std::string* out, const PresetSize& size) {
    absl::StrAppend(out, ToAbsl(size.name), " ", size.value);
  });
}

absl::StatusOr<int64_t> SizesProduct(std::string_view label, const std::vector<PresetSize>& sizes) {
  int64_t product = 1;
  for (const PresetSize& size : sizes) {
    if (!__builtin_mul_overflow(product, size.value, &product)) continue;
    return LayoutError(ErrorKind::kProductOverflow,
                       absl::StrCat(ToAbsl(label), ": ", SizesText(sizes),
                                    " needs more than 63 bits, want <= ", kWorldSizeMax),
                       "Choose smaller sizes.");
  }
  return product;
}

absl::Status CheckSizes(std::string_view label, const std::vector<PresetSize>& sizes) {
  for (const PresetSize& size : sizes) {
    MUSTER_RETURN_IF_ERROR(CheckPositive(SizeLabel(label, size), size.value));
  }
  return absl::OkStatus();
}

absl::Status CheckNoZero(std::string_view label, const std::vector<PresetSize>& sizes) {
  for (const PresetSize& size : sizes) {
    if (size.value == 0) return CheckPositive(SizeLabel(label, size), 0);
  }
  return absl::OkStatus();
}

absl::Status CheckDivideRanks(ErrorKind kind, std::string_view label,
                              const std::vector<PresetSize>& sizes, RankRun ranks) {
  MUSTER_ASSIGN_OR_RETURN(const int64_t product, SizesProduct(label, sizes));
  const auto rest = static_cast<int32_t>(ranks.count % product);
  if (rest == 0) return absl::OkStatus();
  std::vector<GlobalRank> left_out;
  for (int32_t place = ranks.count - rest; place < ranks.count; ++place) {
    left_out.emplace_back(ranks.first + place);
  }
  const std::string text = SizesText(sizes);
  const std::string who = absl::StrCat(rest == 1 ? "rank " : "ranks ", FormatIdRanges(left_out));
  const std::string total = sizes.size() > 1 ? absl::StrCat(" = ", product) : "";
  return LayoutError(
      kind,
      absl::StrCat(ToAbsl(label), ": ", text, total, " over ", ranks.count, " ranks: ", ranks.count,
                   " = ", product, " x ", ranks.count / product, " + ", rest,
                   ", want no remainder; ", who, " would be in no group"),
      absl::StrCat("Choose sizes whose product divides ", ranks.count, "."), std::move(left_out));
}

}  // namespace muster
