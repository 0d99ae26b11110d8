// Messages between two ranks, over real Gloo communicators.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/comm/gloo/gloo_for_test.h"
#include "tests/worker/ops/group_world.h"
#include "tests/worker/ops/strided_memory.h"

namespace muster {
namespace {

constexpr absl::Duration kLong = absl::Seconds(200);
constexpr int64_t kLarge = 50'000;  // Bytes enough to fill no buffer of a socket by chance.

class MessagesTest : public testing::TestWithParam<int32_t> {
 protected:
  void SetUp() override { world_ = GroupWorld::OfOneGroup(MakeGlooForTest, GetParam()); }

  int32_t size() const { return GetParam(); }
  int32_t RankOf(int member) { return world_->CommunicatorAt(member, 0)->rank().value; }

  // What `from` sends to `to` as its message `k`.
  static Dense MessageOf(int32_t from, int32_t to, int32_t k) {
    return Numbered({2 + k, 3}, 10000.0 * from + 1000.0 * to + 100.0 * k);
  }

  std::unique_ptr<GroupWorld> world_;
};

TEST_P(MessagesTest, EveryRankMaySendFirst) {
  EXPECT_EQ(world_->Run([&](int member) {
    TensorOperations& ops = world_->At(member, 0);
    const int32_t rank = RankOf(member);
    std::vector<TensorWork> sends;
    for (int32_t to = 0; to < size(); ++to) {
      if (to == rank) continue;
      const Tensor data = TensorOf(Numbered({kLarge}, 1000.0 * rank + to), DType::kFloat64);
      sends.push_back(ops.Send(data, GroupRank(to)));
    }
    for (int32_t from = size(); from-- > 0;) {
      if (from == rank) continue;
      const auto got = ops.Recv({DType::kFloat64, {kLarge}}, GroupRank(from)).Result();
      if (!got.ok()) return got.status().ToString();
      const std::string wrong =
          Compare(*got, Numbered({kLarge}, 1000.0 * from + rank), DType::kFloat64);
      if (!wrong.empty()) return wrong;
    }
    const absl::Status sent = WaitForAll(sends);
    return sent.ok() ? std::string() : sent.ToString();
  }),
            "");
}

TEST_P(MessagesTest, ABatchMayBeWaitedForInAnyOrder) {
  EXPECT_EQ(world_->Run([&](int member) {
    const int32_t rank = RankOf(member);
    std::vector<Message> messages;
    std::vector<StridedMemory> arrivals;
    std::vector<Dense> expected;
    arrivals.reserve(static_cast<size_t>(3 * size()));
    for (int32_t k = 0; k < 3; ++k) {
      for (int32_t other = 0; other < size(); ++other) {
        if (other == rank) continue;
        const Lie lie = kAllLies[(k + other) % 4];
        expected.push_back(MessageOf(other, rank, k));
        arrivals.emplace_back(TensorSpec{DType::kInt32, expected.back().shape}, lie);
        messages.push_back({Message::Direction::kRecv, arrivals.back().tensor(), GroupRank(other)});
        const StridedMemory data(MessageOf(rank, other, k), DType::kInt32, lie);
        messages.push_back({Message::Direction::kSend, data.tensor(), GroupRank(other)});
      }
    }
    const std::vector<TensorWork> works = world_->At(member, 0).Exchange(messages);
    for (size_t i = works.size(); i-- > 0;) {  // The last one first.
      const absl::Status done = works[i].Wait();
      if (!done.ok()) return done.ToString();
    }
    std::string wrong;
    for (size_t i = 0; i < arrivals.size(); ++i) {
      wrong += Compare(arrivals[i].tensor(), expected[i], DType::kInt32);
      if (!arrivals[i].IsRestUntouched()) wrong += "bytes between elements were changed";
    }
    return wrong;
  }),
            "");
}

TEST_P(MessagesTest, TheShapeIsTheReceiversAffair) {
  if (size() < 2) return;
  EXPECT_EQ(world_->Run([&](int member) -> std::string {
    TensorOperations& ops = world_->At(member, 0);
    const int32_t rank = RankOf(member);
    if (rank > 1) return "";
    if (rank == 0) {
      const auto sent = ops.Send(TensorOf(Numbered({2, 6}, 3), DType::kInt8), GroupRank(1)).Wait();
      return sent.ok() ? "" : sent.ToString();
    }
    const StridedMemory into(TensorSpec{DType::kInt8, {3, 4}}, Lie::kTransposed);
    const auto got = ops.RecvInto(into.tensor(), GroupRank(0)).Result();
    return got.ok() ? Compare(*got, Numbered({3, 4}, 3), DType::kInt8) : got.status().ToString();
  }),
            "");
}

TEST_P(MessagesTest, MessagesThatDoNotFitAreRefusedOnBothSides) {
  if (size() < 2) return;
  world_->Run([&](int member) {
    TensorOperations& ops = world_->At(member, 0);
    const int32_t rank = RankOf(member);
    const OpOptions options{.timeout = kLong};
    if (rank == 0) {
      const Tensor data = TensorOf(Numbered({4}, 0), DType::kInt32);
      EXPECT_THAT(ops.Send(data, GroupRank(1), options).Wait(),
                  HasKind(ErrorKind::kOperationMismatch));
      EXPECT_THAT(ops.Send(data, GroupRank(1), options).Wait(),
                  HasKind(ErrorKind::kOperationRefused));
      EXPECT_THAT(ops.Send(data, GroupRank(1), options).Wait(), IsOk());
    } else if (rank == 1) {
      EXPECT_THAT(ops.Recv({DType::kInt32, {5}}, GroupRank(0), options).Wait(),
                  HasKind(ErrorKind::kOperationMismatch));
      EXPECT_THAT(ops.Recv({DType::kInt32, {-5}}, GroupRank(0), options).Wait(),
                  HasKind(ErrorKind::kOperationRefused));
      EXPECT_THAT(ops.Recv({DType::kInt32, {4}}, GroupRank(0), options).Wait(), IsOk());
    }
    return std::string();
  });
}

TEST_P(MessagesTest, OneselfAndStrangersAreRefusedAtOnce) {
  world_->Run([&](int member) {
    TensorOperations& ops = world_->At(member, 0);
    const int32_t rank = RankOf(member);
    const Tensor data = TensorOf(Numbered({4}, 0), DType::kInt32);
    for (const int32_t peer : {rank, -1, size(), 1000}) {
      const auto refused = HasKind(ErrorKind::kOperationRefused);
      EXPECT_THAT(ops.Send(data, GroupRank(peer), {.timeout = kLong}).Wait(), refused);
      EXPECT_THAT(ops.Recv(data.spec(), GroupRank(peer), {.timeout = kLong}).Wait(), refused);
    }
    return std::string();
  });
}

TEST_P(MessagesTest, BothHalvesOfAnExchangeAreRefusedTogether) {
  if (size() < 2) return;
  world_->Run([&](int member) {
    TensorOperations& ops = world_->At(member, 0);
    const int32_t rank = RankOf(member);
    if (rank > 1) return std::string();
    const Tensor data = TensorOf(Numbered({4}, 0), DType::kInt32);
    const TensorSpec spec{DType::kInt32, {rank == 1 ? -4 : 4}};
    const GroupRank other(1 - rank);
    EXPECT_THAT(ops.SendRecv(data, other, spec, other, {.timeout = kLong}).Wait(),
                HasKind(ErrorKind::kOperationRefused));
    const auto got = ops.SendRecv(data, other, data.spec(), other, {.timeout = kLong}).Result();
    EXPECT_THAT(got, IsOk());
    return std::string();
  });
}

INSTANTIATE_TEST_SUITE_P(Gloo, MessagesTest, testing::Values(1, 2, 3, 5, 8),
                         [](const auto& test) { return "Size" + std::to_string(test.param); });

}  // namespace
}  // namespace muster
