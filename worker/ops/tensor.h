#ifndef MUSTER_WORKER_OPS_TENSOR_H_
#define MUSTER_WORKER_OPS_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "worker/comm/dtype.h"

namespace muster {

// The most dimensions of a tensor.
inline constexpr int32_t kTensorDimsMax = 64;

// Where memory is. The numbers are those of DLPack.
enum class DeviceKind : int32_t { kHost = 1, kCuda = 2 };

struct TensorDevice {
  DeviceKind kind = DeviceKind::kHost;
  int32_t index = 0;

  friend bool operator==(const TensorDevice&, const TensorDevice&) = default;
};

// As "host" or "cuda:3".
std::string FormatDevice(TensorDevice device);

// As "(2, 3)".
std::string FormatShape(const std::vector<int64_t>& shape);

// What a tensor is to be like.
struct TensorSpec {
  DType dtype = DType::kUint8;
  std::vector<int64_t> shape;

  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

// As "float32 (2, 3)".
std::string FormatSpec(const TensorSpec& spec);

// The number of elements of `shape`.
//
// kInvalidArgument for more than kTensorDimsMax sizes, a size below 0, and for more elements, or
// bytes of `dtype`, than 63 bits can count; sizes beside a 0 are held to that, too.
absl::StatusOr<int64_t> CountElements(const TensorSpec& spec);

// Elements of one type at equal distances in memory, which is shared by everything that views it.
//
// The element at an index lies at data() + sum(index[d] * strides()[d]) elements. Strides may be
// anything from 0 on, in any order; negative ones are refused. Not all of the memory need be
// elements: views leave gaps.
//
// A value: copies and views are further handles of the same memory, which goes with the last of
// them. A Tensor made by default stands for no tensor at all; only defined() may be asked of it.
//
// Thread safety: as a value. Who may use the elements is for the users to agree on.
class Tensor {
 public:
  // What a tensor is made of when its memory is there already.
  struct Parts {
    std::shared_ptr<const void> owner;  // Keeps the memory; null if the caller does.
    std::byte* data = nullptr;  // The element at index 0, 0, ..; may be null if there is none.
    TensorSpec spec;
    std::optional<std::vector<int64_t>> strides;  // In elements; contiguous if not given.
    TensorDevice device;
  };

  Tensor() = default;

  // New host memory, contiguous and aligned to 64 bytes. Its elements are not set.
  //
  // kInvalidArgument as of CountElements(); kResourceExhausted if there is no such memory.
  static absl::StatusOr<Tensor> Allocate(const TensorSpec& spec);

  // Existing memory. kInvalidArgument as of CountElements(), and for no memory, memory that is not
  // aligned to numbers of the dtype, strides below 0 or not one for each dimension, or a last
  // element further off than 63 bits can count.
  static absl::StatusOr<Tensor> Wrap(Parts parts);

  bool defined() const { return defined_; }

  std::byte* data() const { return data_; }
  DType dtype() const { return spec_.dtype; }
  const std::vector<int64_t>& shape() const { return spec_.shape; }
  const TensorSpec& spec() const { return spec_; }
  const std::vector<int64_t>& strides() const { return strides_; }
  TensorDevice device() const { return device_; }
  const std::shared_ptr<const void>& owner() const { return owner_; }

  int32_t dims() const { return static_cast<int32_t>(spec_.shape.size()); }
  int64_t size(int32_t dim) const { return spec_.shape[static_cast<size_t>(dim)]; }
  int64_t stride(int32_t dim) const { return strides_[static_cast<size_t>(dim)]; }
  int64_t element_count() const { return element_count_; }
  int64_t byte_count() const;

  // Tells whether the elements lie one after the other, the last dimension fastest.
  bool IsContiguous() const;

  // Tells whether no two elements share memory. That is shown by dimensions which, in the order of
  // their strides, each step over all that the ones before reach; the few tensors of which it holds
  // for other reasons count as overlapping.
  bool IsDisjoint() const;

  // Bytes from the first element to the end of the last one.
  int64_t ExtentBytes() const;

  // Tells whether the memory between first and last elements of both has bytes in common.
  bool ExtentOverlaps(const Tensor& other) const;

  // Views. Each gives kInvalidArgument if the dimension is not in [-dims(), dims()), or for what
  // else is said.

  // `count` indexes of `dim` from `first` on, which must be there.
  absl::StatusOr<Tensor> Narrow(int32_t dim, int64_t first, int64_t count) const;

  // `dim` of n * c indexes as two dimensions, of n and c; n must divide it.
  absl::StatusOr<Tensor> SplitDim(int32_t dim, int64_t n) const;

  // `dim` before all others, which keep their order.
  absl::StatusOr<Tensor> MoveToFront(int32_t dim) const;

  // Dimension d is what order[d] was; every one once.
  absl::StatusOr<Tensor> Permute(const std::vector<int32_t>& order) const;

  // The same elements, in their order, in another shape of as many. The tensor must be contiguous.
  absl::StatusOr<Tensor> Reshape(std::vector<int64_t> shape) const;

 private:
  std::shared_ptr<const void> owner_;
  std::byte* data_ = nullptr;
  TensorSpec spec_;
  std::vector<int64_t> strides_;
  TensorDevice device_;
  int64_t element_count_ = 0;
  bool defined_ = false;
};

// `dim` counted from 0, of a tensor with `dims` dimensions; negative ones count from the end.
// kInvalidArgument outside [-dims, dims), so always if there are none.
absl::StatusOr<int32_t> NormalizeDim(int32_t dim, int32_t dims);

// The strides of a contiguous tensor. Those of an empty one are those of sizes of 1 in place of 0.
std::vector<int64_t> ContiguousStrides(const std::vector<int64_t>& shape);

}  // namespace muster

#endif  // MUSTER_WORKER_OPS_TENSOR_H_
