#include "worker/comm/arguments.h"

#include <limits>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"

namespace muster {
namespace {

absl::Status Invalid(std::string_view message) {
  return absl::InvalidArgumentError(ToAbsl(message));
}

std::string Describe(ConstBuffer buffer) {
  return absl::StrCat(ToAbsl(DTypeName(buffer.dtype)), " x ", buffer.count);
}

absl::Status CheckBuffer(std::string_view name, ConstBuffer buffer) {
  if (buffer.count < 0) {
    return Invalid(absl::StrCat(ToAbsl(name), " has ", buffer.count, " elements, want 0 or more"));
  }
  const auto size = static_cast<int64_t>(SizeOf(buffer.dtype));
  if (buffer.count > std::numeric_limits<int64_t>::max() / size) {
    return Invalid(absl::StrCat(ToAbsl(name), " of ", Describe(buffer),
                                " has more bytes than 63 bits can count"));
  }
  if (buffer.data == nullptr && buffer.count > 0) {
    return Invalid(absl::StrCat(ToAbsl(name), " of ", Describe(buffer), " has no memory"));
  }
  return absl::OkStatus();
}

bool Overlap(ConstBuffer a, ConstBuffer b) {
  const auto a_first = reinterpret_cast<uintptr_t>(a.data);
  const auto b_first = reinterpret_cast<uintptr_t>(b.data);
  return a_first < b_first + static_cast<uintptr_t>(BytesOf(b)) &&
         b_first < a_first + static_cast<uintptr_t>(BytesOf(a));
}

absl::Status CheckRank(std::string_view name, GroupRank rank, int32_t size) {
  if (rank.value < 0 || rank.value >= size) {
    return Invalid(
        absl::StrCat(ToAbsl(name), " is group rank ", rank.value, ", want 0 to ", size - 1));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckTimeout(absl::Duration timeout) {
  if (timeout <= absl::ZeroDuration() || timeout > kOperationTimeoutMax) {
    return Invalid(absl::StrCat("timeout is ", absl::FormatDuration(timeout),
                                ", want above 0 and at most ",
                                absl::FormatDuration(kOperationTimeoutMax)));
  }
  return absl::OkStatus();
}

absl::Status CheckAllReduce(ConstBuffer input, ConstBuffer output, ReduceOp op) {
  MUSTER_RETURN_IF_ERROR(CheckBuffer("input", input));
  MUSTER_RETURN_IF_ERROR(CheckBuffer("output", output));
  if (input.dtype != output.dtype || input.count != output.count) {
    return Invalid(absl::StrCat("input is ", Describe(input), " and output is ", Describe(output),
                                ", want the same"));
  }
  if (input.data != output.data && Overlap(input, output)) {
    return Invalid("input and output overlap, want them equal or apart");
  }
  if (!IsReducible(input.dtype, op)) {
    return Invalid(absl::StrCat(ToAbsl(ReduceOpName(op)), " is not defined for ",
                                ToAbsl(DTypeName(input.dtype))));
  }
  return absl::OkStatus();
}

absl::Status CheckAllGather(ConstBuffer input, ConstBuffer output, GroupRank self, int32_t size) {
  MUSTER_RETURN_IF_ERROR(CheckBuffer("input", input));
  MUSTER_RETURN_IF_ERROR(CheckBuffer("output", output));
  if (input.dtype != output.dtype || output.count % size != 0 ||
      output.count / size != input.count) {
    return Invalid(absl::StrCat("input is ", Describe(input), " and output is ", Describe(output),
                                ", want the same dtype and ", size, " times the elements"));
  }
  if (Overlap(input, output) && input.data != output.data + self.value * BytesOf(input)) {
    return Invalid("input overlaps output, but is not the caller's slice of it");
  }
  return absl::OkStatus();
}

absl::Status CheckBroadcast(ConstBuffer buffer, GroupRank root, int32_t size) {
  MUSTER_RETURN_IF_ERROR(CheckBuffer("buffer", buffer));
  return CheckRank("root", root, size);
}

absl::Status CheckPointToPoint(ConstBuffer buffer, GroupRank peer, GroupRank self, int32_t size) {
  MUSTER_RETURN_IF_ERROR(CheckBuffer("buffer", buffer));
  MUSTER_RETURN_IF_ERROR(CheckRank("the other side", peer, size));
  if (peer == self) {
    return Invalid(
        absl::StrCat("the other side is group rank ", self.value, ", the caller itself"));
  }
  return absl::OkStatus();
}

}  // namespace muster
