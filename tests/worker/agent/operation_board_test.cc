#include "worker/agent/operation_board.h"

#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "common/base/error_detail.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/agent/event_log.h"

namespace muster::worker {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(20);

absl::Status ErrorOf(absl::StatusCode code, ErrorKind kind,
                     const std::string& message = "seen here") {
  ErrorDetail detail;
  detail.kind = kind;
  detail.ranks = {GlobalRank(5)};
  return MakeError(code, message, detail);
}

class OperationBoardTest : public testing::Test {
 protected:
  std::unique_ptr<Work> Watch(std::unique_ptr<Work> inner, absl::Duration timeout = kTimeout) {
    return OperationBoard::Watch(
        board_,
        {Operation::kAllReduce, 17, std::nullopt, std::make_shared<std::string>("dit.sp#1")},
        Epoch(3), timeout, ring_, std::move(inner));
  }

  // Waits for an operation that ended with `raw`, while the machine answers with `verdict`.
  absl::Status WaitWithVerdict(const absl::Status& raw, const absl::Status& verdict) {
    absl::Status outcome;
    const std::unique_ptr<Work> work = Watch(MakeDoneWork(raw));
    std::thread user([&] { outcome = work->Wait(); });
    const std::vector<Event> events = events_.WaitFor(1);
    const auto& failed = std::get<OperationFailed>(events.at(0));
    EXPECT_EQ(failed.epoch, Epoch(3));
    EXPECT_EQ(failed.suspect, GlobalRank(5));
    EXPECT_EQ(failed.what, "all_reduce #17 on dit.sp#1");
    EXPECT_GT(failed.patience, absl::Seconds(1));
    EXPECT_LE(failed.patience, kTimeout);
    board_->End(failed.operation, verdict);
    user.join();
    EXPECT_EQ(work->Wait(), outcome);
    return outcome;
  }

  EventLog events_;
  const std::shared_ptr<OperationBoard> board_ = std::make_shared<OperationBoard>(events_.sink());
  const std::shared_ptr<FlightRing> ring_ = board_->recorder().Open(Epoch(3), "dit.sp#1");
};

TEST_F(OperationBoardTest, TheVerdictReplacesATransportError) {
  const absl::Status verdict = absl::UnavailableError("rank 5 was lost");
  EXPECT_EQ(
      WaitWithVerdict(ErrorOf(absl::StatusCode::kUnavailable, ErrorKind::kMemberSuspect), verdict),
      verdict);
}

TEST_F(OperationBoardTest, ABrokenGroupIsToldAsALossIfItIsOne) {
  const absl::Status verdict = ErrorOf(absl::StatusCode::kUnavailable, ErrorKind::kMemberLost);
  EXPECT_EQ(WaitWithVerdict(ErrorOf(absl::StatusCode::kFailedPrecondition, ErrorKind::kGroupBroken),
                            verdict),
            verdict);
}

TEST_F(OperationBoardTest, ABrokenGroupWithoutALossStaysOne) {
  const absl::Status raw = ErrorOf(absl::StatusCode::kFailedPrecondition, ErrorKind::kGroupBroken);
  EXPECT_EQ(WaitWithVerdict(raw, ErrorOf(absl::StatusCode::kUnavailable, ErrorKind::kMemberSuspect,
                                         "unconfirmed")),
            raw);
}

TEST_F(OperationBoardTest, OtherOutcomesNeedNoVerdict) {
  for (const absl::Status& status :
       {absl::OkStatus(),
        ErrorOf(absl::StatusCode::kDeadlineExceeded, ErrorKind::kDeadlineExceeded),
        ErrorOf(absl::StatusCode::kUnavailable, ErrorKind::kMemberLost),
        ErrorOf(absl::StatusCode::kInvalidArgument, ErrorKind::kOperationRefused)}) {
    EXPECT_EQ(Watch(MakeDoneWork(status))->Wait(), status);
  }
  EXPECT_TRUE(events_.WaitFor(0).empty());
}

TEST_F(OperationBoardTest, WithoutAnAnswerTheUserGetsWhatWasSeen) {
  const absl::Status raw = ErrorOf(absl::StatusCode::kUnavailable, ErrorKind::kMemberSuspect);
  EXPECT_EQ(Watch(MakeDoneWork(raw), absl::ZeroDuration())->Wait(), raw);
}

TEST_F(OperationBoardTest, TheOldestOperationThatRunsIsWhatAWorkerDoes) {
  EXPECT_EQ(board_->Doing(), "");
  const auto done = Watch(MakeDoneWork(absl::OkStatus()));
  EXPECT_EQ(board_->Doing(), "");
  const auto state = std::make_shared<WorkState>();
  {
    const auto running = Watch(MakeWork(state));
    EXPECT_EQ(board_->Doing(), "all_reduce #17 on dit.sp#1");
    state->Finish(absl::OkStatus());
  }
  EXPECT_EQ(board_->Doing(), "");
  EXPECT_EQ(ToText({Operation::kRecv, 0, GroupRank(3), std::make_shared<std::string>("world#0")}),
            "recv from group rank 3 on world#0");
}

}  // namespace
}  // namespace muster::worker
