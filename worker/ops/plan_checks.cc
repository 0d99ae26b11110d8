#include "worker/ops/plan_checks.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"

namespace muster {
namespace {

// Tells whether both are the same elements, each at the same index.
bool IsSameView(const Tensor& a, const Tensor& b) {
  return a.data() == b.data() && a.spec() == b.spec() && a.strides() == b.strides();
}

absl::Status CheckHost(std::string_view name, const Tensor& tensor) {
  if (tensor.device().kind == DeviceKind::kHost) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(ToAbsl(name), " is on ",
                                               FormatDevice(tensor.device()),
                                               ", and the group takes tensors on the host"));
}

absl::Status CheckOutput(const TensorSpec& spec, const Tensor& output) {
  if (!output.defined()) return InvalidArgument("output is no tensor");
  MUSTER_RETURN_IF_ERROR(CheckHost("output", output));
  if (output.spec() != spec) {
    return InvalidArgument(
        absl::StrCat("output is ", FormatSpec(output.spec()), ", want ", FormatSpec(spec)));
  }
  if (!output.IsDisjoint()) {
    return InvalidArgument(absl::StrCat("output of shape ", FormatShape(output.shape()),
                                        " and strides ", FormatShape(output.strides()),
                                        " has elements that share memory"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status InvalidArgument(std::string_view message) {
  return absl::InvalidArgumentError(ToAbsl(message));
}

absl::Status CheckInput(const Tensor& tensor) {
  if (!tensor.defined()) return InvalidArgument("input is no tensor");
  return CheckHost("input", tensor);
}

absl::Status CheckInputs(Tensors inputs) {
  if (inputs.empty()) return InvalidArgument("there is no input, want at least one");
  for (const Tensor& input : inputs) {
    MUSTER_RETURN_IF_ERROR(CheckInput(input));
    if (input.dtype() != inputs.front().dtype()) {
      return InvalidArgument(absl::StrCat("inputs are of ",
                                          ToAbsl(DTypeName(inputs.front().dtype())), " and of ",
                                          ToAbsl(DTypeName(input.dtype())), ", want one dtype"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckRoot(GroupRank root, int32_t size) {
  if (root.value >= 0 && root.value < size) return absl::OkStatus();
  return InvalidArgument(absl::StrCat("root is group rank ", root.value, ", want 0 to ", size - 1));
}

absl::StatusOr<std::vector<Tensor>> MakeOutputs(const std::vector<TensorSpec>& specs,
                                                Tensors outputs, Tensors inputs, InPlace in_place) {
  std::vector<Tensor> made;
  if (outputs.empty()) {
    for (const TensorSpec& spec : specs) {
      MUSTER_ASSIGN_OR_RETURN(Tensor output, Tensor::Allocate(spec));
      made.push_back(std::move(output));
    }
    return made;
  }
  if (outputs.size() != specs.size()) {
    return InvalidArgument(
        absl::StrCat("there are ", outputs.size(), " outputs, want none or ", specs.size()));
  }
  for (size_t i = 0; i < specs.size(); ++i) {
    const Tensor& output = outputs[i];
    MUSTER_RETURN_IF_ERROR(CheckOutput(specs[i], output));
    for (size_t j = 0; j < inputs.size(); ++j) {
      const bool may_be_same = in_place == InPlace::kAllowed && i == j;
      if (may_be_same && IsSameView(output, inputs[j])) continue;
      if (inputs[j].defined() && output.ExtentOverlaps(inputs[j])) {
        return InvalidArgument("output and input lie in the same memory");
      }
    }
    for (const Tensor& other : made) {
      if (output.ExtentOverlaps(other)) {
        return InvalidArgument("two outputs lie in the same memory");
      }
    }
    made.push_back(output);
  }
  return made;
}

absl::StatusOr<Tensor> MakeOutput(const TensorSpec& spec, Tensors outputs, Tensors inputs,
                                  InPlace in_place) {
  MUSTER_ASSIGN_OR_RETURN(std::vector<Tensor> made, MakeOutputs({spec}, outputs, inputs, in_place));
  return std::move(made.front());
}

TensorSpec WithSize(TensorSpec spec, int32_t dim, int64_t size) {
  spec.shape[static_cast<size_t>(dim)] = size;
  return spec;
}

absl::StatusOr<TensorSpec> Multiplied(const TensorSpec& spec, int32_t dim, int32_t n) {
  int64_t size = 0;
  if (__builtin_mul_overflow(spec.shape[static_cast<size_t>(dim)], int64_t{n}, &size)) {
    return InvalidArgument(absl::StrCat(n, " times dimension ", dim, " of shape ",
                                        FormatShape(spec.shape),
                                        " is more than 63 bits can count"));
  }
  return WithSize(spec, dim, size);
}

absl::StatusOr<Tensor> EqualParts(const Tensor& tensor, int32_t dim, int32_t n) {
  MUSTER_ASSIGN_OR_RETURN(const Tensor split, tensor.SplitDim(dim, n));
  return split.MoveToFront(dim);
}

absl::StatusOr<Pieces> EqualPartsOf(Tensors tensors, int32_t dim, int32_t n) {
  Pieces all;
  for (const Tensor& tensor : tensors) {
    MUSTER_ASSIGN_OR_RETURN(const int32_t at, NormalizeDim(dim, tensor.dims()));
    MUSTER_ASSIGN_OR_RETURN(Tensor parts, EqualParts(tensor, at, n));
    all.push_back(std::move(parts));
  }
  if (all.size() == 1) return all;
  Pieces by_part;
  for (int32_t part = 0; part < n; ++part) {
    for (const Tensor& parts : all) {
      MUSTER_ASSIGN_OR_RETURN(Tensor one, parts.Narrow(0, part, 1));
      by_part.push_back(std::move(one));
    }
  }
  return by_part;
}

absl::StatusOr<Sizes> CheckSizes(std::string_view name, std::span<const int64_t> sizes,
                                 int32_t ranks) {
  if (sizes.size() != static_cast<size_t>(ranks)) {
    return InvalidArgument(
        absl::StrCat(ToAbsl(name), " has ", sizes.size(), " numbers, want ", ranks));
  }
  Sizes checked;
  for (size_t rank = 0; rank < sizes.size(); ++rank) {
    if (sizes[rank] < 0) {
      return InvalidArgument(
          absl::StrCat(ToAbsl(name), "[", rank, "] is ", sizes[rank], ", want 0 or more"));
    }
    checked.of.push_back(sizes[rank]);
    checked.before.push_back(checked.sum);
    if (__builtin_add_overflow(checked.sum, sizes[rank], &checked.sum)) {
      return InvalidArgument(absl::StrCat(ToAbsl(name), " sums up to more than 63 bits can count"));
    }
  }
  return checked;
}

absl::StatusOr<Pieces> PartsOf(const Tensor& tensor, int32_t dim, const Sizes& sizes) {
  Pieces pieces;
  for (size_t rank = 0; rank < sizes.of.size(); ++rank) {
    MUSTER_ASSIGN_OR_RETURN(Tensor part, tensor.Narrow(dim, sizes.before[rank], sizes.of[rank]));
    pieces.push_back(std::move(part));
  }
  return pieces;
}

void AddCommon(const TensorSpec& spec, std::vector<int64_t>* common) {
  common->push_back(static_cast<int64_t>(spec.shape.size()));
  common->insert(common->end(), spec.shape.begin(), spec.shape.end());
}

std::vector<int64_t> CountsOf(const Pieces& pieces) {
  std::vector<int64_t> counts;
  for (const Tensor& piece : pieces) counts.push_back(piece.element_count());
  return counts;
}

}  // namespace muster
