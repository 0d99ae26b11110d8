#include <memory>
#include <string>
#include <vector>

#include "common/base/error_detail.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/comm_cells.h"
#include "tests/testing/comm_world.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/comm/gloo/gloo_for_test.h"

namespace muster {
namespace {

constexpr absl::Duration kLong = absl::Seconds(60);

// So many that the counts of one rank do not fit beside a header: 16 bytes for each other one.
constexpr int32_t kSize = 66;

class GlooLargeGroupTest : public testing::Test {
 protected:
  // All ranks carry out `cell`, and rank 1 one with `odd` elements.
  std::vector<absl::Status> Run(const Cell& cell, int64_t elements, int64_t odd) {
    return world_.Run([&](Communicator& comm, int r) {
      const CellModel model(cell, kSize, r == 1 ? odd : elements, GroupRank(0));
      Bytes input = model.Input(GroupRank(r));
      const Bytes expected = model.Expected(GroupRank(r));
      Bytes output(expected.size());
      absl::Status status = comm.Start(model.Call(GroupRank(r), &input, &output), kLong)->Wait();
      if (status.ok()) {
        EXPECT_EQ(output, expected);
      }
      return status;
    });
  }

  CommWorld world_{MakeGlooForTest, kSize};
};

TEST_F(GlooLargeGroupTest, CountsThatDoNotFitBesideAHeaderAreExchangedAndCompared) {
  world_.Form();
  const Cell cell{Operation::kAllToAllV, ReduceOp::kSum, DType::kInt64};
  for (const int64_t elements : {int64_t{0}, int64_t{2}, int64_t{40}}) {
    for (const absl::Status& status : Run(cell, elements, elements)) EXPECT_THAT(status, IsOk());
  }
  for (const absl::Status& status : Run(cell, 2, 3)) {
    EXPECT_THAT(status, HasKind(ErrorKind::kOperationMismatch));
    EXPECT_THAT(DetailOf(status).value_or(ErrorDetail()).ranks,
                testing::ElementsAre(CommWorld::GlobalRankOf(1)));
  }
  const Cell shares{Operation::kReduceScatterV, ReduceOp::kMax, DType::kInt32};
  for (const absl::Status& status : Run(shares, 5, 4)) {
    EXPECT_THAT(status, HasKind(ErrorKind::kOperationMismatch));
    EXPECT_THAT(DetailOf(status).value_or(ErrorDetail()).ranks,
                testing::ElementsAre(CommWorld::GlobalRankOf(1)));
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr("counts[0] is 4 on rank 37, 5"));
  }
  for (const absl::Status& status : Run(shares, 5, 5)) EXPECT_THAT(status, IsOk());
}

}  // namespace
}  // namespace muster
