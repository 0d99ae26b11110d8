#include "worker/agent/solo_communicator.h"

#include <vector>

#include "common/base/error_detail.h"
#include "gtest/gtest.h"
#include "tests/testing/comm_cells.h"
#include "tests/testing/status_matchers.h"

namespace muster::worker {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(20);

TEST(SoloCommunicatorTest, DoesInEveryCellWhatAGroupOfOneDoes) {
  SoloCommunicator alone(GroupFacts{.members = {GroupMember{GlobalRank(1), Incarnation(4)}}});
  for (const Cell& cell : AllCells()) {
    SCOPED_TRACE(RowName(cell));
    SCOPED_TRACE(DTypeName(cell.dtype));
    const CellModel model(cell, 1, 7, GroupRank(0));
    Bytes input = model.Input(GroupRank(0));
    const Bytes expected = model.Expected(GroupRank(0));
    Bytes output(expected.size());
    OperationCall call = model.Call(GroupRank(0), &input, &output);
    if (cell.operation == Operation::kBroadcast) output = input;
    if (cell.operation == Operation::kBroadcast) call.input = call.output;

    const absl::Status status = alone.Start(call, kTimeout)->Wait();

    if (IsPointToPoint(cell.operation)) {
      EXPECT_THAT(status, HasKind(ErrorKind::kOperationRefused));
      EXPECT_FALSE(alone.Supports(cell.operation, cell.dtype));
    } else if (!IsWanted(cell)) {
      EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnimplemented));
      EXPECT_FALSE(alone.Supports(cell.reduce, cell.dtype));
    } else {
      EXPECT_THAT(status, IsOk());
      EXPECT_EQ(output, expected);
    }
  }
}

}  // namespace
}  // namespace muster::worker
