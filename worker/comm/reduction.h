#ifndef MUSTER_WORKER_COMM_REDUCTION_H_
#define MUSTER_WORKER_COMM_REDUCTION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "worker/comm/dtype.h"

namespace muster {

// How elements of several ranks become one. The numbers travel between members of a group and are
// never reused.
enum class ReduceOp : uint8_t { kSum = 1, kProduct = 2, kMin = 3, kMax = 4, kAverage = 5 };

inline constexpr ReduceOp kAllReduceOps[] = {ReduceOp::kSum, ReduceOp::kProduct, ReduceOp::kMin,
                                             ReduceOp::kMax, ReduceOp::kAverage};

// As "sum".
std::string_view ReduceOpName(ReduceOp op);

// The operation of a number that came from elsewhere; nothing if it names none.
std::optional<ReduceOp> ToReduceOp(uint8_t number);

// Tells whether elements of `dtype` are reduced by `op`: not complex numbers by their order, and
// nothing but real floating point numbers to an average.
bool IsReducible(DType dtype, ReduceOp op);

// Reduces `count` elements of each of `inputs` into `output`, element by element, in the order of
// `inputs`. Every backend on host memory reduces with this, in rank order, so that all members and
// all backends get the same bits.
//
// Integers wrap around. For bool, sum and max are "or", product and min are "and". 16-bit floats
// are accumulated in float32 and rounded once. An average is the sum, divided once by the number of
// inputs. A NaN among the elements gives NaN, also for min and max.
//
// `output` may be one of `inputs`; any other overlap is an error of the caller, as is an operation
// that IsReducible() denies. `inputs` is not empty.
void Reduce(std::span<const std::byte* const> inputs, std::byte* output, int64_t count, DType dtype,
            ReduceOp op);

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_REDUCTION_H_
