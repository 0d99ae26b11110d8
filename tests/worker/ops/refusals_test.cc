// One rank alone is wrong, over real Gloo communicators: everyone is told, at once.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/base/error_detail.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/comm/gloo/gloo_for_test.h"
#include "tests/worker/ops/group_world.h"
#include "tests/worker/ops/strided_memory.h"

namespace muster {
namespace {

using testing::ElementsAre;

// Far above what anything here takes, so that a test that waits for it fails.
constexpr absl::Duration kLong = absl::Seconds(200);
constexpr int kOdd = 1;

// What the odd rank does wrong, and the others right.
struct Wrong {
  std::string name;
  std::string reason;  // Part of what all are told.
  std::function<TensorWork(TensorOperations&, int32_t n, bool is_odd)> start;
};

Tensor Good(std::vector<int64_t> shape) { return TensorOf(Numbered(shape, 10), DType::kFloat32); }

Tensor Cuda() {
  const Tensor host = Good({4});
  return *Tensor::Wrap({.owner = host.owner(),
                        .data = host.data(),
                        .spec = host.spec(),
                        .strides = std::nullopt,
                        .device = {.kind = DeviceKind::kCuda, .index = 1}});
}

Tensor Overlapping() {
  const Tensor host = Good({4});
  return *Tensor::Wrap({.owner = host.owner(),
                        .data = host.data(),
                        .spec = host.spec(),
                        .strides = std::vector<int64_t>{0},
                        .device = {}});
}

std::vector<Wrong> AllWrongs() {
  const OpOptions options{.timeout = kLong};
  return {
      {"AllGatherDim", "dim is 1",
       [options](TensorOperations& ops, int32_t, bool is_odd) {
         return ops.AllGather(Good({4}), is_odd ? 1 : 0, options);
       }},
      {"GatherRoot", "root is group rank 9",
       [options](TensorOperations& ops, int32_t, bool is_odd) {
         return ops.Gather(Good({4}), GroupRank(is_odd ? 9 : 0), 0, options);
       }},
      {"ReduceRoot", "root is group rank -1",
       [options](TensorOperations& ops, int32_t, bool is_odd) {
         return ops.Reduce(Good({4}), ReduceOp::kSum, GroupRank(is_odd ? -1 : 0), options);
       }},
      {"BroadcastNothing", "no tensor",
       [options](TensorOperations& ops, int32_t, bool is_odd) {
         return ops.Broadcast(is_odd ? Tensor() : Good({4}), GroupRank(0), options);
       }},
      {"ReduceScatterRemainder", "equal parts",
       [options](TensorOperations& ops, int32_t n, bool is_odd) {
         return ops.ReduceScatter(Good({is_odd ? n + 1 : n}), ReduceOp::kSum, 0, options);
       }},
      {"AllToAllRemainder", "equal parts",
       [options](TensorOperations& ops, int32_t n, bool is_odd) {
         return ops.AllToAll(Good({is_odd ? 2 * n - 1 : 2 * n}), options);
       }},
      {"ScatterShare", "for",
       [options](TensorOperations& ops, int32_t n, bool is_odd) {
         return ops.Scatter(Good({2 * n}), {DType::kFloat32, {is_odd ? 3 : 2}}, GroupRank(kOdd), 0,
                            options);
       }},
      {"AllGatherVSizes", "sizes has",
       [options](TensorOperations& ops, int32_t n, bool is_odd) {
         const std::vector<int64_t> sizes(static_cast<size_t>(is_odd ? n + 1 : n), 2);
         return ops.AllGatherV(Good({2}), sizes, 0, options);
       }},
      {"AttentionDims", "scatter and gather",
       [options](TensorOperations& ops, int32_t n, bool is_odd) {
         return ops.AllToAll4D(Good({1, 2, n, 2}), 2, is_odd ? 0 : 1, options);
       }},
      {"OverlappingOutput", "share memory",
       [options](TensorOperations& ops, int32_t, bool is_odd) {
         OpOptions into = options;
         into.outputs = {is_odd ? Overlapping() : Good({4})};
         return ops.AllReduce(Good({4}), ReduceOp::kSum, into);
       }},
      {"InPlaceOverlapping", "share memory",
       [options](TensorOperations& ops, int32_t, bool is_odd) {
         return ops.AllReduceInPlace(is_odd ? Overlapping() : Good({4}), ReduceOp::kSum, options);
       }},
      {"Timeout", "timeout",
       [options](TensorOperations& ops, int32_t, bool is_odd) {
         return ops.Barrier(is_odd ? OpOptions{.timeout = absl::Hours(99)} : options);
       }},
  };
}

class RefusalsTest : public testing::TestWithParam<int32_t> {
 protected:
  void SetUp() override { world_ = GroupWorld::OfOneGroup(MakeGlooForTest, GetParam()); }

  int32_t size() const { return GetParam(); }
  int32_t RankOf(int member) { return world_->CommunicatorAt(member, 0)->rank().value; }

  // What each rank gets, by group rank.
  std::vector<absl::Status> Statuses(const std::function<TensorWork(TensorOperations&, int)>& op) {
    std::vector<absl::Status> statuses(static_cast<size_t>(size()));
    world_->Run([&](int member) {
      const int32_t rank = RankOf(member);
      statuses[static_cast<size_t>(rank)] = op(world_->At(member, 0), rank).Wait();
      return std::string();
    });
    return statuses;
  }

  void ExpectUsable() {
    const auto statuses = Statuses([](TensorOperations& ops, int) { return ops.Barrier(); });
    for (const absl::Status& status : statuses) EXPECT_THAT(status, IsOk());
  }

  // The only rank there is, or the second one.
  int odd() const { return std::min(kOdd, size() - 1); }

  std::unique_ptr<GroupWorld> world_;
};

TEST_P(RefusalsTest, OneWrongRankIsNamedOnAllAndTheGroupGoesOn) {
  for (const Wrong& wrong : AllWrongs()) {
    if (size() == 1 && wrong.reason == "equal parts") continue;  // One divides everything.
    SCOPED_TRACE(wrong.name);
    const int32_t shift = kOdd - odd();  // Of the root of a scatter.
    if (shift != 0 && wrong.name == "ScatterShare") continue;
    const auto statuses = Statuses(
        [&](TensorOperations& ops, int rank) { return wrong.start(ops, size(), rank == odd()); });
    for (const absl::Status& status : statuses) {
      EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
      EXPECT_THAT(status, HasKind(ErrorKind::kOperationRefused));
      EXPECT_THAT(DetailOf(status).value_or(ErrorDetail()).ranks,
                  ElementsAre(GroupWorld::GlobalRankOf(size() - 1 - odd())));
      EXPECT_THAT(std::string(status.message()), testing::HasSubstr(wrong.reason));
    }
    ExpectUsable();
  }
}

TEST_P(RefusalsTest, WhatIsNotSupportedIsSoOnAll) {
  const auto statuses = Statuses([&](TensorOperations& ops, int rank) {
    return ops.AllReduce(rank == odd() ? Cuda() : Good({4}), ReduceOp::kSum, {.timeout = kLong});
  });
  for (const absl::Status& status : statuses) {
    EXPECT_THAT(status, HasKind(ErrorKind::kOperationRefused));
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnimplemented));
  }
  const auto averages = Statuses([](TensorOperations& ops, int) {
    return ops.AllReduce(TensorOf(Numbered({4}, 0), DType::kInt32), ReduceOp::kAverage,
                         {.timeout = kLong});
  });
  for (const absl::Status& status : averages) {
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnimplemented));
  }
  ExpectUsable();
}

TEST_P(RefusalsTest, DifferentDtypesAndCountsAreAMismatch) {
  if (size() == 1) return;
  const std::vector<std::function<TensorWork(TensorOperations&, bool)>> cases = {
      [](TensorOperations& ops, bool is_odd) {
        return ops.AllGather(TensorOf(Numbered({4}, 0), is_odd ? DType::kInt32 : DType::kFloat32),
                             0, {.timeout = kLong});
      },
      [](TensorOperations& ops, bool is_odd) {
        return ops.AllReduce(Good({is_odd ? 3 : 4}), ReduceOp::kSum, {.timeout = kLong});
      },
      [](TensorOperations& ops, bool is_odd) {
        return is_odd ? ops.Barrier({.timeout = kLong})
                      : ops.Broadcast(Good({4}), GroupRank(0), {.timeout = kLong});
      }};
  for (const auto& start : cases) {
    const auto statuses =
        Statuses([&](TensorOperations& ops, int rank) { return start(ops, rank == odd()); });
    for (const absl::Status& status : statuses) {
      EXPECT_THAT(status, HasKind(ErrorKind::kOperationMismatch));
    }
    ExpectUsable();
  }
}

TEST_P(RefusalsTest, DifferentShapesOfTheSameCountAreAMismatch) {
  if (size() == 1) return;
  const std::vector<std::function<TensorWork(TensorOperations&, bool)>> cases = {
      [](TensorOperations& ops, bool is_odd) {
        return ops.AllReduce(is_odd ? Good({2, 3}) : Good({3, 2}), ReduceOp::kSum,
                             {.timeout = kLong});
      },
      [](TensorOperations& ops, bool is_odd) {
        return ops.AllGather(Good({4, 4}), is_odd ? 0 : 1, {.timeout = kLong});
      },
      [this](TensorOperations& ops, bool is_odd) {
        return ops.AllToAll4D(Good({1, size(), size(), 2}), is_odd ? 2 : 1, is_odd ? 1 : 2,
                              {.timeout = kLong});
      },
      [](TensorOperations& ops, bool is_odd) {
        return ops.Broadcast(is_odd ? Good({4}) : Good({4, 1}), GroupRank(0), {.timeout = kLong});
      }};
  for (const auto& start : cases) {
    const auto statuses =
        Statuses([&](TensorOperations& ops, int rank) { return start(ops, rank == odd()); });
    for (const absl::Status& status : statuses) {
      EXPECT_THAT(status, HasKind(ErrorKind::kOperationMismatch));
    }
    ExpectUsable();
  }
}

INSTANTIATE_TEST_SUITE_P(Gloo, RefusalsTest, testing::Values(1, 2, 3, 5),
                         [](const auto& test) { return "Size" + std::to_string(test.param); });

}  // namespace
}  // namespace muster
