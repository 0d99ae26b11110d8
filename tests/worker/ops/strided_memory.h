#ifndef MUSTER_TESTS_WORKER_OPS_STRIDED_MEMORY_H_
#define MUSTER_TESTS_WORKER_OPS_STRIDED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/testing/ops_model.h"
#include "worker/ops/tensor.h"

namespace muster {

// How elements lie in memory.
enum class Lie {
  kContiguous,
  kGaps,        // In order, with room between and before them.
  kTransposed,  // The first dimension fastest.
  kBoth,        // Both, the first dimension in the middle.
};

inline constexpr Lie kAllLies[] = {Lie::kContiguous, Lie::kGaps, Lie::kTransposed, Lie::kBoth};

// A tensor with memory around it, which is watched.
class StridedMemory {
 public:
  // Elements have the values of `dense`.
  StridedMemory(const Dense& dense, DType dtype, Lie lie);

  // Elements are set to a filling.
  StridedMemory(const TensorSpec& spec, Lie lie);

  const Tensor& tensor() const { return tensor_; }

  // Tells whether no byte outside the elements has changed.
  bool IsRestUntouched() const;

  // Tells whether no byte at all has changed since it was made.
  bool IsUntouched() const { return *memory_ == *original_; }

 private:
  std::vector<bool> ElementBytes() const;

  std::shared_ptr<std::vector<std::byte>> memory_;
  std::shared_ptr<std::vector<std::byte>> original_;
  Tensor tensor_;
};

// The elements of `tensor`, in order of their indexes, read one by one.
std::vector<std::byte> BytesOf(const Tensor& tensor);

// Empty if `tensor` has the values of `dense`; else what is wrong.
std::string Compare(const Tensor& tensor, const Dense& dense, DType dtype);

// A contiguous tensor with the values of `dense`.
Tensor TensorOf(const Dense& dense, DType dtype);

}  // namespace muster

#endif  // MUSTER_TESTS_WORKER_OPS_STRIDED_MEMORY_H_
