#ifndef MUSTER_WORKER_OPS_PLAN_CHECKS_H_
#define MUSTER_WORKER_OPS_PLAN_CHECKS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "worker/ops/plans.h"

// What plans of operations have in common. Errors as of plans.h.
namespace muster {

absl::Status InvalidArgument(std::string_view message);

// Checks that `tensor` is one, on the host.
absl::Status CheckInput(const Tensor& tensor);

// Checks that there is at least one tensor, each good and all of one dtype.
absl::Status CheckInputs(Tensors inputs);

absl::Status CheckRoot(GroupRank root, int32_t size);

// Whether a result may go where an input is.
enum class InPlace { kNo, kAllowed };

// Results of `specs`: the given `outputs`, each checked to be so, on the host, disjoint and apart
// from all of `inputs` and from each other; or new ones, if there are none. The output of an
// operation that allows it may be the input of the same number.
absl::StatusOr<std::vector<Tensor>> MakeOutputs(const std::vector<TensorSpec>& specs,
                                                Tensors outputs, Tensors inputs, InPlace in_place);
absl::StatusOr<Tensor> MakeOutput(const TensorSpec& spec, Tensors outputs, Tensors inputs,
                                  InPlace in_place = InPlace::kNo);

// `spec` with another size of `dim`, which is counted from 0.
TensorSpec WithSize(TensorSpec spec, int32_t dim, int64_t size);

// n times the size of `dim`.
absl::StatusOr<TensorSpec> Multiplied(const TensorSpec& spec, int32_t dim, int32_t n);

// `dim` of `tensor` cut into n equal parts, as a view with the number of the part before all other
// dimensions. n must divide it.
absl::StatusOr<Tensor> EqualParts(const Tensor& tensor, int32_t dim, int32_t n);

// Equal parts of several tensors: part 0 of each, then part 1 of each ..
absl::StatusOr<Pieces> EqualPartsOf(Tensors tensors, int32_t dim, int32_t n);

// The indexes of `dim` that belong to each rank.
struct Sizes {
  std::vector<int64_t> of;      // By rank.
  std::vector<int64_t> before;  // Of the ranks before.
  int64_t sum = 0;
};

// Checks `sizes`: one for each rank, of 0 or more. `name` is what the caller knows them as.
absl::StatusOr<Sizes> CheckSizes(std::string_view name, std::span<const int64_t> sizes,
                                 int32_t ranks);

// `dim` of `tensor` cut into parts of `sizes`, which are as many indexes as it has.
absl::StatusOr<Pieces> PartsOf(const Tensor& tensor, int32_t dim, const Sizes& sizes);

// A size that may differ by rank.
inline constexpr int64_t kAnySize = -1;

// Appends `spec` to what ranks must have in common.
void AddCommon(const TensorSpec& spec, std::vector<int64_t>* common);

// Elements of each piece.
std::vector<int64_t> CountsOf(const Pieces& pieces);

}  // namespace muster

#endif  // MUSTER_WORKER_OPS_PLAN_CHECKS_H_
