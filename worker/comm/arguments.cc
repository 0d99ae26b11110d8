#include "worker/comm/arguments.h"

#include <limits>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "worker/comm/group_operations.h"

namespace muster {
namespace {

absl::Status Invalid(std::string_view message) {
  return absl::InvalidArgumentError(ToAbsl(message));
}

std::string Describe(ConstBuffer buffer) {
  return absl::StrCat(ToAbsl(DTypeName(buffer.dtype)), " x ", buffer.count);
}

absl::Status CheckBuffer(std::string_view name, ConstBuffer buffer) {
  if (!ToDType(static_cast<uint8_t>(buffer.dtype)).has_value()) {
    return Invalid(absl::StrCat(ToAbsl(name), " has dtype ", static_cast<int>(buffer.dtype),
                                ", which is none"));
  }
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
  if (BytesOf(a) == 0 || BytesOf(b) == 0) return false;
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

// Checks the numbers of elements per rank that go into, or come out of, `buffer`.
absl::Status CheckCounts(std::string_view name, const std::vector<int64_t>& counts, int32_t size,
                         std::string_view buffer_name, ConstBuffer buffer) {
  if (counts.size() != static_cast<size_t>(size)) {
    return Invalid(absl::StrCat(ToAbsl(name), " has ", counts.size(), " numbers, want ", size));
  }
  int64_t sum = 0;
  for (size_t rank = 0; rank < counts.size(); ++rank) {
    if (counts[rank] < 0) {
      return Invalid(
          absl::StrCat(ToAbsl(name), "[", rank, "] is ", counts[rank], ", want 0 or more"));
    }
    if (__builtin_add_overflow(sum, counts[rank], &sum)) {
      return Invalid(absl::StrCat(ToAbsl(name), " sums up to more than 63 bits can count"));
    }
  }
  if (sum != buffer.count) {
    return Invalid(absl::StrCat(ToAbsl(buffer_name), " is ", Describe(buffer), ", want the ", sum,
                                " elements of ", ToAbsl(name)));
  }
  return absl::OkStatus();
}

// Input and output of one rank.
struct Sides {
  ConstBuffer input;
  ConstBuffer output;

  absl::Status Mismatch(std::string_view want) const {
    return Invalid(absl::StrCat("input is ", Describe(input), " and output is ", Describe(output),
                                ", want ", ToAbsl(want)));
  }
};

absl::Status CheckSameShape(const Sides& sides) {
  if (sides.input.dtype != sides.output.dtype || sides.input.count != sides.output.count) {
    return sides.Mismatch("the same");
  }
  if (sides.input.data != sides.output.data && Overlap(sides.input, sides.output)) {
    return Invalid("input and output overlap, want them equal or apart");
  }
  return absl::OkStatus();
}

// Checks a buffer of `size` slices against a buffer of one slice, which may be the own one.
absl::Status CheckSlice(const Sides& sides, bool input_is_slice, GroupRank self, int32_t size) {
  const ConstBuffer slice = input_is_slice ? sides.input : sides.output;
  const ConstBuffer whole = input_is_slice ? sides.output : sides.input;
  if (slice.dtype != whole.dtype || whole.count % size != 0 || whole.count / size != slice.count) {
    return sides.Mismatch(absl::StrCat("the same dtype and ", size, " times the elements in the ",
                                       input_is_slice ? "output" : "input"));
  }
  if (Overlap(slice, whole) && slice.data != whole.data + self.value * BytesOf(slice)) {
    return Invalid(input_is_slice ? "input overlaps output, but is not the caller's slice of it"
                                  : "output overlaps input, but is not the caller's slice of it");
  }
  return absl::OkStatus();
}

// The same with slices of `counts` elements.
absl::Status CheckSliceV(const Sides& sides, bool input_is_slice, GroupRank self,
                         const std::vector<int64_t>& counts) {
  const ConstBuffer slice = input_is_slice ? sides.input : sides.output;
  const ConstBuffer whole = input_is_slice ? sides.output : sides.input;
  MUSTER_RETURN_IF_ERROR(CheckCounts("counts", counts, static_cast<int32_t>(counts.size()),
                                     input_is_slice ? "output" : "input", whole));
  const auto own = static_cast<size_t>(self.value);
  if (slice.dtype != whole.dtype || slice.count != counts[own]) {
    return sides.Mismatch(absl::StrCat("the same dtype and the ", counts[own],
                                       " elements of counts[", own, "] in the ",
                                       input_is_slice ? "input" : "output"));
  }
  int64_t before = 0;
  for (size_t rank = 0; rank < own; ++rank) before += counts[rank];
  const auto place = before * static_cast<int64_t>(SizeOf(whole.dtype));
  if (Overlap(slice, whole) && slice.data != whole.data + place) {
    return Invalid(input_is_slice ? "input overlaps output, but is not the caller's slice of it"
                                  : "output overlaps input, but is not the caller's slice of it");
  }
  return absl::OkStatus();
}

absl::Status CheckAllToAll(const OperationCall& call, int32_t size) {
  const Sides sides{call.input, call.output};
  if (call.operation == Operation::kAllToAllV) {
    MUSTER_RETURN_IF_ERROR(CheckCounts("send_counts", call.counts, size, "input", call.input));
    MUSTER_RETURN_IF_ERROR(
        CheckCounts("recv_counts", call.recv_counts, size, "output", call.output));
    if (sides.input.dtype != sides.output.dtype) return sides.Mismatch("the same dtype");
  } else if (sides.input.dtype != sides.output.dtype || sides.input.count != sides.output.count ||
             sides.input.count % size != 0) {
    return sides.Mismatch(absl::StrCat("the same dtype and count, a multiple of ", size));
  }
  if (Overlap(sides.input, sides.output)) return Invalid("input and output overlap");
  return absl::OkStatus();
}

absl::Status CheckShapes(const OperationCall& call, GroupRank self, int32_t size) {
  const Sides sides{call.input, call.output};
  const bool is_root = call.root == self;
  switch (call.operation) {
    case Operation::kBarrier:
    case Operation::kBroadcast:
      return absl::OkStatus();
    case Operation::kAllReduce:
      return CheckSameShape(sides);
    case Operation::kReduce:
      return is_root ? CheckSameShape(sides) : absl::OkStatus();
    case Operation::kAllGather:
      return CheckSlice(sides, /*input_is_slice=*/true, self, size);
    case Operation::kGather:
      return is_root ? CheckSlice(sides, /*input_is_slice=*/true, self, size) : absl::OkStatus();
    case Operation::kScatter:
      return is_root ? CheckSlice(sides, /*input_is_slice=*/false, self, size) : absl::OkStatus();
    case Operation::kReduceScatter:
      return CheckSlice(sides, /*input_is_slice=*/false, self, size);
    case Operation::kAllGatherV:
      return CheckSliceV(sides, /*input_is_slice=*/true, self, call.counts);
    case Operation::kReduceScatterV:
      return CheckSliceV(sides, /*input_is_slice=*/false, self, call.counts);
    case Operation::kAllToAll:
    case Operation::kAllToAllV:
      return CheckAllToAll(call, size);
    case Operation::kSend:
    case Operation::kRecv:
      if (call.root != self) return absl::OkStatus();
      return Invalid(
          absl::StrCat("the other side is group rank ", self.value, ", the caller itself"));
  }
  return Invalid("no such operation");
}

// Which buffers an operation looks at.
bool LooksAtInput(const OperationCall& call, GroupRank self) {
  if (call.operation == Operation::kScatter) return call.root == self;
  return call.operation != Operation::kRecv;
}
bool LooksAtOutput(const OperationCall& call, GroupRank self) {
  if (call.operation == Operation::kReduce || call.operation == Operation::kGather) {
    return call.root == self;
  }
  return call.operation != Operation::kSend;
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

absl::Status CheckArguments(const OperationCall& call, GroupRank self, int32_t size,
                            std::string_view backend) {
  MUSTER_RETURN_IF_ERROR(call.refusal);
  const bool takes_counts = SharesDiffer(call.operation);
  if (HasRoot(call.operation)) MUSTER_RETURN_IF_ERROR(CheckRank("root", call.root, size));
  if (IsPointToPoint(call.operation)) {
    MUSTER_RETURN_IF_ERROR(CheckRank("the other side", call.root, size));
  }
  if (LooksAtInput(call, self)) MUSTER_RETURN_IF_ERROR(CheckBuffer("input", call.input));
  if (LooksAtOutput(call, self)) MUSTER_RETURN_IF_ERROR(CheckBuffer("output", call.output));
  if (takes_counts && call.counts.size() != static_cast<size_t>(size)) {
    return Invalid(absl::StrCat("counts has ", call.counts.size(), " numbers, want ", size));
  }
  MUSTER_RETURN_IF_ERROR(CheckShapes(call, self, size));
  if (Reduces(call.operation) && !IsReducible(call.input.dtype, call.reduce)) {
    return absl::UnimplementedError(
        absl::StrCat(ToAbsl(OperationName(call.operation)), " by ",
                     ToAbsl(ReduceOpName(call.reduce)), " of ", ToAbsl(DTypeName(call.input.dtype)),
                     " is not supported by backend '", ToAbsl(backend), "'"));
  }
  return absl::OkStatus();
}

}  // namespace muster
