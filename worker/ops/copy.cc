#include "worker/ops/copy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace muster {
namespace {

// One dimension to go through. Strides are in bytes.
struct Loop {
  int64_t size = 1;
  int64_t from_stride = 0;
  int64_t to_stride = 0;
};

// A transposed copy goes square by square of this many elements each way.
constexpr int64_t kSide = 32;

// Copies `rows` times `columns` elements of kBytes, at most kSide of each, in one order of reads
// and another one of writes, by way of memory that is near. Each line of the cache is thus read
// once and written once, also where all rows begin at places that the cache cannot hold together.
template <size_t kBytes>
void CopySquare(const std::byte* from, std::byte* to, const Loop& rows, const Loop& columns) {
  std::array<std::byte, kSide * kSide * kBytes> square;
  for (int64_t column = 0; column < columns.size; ++column) {
    const std::byte* source = from + column * columns.from_stride;
    std::byte* target = square.data() + column * static_cast<int64_t>(kBytes);
    for (int64_t row = 0; row < rows.size; ++row) {
      std::memcpy(target, source, kBytes);
      source += rows.from_stride;
      target += kSide * static_cast<int64_t>(kBytes);
    }
  }
  for (int64_t row = 0; row < rows.size; ++row) {
    const std::byte* source = square.data() + row * kSide * static_cast<int64_t>(kBytes);
    std::byte* target = to + row * rows.to_stride;
    for (int64_t column = 0; column < columns.size; ++column) {
      std::memcpy(target, source, kBytes);
      source += kBytes;
      target += columns.to_stride;
    }
  }
}

// Copies all of two loops around elements of kBytes.
template <size_t kBytes>
void CopyPlane(const std::byte* from, std::byte* to, const Loop& outer, const Loop& inner) {
  const bool is_transposed = outer.size > 1 && outer.from_stride < inner.from_stride;
  const int64_t o_step = is_transposed ? kSide : 1;
  const int64_t i_step = is_transposed ? kSide : inner.size;
  for (int64_t o = 0; o < outer.size; o += o_step) {
    for (int64_t i = 0; i < inner.size; i += i_step) {
      const std::byte* source = from + o * outer.from_stride + i * inner.from_stride;
      std::byte* target = to + o * outer.to_stride + i * inner.to_stride;
      if (is_transposed) {
        const Loop rows{std::min(kSide, outer.size - o), outer.from_stride, outer.to_stride};
        const Loop columns{std::min(kSide, inner.size - i), inner.from_stride, inner.to_stride};
        CopySquare<kBytes>(source, target, rows, columns);
        continue;
      }
      for (int64_t n = 0; n < inner.size; ++n) {
        std::memcpy(target, source, kBytes);
        source += inner.from_stride;
        target += inner.to_stride;
      }
    }
  }
}

// The same for elements of any size.
void CopyRuns(const std::byte* from, std::byte* to, const Loop& outer, const Loop& inner,
              size_t bytes) {
  for (int64_t a = 0; a < outer.size; ++a) {
    for (int64_t b = 0; b < inner.size; ++b) {
      std::memcpy(to + a * outer.to_stride + b * inner.to_stride,
                  from + a * outer.from_stride + b * inner.from_stride, bytes);
    }
  }
}

void CopyPlane(const std::byte* from, std::byte* to, const Loop& outer, const Loop& inner,
               int64_t bytes) {
  switch (bytes) {
    case 1:
      return CopyPlane<1>(from, to, outer, inner);
    case 2:
      return CopyPlane<2>(from, to, outer, inner);
    case 4:
      return CopyPlane<4>(from, to, outer, inner);
    case 8:
      return CopyPlane<8>(from, to, outer, inner);
    case 16:
      return CopyPlane<16>(from, to, outer, inner);
    default:
      return CopyRuns(from, to, outer, inner, static_cast<size_t>(bytes));
  }
}

// A copy as the fewest loops around the longest runs of bytes.
struct CopyPlan {
  std::vector<Loop> loops;  // The outermost first; writes go to ascending addresses.
  int64_t run_bytes = 0;
};

CopyPlan PlanCopy(const Tensor& from, const Tensor& to) {
  CopyPlan plan;
  plan.run_bytes = static_cast<int64_t>(SizeOf(from.dtype()));
  std::vector<Loop> steps;
  for (int32_t d = 0; d < from.dims(); ++d) {
    if (from.size(d) == 1) continue;
    steps.push_back({from.size(d), from.stride(d) * plan.run_bytes, to.stride(d) * plan.run_bytes});
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Loop& a, const Loop& b) { return a.to_stride > b.to_stride; });
  for (const Loop& step : steps) {
    // A loop around `step` that goes on where it ends, in both tensors, is one loop with it.
    if (!plan.loops.empty() && plan.loops.back().from_stride == step.size * step.from_stride &&
        plan.loops.back().to_stride == step.size * step.to_stride) {
      plan.loops.back() = {plan.loops.back().size * step.size, step.from_stride, step.to_stride};
    } else {
      plan.loops.push_back(step);
    }
  }
  if (!plan.loops.empty() && plan.loops.back().from_stride == plan.run_bytes &&
      plan.loops.back().to_stride == plan.run_bytes) {
    plan.run_bytes *= plan.loops.back().size;
    plan.loops.pop_back();
  }
  return plan;
}

// Moves the loop that reads the nearest elements next to the innermost one, which writes them.
void BringReadsTogether(std::vector<Loop>* loops) {
  const auto nearest =
      std::min_element(loops->begin(), loops->end(),
                       [](const Loop& a, const Loop& b) { return a.from_stride < b.from_stride; });
  if (nearest + 1 != loops->end()) std::rotate(nearest, nearest + 1, loops->end() - 1);
}

// Goes through all indexes of some loops, the last one fastest.
class Odometer {
 public:
  explicit Odometer(std::vector<Loop> loops) : loops_(std::move(loops)), at_(loops_.size(), 0) {}

  int64_t from() const { return from_; }
  int64_t to() const { return to_; }

  // False at the end.
  bool Next() {
    for (size_t d = loops_.size(); d-- > 0;) {
      from_ += loops_[d].from_stride;
      to_ += loops_[d].to_stride;
      if (++at_[d] < loops_[d].size) return true;
      from_ -= loops_[d].size * loops_[d].from_stride;
      to_ -= loops_[d].size * loops_[d].to_stride;
      at_[d] = 0;
    }
    return false;
  }

 private:
  const std::vector<Loop> loops_;
  std::vector<int64_t> at_;
  int64_t from_ = 0;
  int64_t to_ = 0;
};

// `packed` as a tensor like `piece`.
Tensor PackedLike(const Tensor& piece, const std::byte* packed) {
  auto tensor = Tensor::Wrap({.owner = nullptr,
                              // Written to only by Pack(), whose memory it is.
                              .data = const_cast<std::byte*>(packed),
                              .spec = piece.spec(),
                              .strides = std::nullopt,
                              .device = piece.device()});
  MUSTER_CHECK(tensor.ok(), tensor.status().ToString());
  return *std::move(tensor);
}

}  // namespace

int64_t CountElements(const Pieces& pieces) {
  int64_t count = 0;
  for (const Tensor& piece : pieces) count += piece.element_count();
  return count;
}

std::byte* ContiguousData(const Pieces& pieces) {
  std::byte* first = nullptr;
  std::byte* end = nullptr;
  for (const Tensor& piece : pieces) {
    if (piece.element_count() == 0) continue;
    if (!piece.IsContiguous() || (first != nullptr && piece.data() != end)) return nullptr;
    if (first == nullptr) first = piece.data();
    end = piece.data() + piece.byte_count();
  }
  return first;
}

void CopyElements(const Tensor& from, const Tensor& to) {
  MUSTER_CHECK(from.spec() == to.spec(), "tensors that are unlike were to be copied");
  if (from.element_count() == 0) return;
  CopyPlan plan = PlanCopy(from, to);
  if (plan.loops.empty()) {
    std::memcpy(to.data(), from.data(), static_cast<size_t>(plan.run_bytes));
    return;
  }
  BringReadsTogether(&plan.loops);
  const Loop inner = plan.loops.back();
  plan.loops.pop_back();
  Loop outer;
  if (!plan.loops.empty()) {
    outer = plan.loops.back();
    plan.loops.pop_back();
  }
  Odometer at(std::move(plan.loops));
  do {
    CopyPlane(from.data() + at.from(), to.data() + at.to(), outer, inner, plan.run_bytes);
  } while (at.Next());
}

void Pack(const Pieces& pieces, std::byte* packed) {
  for (const Tensor& piece : pieces) {
    if (piece.element_count() == 0) continue;
    CopyElements(piece, PackedLike(piece, packed));
    packed += piece.byte_count();
  }
}

void Unpack(const std::byte* packed, const Pieces& pieces) {
  for (const Tensor& piece : pieces) {
    if (piece.element_count() == 0) continue;
    CopyElements(PackedLike(piece, packed), piece);
    packed += piece.byte_count();
  }
}

absl::StatusOr<Tensor> Clone(const Tensor& tensor) {
  MUSTER_ASSIGN_OR_RETURN(Tensor clone, Tensor::Allocate(tensor.spec()));
  CopyElements(tensor, clone);
  return clone;
}

}  // namespace muster
