#include "worker/ops/shard.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "worker/ops/copy.h"
#include "worker/ops/plan_checks.h"

namespace muster {

absl::StatusOr<Shard> MakeShard(Place place, const Tensor& tensor, int32_t dim,
                                Remainder remainder) {
  MUSTER_RETURN_IF_ERROR(CheckInput(tensor));
  MUSTER_ASSIGN_OR_RETURN(const int32_t at, NormalizeDim(dim, tensor.dims()));
  const int64_t whole = tensor.size(at);
  const bool divides = whole % place.size == 0;
  if (!divides && remainder == Remainder::kRefuse) {
    const std::string message =
        absl::StrCat("dimension ", at, " of shape ", FormatShape(tensor.shape()), " has size ",
                     whole, ", ", whole, " / ", place.size, " ranks leaves ", whole % place.size);
    return MakeError(absl::StatusCode::kInvalidArgument, message,
                     {.kind = ErrorKind::kNotDivisible,
                      .remedy = "Ask for padding, or use a size that the ranks divide."});
  }
  const int64_t part = whole / place.size + (divides ? 0 : 1);
  const int64_t first = std::min(whole, part * place.rank.value);
  const int64_t count = std::min(part, whole - first);

  Shard shard{.tensor = {}, .whole_size = whole};
  MUSTER_ASSIGN_OR_RETURN(shard.tensor, Tensor::Allocate(WithSize(tensor.spec(), at, part)));
  if (count < part && shard.tensor.byte_count() > 0) {
    std::memset(shard.tensor.data(), 0, static_cast<size_t>(shard.tensor.byte_count()));
  }
  MUSTER_ASSIGN_OR_RETURN(const Tensor from, tensor.Narrow(at, first, count));
  MUSTER_ASSIGN_OR_RETURN(const Tensor to, shard.tensor.Narrow(at, 0, count));
  CopyElements(from, to);
  return shard;
}

}  // namespace muster
