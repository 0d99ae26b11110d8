#ifndef MUSTER_TESTS_TESTING_COMM_CELLS_H_
#define MUSTER_TESTS_TESTING_COMM_CELLS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "worker/comm/operation.h"

// A model of what operations do, apart from the product's: by the value of each element, in one
// process, one element at a time.
namespace muster {

using Bytes = std::vector<std::byte>;

// What an operation is tried with.
struct Cell {
  Operation operation = Operation::kBarrier;
  ReduceOp reduce = ReduceOp::kSum;
  DType dtype = DType::kUint8;
};

// Every operation, those that reduce with every ReduceOp, for every type.
std::vector<Cell> AllCells();

// "all_reduce sum".
std::string RowName(const Cell& cell);

// Tells whether a backend on host memory must carry it out; else it must refuse.
bool IsWanted(const Cell& cell);

// One operation of a group, with data of every rank.
class CellModel {
 public:
  // `elements` is about what each rank gives to each, or the size of its share.
  CellModel(const Cell& cell, int32_t size, int64_t elements, GroupRank root);

  // What a rank gives. Elements differ by rank and place as far as the type allows.
  Bytes Input(GroupRank rank) const;

  // What it must get; nothing if it gets nothing.
  Bytes Expected(GroupRank rank) const;

  // Its call, on memory of the sizes of the above. The input of a broadcast is its output.
  OperationCall Call(GroupRank rank, Bytes* input, Bytes* output) const;

  // Changes `call` to the form in which input and output share memory. False if there is none.
  bool ShareMemory(GroupRank rank, OperationCall* call) const;

 private:
  // Elements that the rank `from` gives to the rank `to`.
  int64_t Pair(int32_t from, int32_t to) const;
  // Elements of the share of `rank`, of operations with shares.
  int64_t Share(int32_t rank) const;
  int64_t InputCount(int32_t rank) const;
  Bytes Reduced(int64_t first, int64_t count) const;
  // The elements of `rank` from `first` on.
  Bytes Slice(int32_t rank, int64_t first, int64_t count) const;
  int64_t SharesBefore(int32_t rank) const;

  const Cell cell_;
  const int32_t size_;
  const int64_t elements_;
  const GroupRank root_;
};

// Which cells were carried out or refused as wanted, at which sizes of a group.
class CellTable {
 public:
  void Fill(const Cell& cell, int32_t size);

  // One line for each row, one column for each type, with the sizes in them; "refused 2" where the
  // operation is refused. "EMPTY" where a size of `sizes` is missing.
  std::string ToText(const std::vector<int32_t>& sizes) const;

 private:
  std::map<std::pair<std::string, DType>, std::vector<int32_t>> filled_;
};

}  // namespace muster

#endif  // MUSTER_TESTS_TESTING_COMM_CELLS_H_
