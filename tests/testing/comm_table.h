#ifndef MUSTER_TESTS_TESTING_COMM_TABLE_H_
#define MUSTER_TESTS_TESTING_COMM_TABLE_H_

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/string_view.h"
#include "gtest/gtest.h"
#include "tests/testing/comm_cells.h"
#include "tests/testing/comm_world.h"

// Every operation with every type and every size of a group, as a table without an empty cell. A
// backend's own test includes this and names itself:
//
//   INSTANTIATE_TEST_SUITE_P(Gloo, CommunicatorTable, testing::Values(TableCase{...}), TableName);
namespace muster {

struct TableCase {
  std::string backend;
  CommWorld::MakeBackend make_backend;
  CallChecks checks = CallChecks::kOn;
  std::vector<int32_t> sizes = {1, 2, 3, 5, 8};
};

inline std::string TableName(const testing::TestParamInfo<TableCase>& info) {
  return info.param.backend + (info.param.checks == CallChecks::kOn ? "" : "Unchecked");
}

inline std::ostream& operator<<(std::ostream& out, const TableCase& c) { return out << c.backend; }

class CommunicatorTable : public testing::TestWithParam<TableCase> {
 protected:
  static constexpr absl::Duration kTimeout = absl::Seconds(60);

  // None, such that fit beside a header, and such that do not.
  static constexpr int64_t kElements[] = {0, 3, 1300};

  // Tells whether input and output may share memory, of a root at least.
  static bool MayShareMemory(const Cell& cell) {
    return (HasRoot(cell.operation) && cell.operation != Operation::kBroadcast) ||
           Reduces(cell.operation) || cell.operation == Operation::kAllGather ||
           cell.operation == Operation::kAllGatherV;
  }

  // Carries out `cell` on one rank in all forms. Empty if all is as wanted.
  static std::string TryAll(Communicator& comm, const Cell& cell) {
    std::string text;
    for (const int64_t elements : kElements) {
      text += Try(comm, cell, elements, /*in_place=*/false);
      if (!IsWanted(cell)) return text;
      if (MayShareMemory(cell)) text += Try(comm, cell, elements, /*in_place=*/true);
    }
    return text;
  }

  // Carries out `cell` on one rank and compares. Empty if all is as wanted.
  static std::string Try(Communicator& comm, const Cell& cell, int64_t elements, bool in_place) {
    const GroupRank root(static_cast<int32_t>(cell.dtype) % comm.size());
    const CellModel model(cell, comm.size(), elements, root);
    Bytes input = model.Input(comm.rank());
    const Bytes untouched = input;
    const Bytes expected = model.Expected(comm.rank());
    Bytes output(expected.size(), std::byte{0xee});
    if (cell.operation == Operation::kBroadcast) output = input;
    OperationCall call = model.Call(comm.rank(), &input, &output);
    if (cell.operation == Operation::kBroadcast) call.input = call.output;
    in_place = in_place && model.ShareMemory(comm.rank(), &call);

    const std::byte* const found = call.output.data;
    const absl::Status status = Run(comm, call);
    const bool is_message = IsPointToPoint(cell.operation);
    if (is_message && comm.size() == 1) return CheckRefusal(status, ErrorKind::kOperationRefused);
    if (!IsWanted(cell)) return CheckUnsupported(status, comm, cell);
    if (!status.ok()) return status.ToString();
    if (!std::equal(expected.begin(), expected.end(), found)) return "has wrong data";
    if (!in_place && input != untouched) return "changed its input";
    return "";
  }

 private:
  // Messages go round the circle, so both halves are started before one is waited for.
  static absl::Status Run(Communicator& comm, const OperationCall& call) {
    if (!IsPointToPoint(call.operation)) return comm.Start(call, kTimeout)->Wait();
    const int32_t size = comm.size();
    const GroupRank next((comm.rank().value + 1) % size);
    const GroupRank before((comm.rank().value + size - 1) % size);
    auto sent = comm.Send(call.input, next, kTimeout);
    auto received = comm.Recv(call.output, before, kTimeout);
    absl::Status status = sent->Wait();
    status.Update(received->Wait());
    return status;
  }

  static std::string CheckRefusal(const absl::Status& status, ErrorKind kind) {
    const std::optional<ErrorDetail> detail = DetailOf(status);
    if (detail.has_value() && detail->kind == kind) return "";
    return absl::StrCat("is not refused: ", status.ToString());
  }

  static std::string CheckUnsupported(const absl::Status& status, Communicator& comm,
                                      const Cell& cell) {
    const std::string message(status.message());
    const auto names = [&message](std::string_view part) {
      return message.find(part) != std::string::npos;
    };
    if (!absl::IsUnimplemented(status) || !names(OperationName(cell.operation)) ||
        !names(ReduceOpName(cell.reduce)) || !names(DTypeName(cell.dtype)) || !names("backend")) {
      return absl::StrCat("is not refused as it should be: ", status.ToString());
    }
    if (comm.Supports(cell.reduce, cell.dtype)) return "is refused, and told to be supported";
    return CheckRefusal(status, ErrorKind::kOperationRefused);
  }
};

TEST_P(CommunicatorTable, EveryCellIsFilled) {
  const std::vector<int32_t>& sizes = GetParam().sizes;
  const std::vector<Cell> cells = AllCells();
  CellTable table;
  for (const int32_t size : sizes) {
    CommWorld world(GetParam().make_backend, size);
    for (int r = 0; r < size; ++r) world.plan(r).call_checks = GetParam().checks;
    world.Form();
    std::vector<std::vector<std::string>> wrong(static_cast<size_t>(size));
    world.Run([&](Communicator& comm, int r) {
      for (const Cell& cell : cells) {
        wrong[static_cast<size_t>(r)].push_back(TryAll(comm, cell));
      }
      return absl::OkStatus();
    });
    for (size_t i = 0; i < cells.size(); ++i) {
      bool good = true;
      for (const std::vector<std::string>& of_rank : wrong) {
        EXPECT_EQ(of_rank[i], "") << RowName(cells[i]) << " of " << DTypeName(cells[i].dtype)
                                  << " at size " << size;
        good = good && of_rank[i].empty();
      }
      if (good) table.Fill(cells[i], size);
    }
  }
  const std::string text = table.ToText(sizes);
  std::cout << text;
  EXPECT_EQ(text.find("EMPTY"), std::string::npos);
}

}  // namespace muster

#endif  // MUSTER_TESTS_TESTING_COMM_TABLE_H_
