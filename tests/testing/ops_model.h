#ifndef MUSTER_TESTS_TESTING_OPS_MODEL_H_
#define MUSTER_TESTS_TESTING_OPS_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "worker/comm/dtype.h"
#include "worker/comm/reduction.h"

// A model of operations on tensors, apart from the product's: every value by its index, in one
// process. Values are doubles, which hold every integer of a test exactly.
namespace muster {

// The values of a tensor, the last dimension fastest.
struct Dense {
  std::vector<int64_t> shape;
  std::vector<double> values;

  friend bool operator==(const Dense&, const Dense&) = default;
};

int64_t CountOf(const std::vector<int64_t>& shape);

// Values that differ by tensor, as far as `number` differs by more than the elements of each.
Dense Numbered(const std::vector<int64_t>& shape, double number, double step = 1);

// `count` indexes of `dim` from `first` on.
Dense SliceOf(const Dense& dense, int32_t dim, int64_t first, int64_t count);

// Tensors whose shapes differ in `dim` alone, one after the other along it.
Dense Concatenated(const std::vector<Dense>& parts, int32_t dim);

// Tensors of one shape, reduced in their order.
Dense Combined(const std::vector<Dense>& inputs, ReduceOp op);

// What rank `to` gets when each rank's input is cut into equal parts along `scatter_dim`, and those
// for one rank are put together along `gather_dim`.
Dense Exchanged(const std::vector<Dense>& inputs, size_t to, int32_t scatter_dim,
                int32_t gather_dim);

// The elements of `dense` as bytes of `dtype`. Values that the type has not are cut to its bits.
std::vector<std::byte> Encoded(const Dense& dense, DType dtype);

// "shape (2, 3), values 1 2 3 ..", of the first few.
std::string Describe(const Dense& dense);

}  // namespace muster

#endif  // MUSTER_TESTS_TESTING_OPS_MODEL_H_
