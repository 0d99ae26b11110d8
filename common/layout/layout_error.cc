#include "common/layout/layout_error.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/rank_ranges.h"
#include "common/base/string_view.h"

namespace muster {
namespace {

bool IsLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool IsNameChar(char c) { return IsLetterOrDigit(c) || c == '_' || c == '-'; }

// "dp 2 x tp 3".
std::string FormatProduct(const std::vector<MeshDim>& dims) {
  std::string text;
  for (const MeshDim& dim : dims) {
    absl::StrAppend(&text, text.empty() ? "" : " x ", dim.name, " ", dim.size);
  }
  return text;
}

// Nothing if the product needs more than 63 bits.
std::optional<int64_t> ProductOf(const std::vector<MeshDim>& dims) {
  int64_t product = 1;
  for (const MeshDim& dim : dims) {
    if (__builtin_mul_overflow(product, int64_t{dim.size}, &product)) return std::nullopt;
  }
  return product;
}

absl::Status ProductOverflow(std::string_view what, const std::vector<MeshDim>& dims,
                             int32_t want) {
  return LayoutError(ErrorKind::kProductOverflow,
                     absl::StrCat(ToAbsl(what), ": ", FormatProduct(dims),
                                  " needs more than 63 bits, want ", want),
                     absl::StrCat("Choose sizes that multiply to ", want, "."));
}

absl::Status ProductMismatch(std::string_view what, const std::vector<MeshDim>& dims,
                             int64_t product, int32_t want, std::vector<GlobalRank> left_out) {
  std::string message =
      absl::StrCat(ToAbsl(what), ": ", FormatProduct(dims), " = ", product, ", want ", want);
  if (!left_out.empty()) {
    absl::StrAppend(&message, ": ", left_out.size() == 1 ? "rank " : "ranks ",
                    FormatIdRanges(left_out), " would be in no group");
  }
  return LayoutError(ErrorKind::kProductMismatch, message,
                     absl::StrCat("Choose sizes that multiply to ", want, "."),
                     std::move(left_out));
}

}  // namespace

absl::Status LayoutError(ErrorKind kind, std::string_view message, std::string_view remedy,
                         std::vector<GlobalRank> ranks) {
  ErrorDetail detail;
  detail.kind = kind;
  detail.ranks = std::move(ranks);
  detail.remedy = std::string(remedy);
  return MakeError(absl::StatusCode::kInvalidArgument, message, std::move(detail));
}

std::string Quoted(std::string_view name) {
  const bool cut = name.size() > kLayoutNameBytesMax;
  return absl::StrCat("'", absl::CHexEscape(ToAbsl(name.substr(0, kLayoutNameBytesMax))),
                      cut ? "..." : "", "'");
}

absl::Status CheckPositive(std::string_view what, int64_t count) {
  if (count >= 1) return absl::OkStatus();
  return LayoutError(count == 0 ? ErrorKind::kZeroSize : ErrorKind::kNegativeSize,
                     absl::StrCat(ToAbsl(what), " ", count, ", want >= 1"),
                     "Give a size of 1 or more.");
}

absl::Status CheckLimit(std::string_view what, int64_t count, int64_t max) {
  if (count <= max) return absl::OkStatus();
  return LayoutError(ErrorKind::kLimitExceeded,
                     absl::StrCat(ToAbsl(what), " ", count, ", want <= ", max),
                     absl::StrCat("Stay within ", max, "."));
}

absl::Status CheckName(std::string_view what, std::string_view name) {
  const bool fits = !name.empty() && name.size() <= kLayoutNameBytesMax &&
                    IsLetterOrDigit(name.front()) &&
                    std::all_of(name.begin(), name.end(), IsNameChar);
  if (fits) return absl::OkStatus();
  return LayoutError(
      ErrorKind::kInvalidName,
      absl::StrCat(ToAbsl(what), ": name ", Quoted(name), " of ", name.size(), " bytes, want 1 to ",
                   kLayoutNameBytesMax, " of a-z, 0-9, '_' and '-', the first a letter or a digit"),
      "Choose another name.");
}

absl::Status CheckProduct(std::string_view what, const std::vector<MeshDim>& dims, int32_t want) {
  const std::optional<int64_t> product = ProductOf(dims);
  if (!product.has_value()) return ProductOverflow(what, dims, want);
  if (*product == want) return absl::OkStatus();
  return ProductMismatch(what, dims, *product, want, {});
}

absl::Status CheckTiles(std::string_view what, const std::vector<MeshDim>& dims, RankRun ranks) {
  const std::optional<int64_t> product = ProductOf(dims);
  if (!product.has_value()) return ProductOverflow(what, dims, ranks.count);
  if (*product == ranks.count) return absl::OkStatus();
  std::vector<GlobalRank> left_out;
  for (int64_t place = *product; place < ranks.count; ++place) {
    left_out.emplace_back(ranks.first + static_cast<int32_t>(place));
  }
  return ProductMismatch(what, dims, *product, ranks.count, std::move(left_out));
}

}  // namespace muster
