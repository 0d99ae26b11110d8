#ifndef MUSTER_WORKER_COMM_BUFFER_H_
#define MUSTER_WORKER_COMM_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "worker/comm/dtype.h"

namespace muster {

// `count` elements of `dtype`, one after the other, owned by somebody else. `data` may be null if
// `count` is 0. The memory kind is the communicator's: host memory unless its backend says else.
struct ConstBuffer {
  const std::byte* data = nullptr;
  int64_t count = 0;
  DType dtype = DType::kUint8;
};

// The same, to be written to.
struct Buffer {
  std::byte* data = nullptr;
  int64_t count = 0;
  DType dtype = DType::kUint8;

  operator ConstBuffer() const { return {data, count, dtype}; }  // NOLINT: meant to be implicit.
};

inline int64_t BytesOf(ConstBuffer buffer) {
  return buffer.count * static_cast<int64_t>(SizeOf(buffer.dtype));
}

// The elements of a contiguous container, such as std::vector<float> or std::span<const int64_t>.
// It must outlive the buffer.
template <typename Container>
auto BufferOf(Container& elements) {
  using Element = std::remove_pointer_t<decltype(elements.data())>;
  constexpr DType kType = DTypeOf<std::remove_const_t<Element>>::value;
  const auto count = static_cast<int64_t>(elements.size());
  if constexpr (std::is_const_v<Element>) {
    return ConstBuffer{reinterpret_cast<const std::byte*>(elements.data()), count, kType};
  } else {
    return Buffer{reinterpret_cast<std::byte*>(elements.data()), count, kType};
  }
}

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_BUFFER_H_
