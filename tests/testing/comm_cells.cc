#include "tests/testing/comm_cells.h"

#include <algorithm>
#include <complex>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/base/string_view.h"

namespace muster {
namespace {

using Number = std::complex<double>;

// Every value is one that all types but bool hold exactly; 1-byte ones repeat after 251.
Number ValueOf(const Cell& cell, int32_t rank, int64_t index) {
  const int64_t place = int64_t{rank} * 1000003 + index;
  if (cell.dtype == DType::kBool) return {(place * 7 + index / 3) % 5 < 2 ? 1.0 : 0.0, 0};
  const bool is_complex = cell.dtype == DType::kComplex64;
  if (Reduces(cell.operation)) {
    // Products and sums of eight stay exact.
    if (cell.reduce == ReduceOp::kProduct) {
      return {static_cast<double>(1 + place % 3), is_complex ? static_cast<double>(place % 2) : 0};
    }
    const auto value = static_cast<double>(place % (SizeOf(cell.dtype) <= 2 ? 13 : 100003));
    return {value, is_complex ? -value - 5 : 0};
  }
  if (cell.dtype == DType::kInt8) return {static_cast<double>(place % 251 - 125), 0};
  if (SizeOf(cell.dtype) <= 2) return {static_cast<double>(place % 251), 0};
  const auto value = static_cast<double>(place % 16000057);
  return {value, is_complex ? -value - 5 : 0};
}

template <typename T>
void Put(T value, Bytes* out) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  out->insert(out->end(), bytes, bytes + sizeof(T));
}

void PutNumber(DType dtype, Number number, Bytes* out) {
  const double value = number.real();
  switch (dtype) {
    case DType::kBool:
      return Put(static_cast<uint8_t>(value != 0), out);
    case DType::kInt8:
    case DType::kUint8:  // Both wrap around alike.
      return Put(static_cast<uint8_t>(static_cast<int64_t>(value)), out);
    case DType::kInt32:
      return Put(static_cast<int32_t>(value), out);
    case DType::kInt64:
      return Put(static_cast<int64_t>(value), out);
    case DType::kFloat16:
      return Put(ToFloat16(static_cast<float>(value)), out);
    case DType::kBFloat16:
      return Put(ToBFloat16(static_cast<float>(value)), out);
    case DType::kFloat32:
      return Put(static_cast<float>(value), out);
    case DType::kFloat64:
      return Put(value, out);
    case DType::kComplex64:
      return Put(std::complex<float>(number), out);
  }
}

// The quotient as hardware of the type's own accuracy gives it.
double Divide(DType dtype, double sum, int32_t by) {
  if (dtype == DType::kFloat64) return sum / by;
  return static_cast<double>(static_cast<float>(sum) / static_cast<float>(by));
}

Number Combine(ReduceOp op, Number a, Number b) {
  switch (op) {
    case ReduceOp::kSum:
    case ReduceOp::kAverage:
      return a + b;
    case ReduceOp::kProduct:
      return a * b;
    case ReduceOp::kMin:
      return std::min(a.real(), b.real());
    case ReduceOp::kMax:
      return std::max(a.real(), b.real());
  }
  return 0;
}

}  // namespace

std::vector<Cell> AllCells() {
  std::vector<Cell> cells;
  for (const Operation operation : kAllOperations) {
    for (const DType dtype : kAllDTypes) {
      for (const ReduceOp op : kAllReduceOps) {
        if (op == ReduceOp::kSum || Reduces(operation)) cells.push_back({operation, op, dtype});
      }
    }
  }
  return cells;
}

std::string RowName(const Cell& cell) {
  const std::string name(OperationName(cell.operation));
  return Reduces(cell.operation) ? absl::StrCat(name, " ", ToAbsl(ReduceOpName(cell.reduce)))
                                 : name;
}

bool IsWanted(const Cell& cell) {
  if (!Reduces(cell.operation)) return true;
  switch (cell.reduce) {
    case ReduceOp::kSum:
    case ReduceOp::kProduct:
      return true;
    case ReduceOp::kMin:
    case ReduceOp::kMax:
      return cell.dtype != DType::kComplex64;
    case ReduceOp::kAverage:
      return cell.dtype == DType::kFloat16 || cell.dtype == DType::kBFloat16 ||
             cell.dtype == DType::kFloat32 || cell.dtype == DType::kFloat64;
  }
  return false;
}

CellModel::CellModel(const Cell& cell, int32_t size, int64_t elements, GroupRank root)
    : cell_(cell), size_(size), elements_(elements), root_(root) {}

int64_t CellModel::Pair(int32_t from, int32_t to) const {
  return elements_ * ((from + 2 * to) % 3) + (from * to) % 2;
}

int64_t CellModel::Share(int32_t rank) const {
  return SharesDiffer(cell_.operation) ? elements_ * ((rank + 1) % 3) + rank % 2 : elements_;
}

int64_t CellModel::SharesBefore(int32_t rank) const {
  int64_t before = 0;
  for (int32_t other = 0; other < rank; ++other) before += Share(other);
  return before;
}

int64_t CellModel::InputCount(int32_t rank) const {
  switch (cell_.operation) {
    case Operation::kBarrier:
      return 0;
    case Operation::kScatter:
      return rank == root_.value ? elements_ * size_ : 0;
    case Operation::kReduceScatter:
    case Operation::kReduceScatterV:
    case Operation::kAllToAll:
      return SharesBefore(size_);
    case Operation::kAllToAllV: {
      int64_t count = 0;
      for (int32_t to = 0; to < size_; ++to) count += Pair(rank, to);
      return count;
    }
    default:
      return Share(rank);
  }
}

Bytes CellModel::Slice(int32_t rank, int64_t first, int64_t count) const {
  Bytes bytes;
  for (int64_t i = first; i < first + count; ++i) {
    PutNumber(cell_.dtype, ValueOf(cell_, rank, i), &bytes);
  }
  return bytes;
}

Bytes CellModel::Reduced(int64_t first, int64_t count) const {
  Bytes bytes;
  for (int64_t i = first; i < first + count; ++i) {
    Number number = ValueOf(cell_, 0, i);
    for (int32_t rank = 1; rank < size_; ++rank) {
      number = Combine(cell_.reduce, number, ValueOf(cell_, rank, i));
    }
    if (cell_.reduce == ReduceOp::kAverage) number = Divide(cell_.dtype, number.real(), size_);
    PutNumber(cell_.dtype, number, &bytes);
  }
  return bytes;
}

Bytes CellModel::Input(GroupRank rank) const {
  return Slice(rank.value, 0, InputCount(rank.value));
}

Bytes CellModel::Expected(GroupRank rank) const {
  const int32_t self = rank.value;
  Bytes all;
  const auto append = [&all](const Bytes& bytes) {
    all.insert(all.end(), bytes.begin(), bytes.end());
  };
  switch (cell_.operation) {
    case Operation::kBarrier:
      return {};
    case Operation::kSend:
    case Operation::kRecv:
      return Slice((self + size_ - 1) % size_, 0, elements_);
    case Operation::kReduce:
      return rank == root_ ? Reduced(0, elements_) : Bytes();
    case Operation::kAllReduce:
      return Reduced(0, elements_);
    case Operation::kReduceScatter:
    case Operation::kReduceScatterV:
      return Reduced(SharesBefore(self), Share(self));
    case Operation::kBroadcast:
      return Slice(root_.value, 0, elements_);
    case Operation::kScatter:
      return Slice(root_.value, self * elements_, elements_);
    case Operation::kGather:
      if (rank != root_) return {};
      [[fallthrough]];
    case Operation::kAllGather:
    case Operation::kAllGatherV:
      for (int32_t from = 0; from < size_; ++from) append(Slice(from, 0, Share(from)));
      return all;
    case Operation::kAllToAll:
      for (int32_t from = 0; from < size_; ++from) {
        append(Slice(from, self * elements_, elements_));
      }
      return all;
    case Operation::kAllToAllV:
      for (int32_t from = 0; from < size_; ++from) {
        int64_t before = 0;
        for (int32_t to = 0; to < self; ++to) before += Pair(from, to);
        append(Slice(from, before, Pair(from, self)));
      }
      return all;
  }
  return {};
}

OperationCall CellModel::Call(GroupRank rank, Bytes* input, Bytes* output) const {
  const auto element = static_cast<int64_t>(SizeOf(cell_.dtype));
  OperationCall call{.operation = cell_.operation, .root = root_};
  if (Reduces(cell_.operation)) call.reduce = cell_.reduce;
  call.input = {input->data(), static_cast<int64_t>(input->size()) / element, cell_.dtype};
  call.output = {output->data(), static_cast<int64_t>(output->size()) / element, cell_.dtype};
  if (cell_.operation == Operation::kSend) call.root = GroupRank((rank.value + 1) % size_);
  if (cell_.operation == Operation::kRecv) call.root = GroupRank((rank.value + size_ - 1) % size_);
  for (int32_t other = 0; other < size_; ++other) {
    if (cell_.operation == Operation::kAllToAllV) {
      call.counts.push_back(Pair(rank.value, other));
      call.recv_counts.push_back(Pair(other, rank.value));
    } else if (SharesDiffer(cell_.operation)) {
      call.counts.push_back(Share(other));
    }
  }
  return call;
}

bool CellModel::ShareMemory(GroupRank rank, OperationCall* call) const {
  const bool is_root = rank == root_;
  const int64_t own = SharesBefore(rank.value) * static_cast<int64_t>(SizeOf(cell_.dtype));
  switch (cell_.operation) {
    case Operation::kReduce:
    case Operation::kGather:
    case Operation::kScatter:
      if (!is_root) return false;
      break;
    default:
      break;
  }
  std::byte* const input = const_cast<std::byte*>(call->input.data);
  const auto bytes = static_cast<size_t>(BytesOf(call->input));
  switch (cell_.operation) {
    case Operation::kAllReduce:
    case Operation::kReduce:
      call->output.data = input;
      return true;
    case Operation::kReduceScatter:
    case Operation::kReduceScatterV:
    case Operation::kScatter:
      call->output.data = input + own;
      return true;
    case Operation::kAllGather:
    case Operation::kAllGatherV:
    case Operation::kGather:
      if (bytes > 0) std::memcpy(call->output.data + own, input, bytes);
      call->input.data = call->output.data + own;
      return true;
    default:
      return false;
  }
}

void CellTable::Fill(const Cell& cell, int32_t size) {
  filled_[{RowName(cell), cell.dtype}].push_back(size);
}

std::string CellTable::ToText(const std::vector<int32_t>& sizes) const {
  std::string text = absl::StrFormat("%-24s", "");
  for (const DType dtype : kAllDTypes) {
    absl::StrAppend(&text, absl::StrFormat(" %-15s", DTypeName(dtype)));
  }
  std::string row;
  for (const Cell& cell : AllCells()) {
    if (RowName(cell) == row || cell.dtype != kAllDTypes[0]) continue;
    row = RowName(cell);
    absl::StrAppend(&text, "\n", absl::StrFormat("%-24s", row));
    for (const DType dtype : kAllDTypes) {
      const auto found = filled_.find({row, dtype});
      std::string entry = "EMPTY";
      if (found != filled_.end() && found->second == sizes) {
        Cell at = cell;
        at.dtype = dtype;
        entry = absl::StrCat(IsWanted(at) ? "" : "no ", absl::StrJoin(sizes, ","));
      }
      absl::StrAppend(&text, absl::StrFormat(" %-15s", entry));
    }
  }
  return text + "\n";
}

}  // namespace muster
