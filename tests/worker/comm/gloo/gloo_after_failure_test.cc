#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/base/error_detail.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/comm_cells.h"
#include "tests/testing/comm_world.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/comm/gloo/gloo_for_test.h"

// After a call that failed, in whatever way, a group either works again on all ranks or fails on
// all of them and says why and what to do. It is never in step with the wrong call.
namespace muster {
namespace {

constexpr absl::Duration kLong = absl::Seconds(60);
constexpr absl::Duration kShort = absl::Milliseconds(300);
constexpr int32_t kSize = 3;

struct Failure {
  std::string name;
  // Fails on at least one rank.
  std::function<absl::Status(Communicator&, int r)> call;
};

absl::Status SumFloats(Communicator& comm, size_t count, ReduceOp op = ReduceOp::kSum,
                       absl::Duration timeout = kLong) {
  std::vector<float> values(count, 1.5F);
  return comm.AllReduce(BufferOf(values), BufferOf(values), op, timeout)->Wait();
}

absl::Status BroadcastFrom(Communicator& comm, int32_t root) {
  std::vector<int64_t> values(700, comm.rank().value);
  return comm.Broadcast(BufferOf(values), GroupRank(root), kLong)->Wait();
}

absl::Status GatherCounts(Communicator& comm, std::vector<int64_t> counts) {
  int64_t sum = 0;
  for (const int64_t count : counts) sum += count;
  std::vector<int32_t> input(static_cast<size_t>(counts[static_cast<size_t>(comm.rank().value)]));
  std::vector<int32_t> output(static_cast<size_t>(sum));
  return comm.AllGatherV(BufferOf(input), BufferOf(output), counts, kLong)->Wait();
}

absl::Status Swap(Communicator& comm, int64_t to_next) {
  const auto next = static_cast<size_t>((comm.rank().value + 1) % kSize);
  const auto before = static_cast<size_t>((comm.rank().value + kSize - 1) % kSize);
  std::vector<int64_t> sends(kSize), wants(kSize);
  sends[next] = to_next;
  wants[before] = 400;
  std::vector<int32_t> input(static_cast<size_t>(to_next)), output(400);
  return comm.AllToAllV(BufferOf(input), sends, BufferOf(output), wants, kLong)->Wait();
}

// A message from rank 0 to rank 1; the third one has nothing to do.
absl::Status Message(Communicator& comm, size_t sent, size_t wanted) {
  std::vector<float> values(comm.rank().value == 0 ? sent : wanted);
  switch (comm.rank().value) {
    case 0:
      return comm.Send(BufferOf(values), GroupRank(1), kLong)->Wait();
    case 1:
      return comm.Recv(BufferOf(values), GroupRank(0), kLong)->Wait();
    default:
      return absl::OkStatus();
  }
}

absl::Status RefusedMessage(Communicator& comm) {
  const Buffer bad{nullptr, comm.rank().value == 0 ? 5 : 6, DType::kFloat32};
  std::vector<float> good(5);
  switch (comm.rank().value) {
    case 0:
      return comm.Send(bad, GroupRank(1), kLong)->Wait();
    case 1:
      return comm.Recv(BufferOf(good), GroupRank(0), kLong)->Wait();
    default:
      return absl::OkStatus();
  }
}

absl::Status OddCount(Communicator& comm, int r) { return SumFloats(comm, r == 1 ? 9 : 8); }

absl::Status Queue(Communicator& comm, int r) {
  if (r == 1) return absl::OkStatus();
  auto patient = comm.Barrier(kLong);
  auto urgent = comm.Barrier(kShort);
  absl::Status status = urgent->Wait();
  status.Update(patient->Wait());
  return status;
}

// Nothing has moved, and the group stays usable.
std::vector<Failure> HarmlessFailures() {
  return {
      {"refused arguments on one rank",
       [](Communicator& comm, int r) { return BroadcastFrom(comm, r == 1 ? -1 : 0); }},
      {"refused arguments on all ranks",
       [](Communicator& comm, int) { return BroadcastFrom(comm, kSize); }},
      {"a refused timeout on one rank",
       [](Communicator& comm, int r) {
         return SumFloats(comm, 5, ReduceOp::kSum, r == 1 ? absl::ZeroDuration() : kLong);
       }},
      {"an unsupported type",
       [](Communicator& comm, int) {
         std::vector<int32_t> values(5);
         return comm.AllReduce(BufferOf(values), BufferOf(values), ReduceOp::kAverage, kLong)
             ->Wait();
       }},
      {"another count", OddCount},
      {"another reduce operation",
       [](Communicator& comm, int r) {
         return SumFloats(comm, 5000, r == 1 ? ReduceOp::kMax : ReduceOp::kSum);
       }},
      {"another root", [](Communicator& comm, int r) { return BroadcastFrom(comm, r / 2); }},
      {"another operation",
       [](Communicator& comm, int r) {
         return r == 1 ? BroadcastFrom(comm, 0) : SumFloats(comm, 5000);
       }},
      {"other counts per rank",
       [](Communicator& comm, int r) {
         return GatherCounts(comm, r == 1 ? std::vector<int64_t>{300, 400, 500}
                                          : std::vector<int64_t>{301, 400, 499});
       }},
      {"counts that do not fit together",
       [](Communicator& comm, int r) { return Swap(comm, r == 1 ? 401 : 400); }},
      {"a message of another size",
       [](Communicator& comm, int) { return Message(comm, 9, 70000); }},
      {"a message of another size, too long",
       [](Communicator& comm, int) { return Message(comm, 70000, 9); }},
      {"a refused message", [](Communicator& comm, int) { return RefusedMessage(comm); }},
  };
}

// Ranks may be out of step.
std::vector<Failure> BreakingFailures() {
  return {
      {"nothing called on one rank",
       [](Communicator& comm, int r) {
         return r == 1 ? absl::OkStatus() : SumFloats(comm, 5, ReduceOp::kSum, kShort);
       }},
      {"a deadline behind a longer one", Queue},
      {"a recv without a send",
       [](Communicator& comm, int r) {
         std::vector<float> values(5);
         return r == 1 ? comm.Recv(BufferOf(values), GroupRank(0), kShort)->Wait()
                       : absl::OkStatus();
       }},
      {"a send without a recv",
       [](Communicator& comm, int r) {
         std::vector<float> values(5);
         return r == 1 ? comm.Send(BufferOf(values), GroupRank(0), kShort)->Wait()
                       : absl::OkStatus();
       }},
      {"an abort on one rank",
       [](Communicator& comm, int r) {
         if (r == 1) comm.Abort(absl::UnavailableError("rank 31 was lost"));
         return comm.Barrier(kLong)->Wait();
       }},
  };
}

// All members gather what only they have. Gives each one's status, having checked the data.
std::vector<absl::Status> Gather(CommWorld& world, int64_t elements) {
  const Cell cell{Operation::kAllGather, ReduceOp::kSum, DType::kInt64};
  return world.Run([&](Communicator& comm, int r) {
    const CellModel model(cell, comm.size(), elements, GroupRank(0));
    Bytes input = model.Input(GroupRank(r));
    const Bytes wanted = model.Expected(GroupRank(r));
    Bytes output(wanted.size());
    absl::Status status = comm.Start(model.Call(GroupRank(r), &input, &output), kLong)->Wait();
    if (status.ok()) {
      EXPECT_EQ(output, wanted);
    }
    return status;
  });
}

void ExpectBroken(CommWorld& world) {
  // The first call may be how a rank gets to know it.
  for (const absl::Status& status : Gather(world, 200)) EXPECT_FALSE(status.ok());
  const std::vector<absl::Status> statuses = Gather(world, 3);
  for (size_t r = 0; r < statuses.size(); ++r) {
    if (statuses[r] == absl::UnavailableError("rank 31 was lost")) continue;  // Its own words.
    EXPECT_THAT(statuses[r], StatusIs(absl::StatusCode::kFailedPrecondition));
    EXPECT_THAT(statuses[r], HasKind(ErrorKind::kGroupBroken));
    EXPECT_NE(DetailOf(statuses[r]).value_or(ErrorDetail()).remedy, "");
    EXPECT_THAT(std::string(statuses[r].message()), testing::HasSubstr("since"));
  }
}

TEST(GlooAfterFailureTest, RanksOutOfStepLeaveTheGroupBrokenAndItSaysWhy) {
  for (const Failure& failure : BreakingFailures()) {
    SCOPED_TRACE(failure.name);
    CommWorld world(MakeGlooForTest, kSize);
    world.Form();
    EXPECT_THAT(world.Run(failure.call), testing::Contains(testing::Not(IsOk())));
    ExpectBroken(world);
  }
}

TEST(GlooAfterFailureTest, FailureBeforeAnythingMovedLeavesTheGroupUsable) {
  for (const Failure& failure : HarmlessFailures()) {
    SCOPED_TRACE(failure.name);
    CommWorld world(MakeGlooForTest, kSize);
    world.Form();
    EXPECT_THAT(world.Run(failure.call), testing::Contains(testing::Not(IsOk())));
    for (const int64_t elements : {int64_t{3}, int64_t{5000}}) {
      for (const absl::Status& status : Gather(world, elements)) EXPECT_THAT(status, IsOk());
    }
  }
}

TEST(GlooAfterFailureTest, FailuresThatLeaveItUsableMayFollowEachOther) {
  CommWorld world(MakeGlooForTest, kSize);
  world.Form();
  for (const Failure& failure : HarmlessFailures()) {
    SCOPED_TRACE(failure.name);
    EXPECT_THAT(world.Run(failure.call), testing::Contains(testing::Not(IsOk())));
  }
  for (const absl::Status& status : Gather(world, 5000)) EXPECT_THAT(status, IsOk());
}

TEST(GlooAfterFailureTest, FailureBehindOthersInTheQueueFailsAlone) {
  CommWorld world(MakeGlooForTest, kSize);
  world.Form();
  const auto statuses = world.Run([](Communicator& comm, int r) {
    std::vector<float> first(4000, 1), wrong(r == 1 ? 4001 : 4000, 1), last(4000, 2);
    auto one = comm.AllReduce(BufferOf(first), BufferOf(first), ReduceOp::kSum, kLong);
    auto two = comm.AllReduce(BufferOf(wrong), BufferOf(wrong), ReduceOp::kSum, kLong);
    auto three = comm.AllReduce(BufferOf(last), BufferOf(last), ReduceOp::kSum, kLong);
    EXPECT_THAT(three->Wait(), IsOk());
    EXPECT_THAT(one->Wait(), IsOk());
    EXPECT_EQ(first, std::vector<float>(4000, kSize));
    EXPECT_EQ(last, std::vector<float>(4000, 2 * kSize));
    return two->Wait();
  });
  for (const absl::Status& status : statuses) {
    EXPECT_THAT(status, HasKind(ErrorKind::kOperationMismatch));
  }
}

TEST(GlooAfterFailureTest, MemberThatLeftBreaksTheGroupForTheOthers) {
  CommWorld world(MakeGlooForTest, kSize);
  world.Form();
  world.Free(1);
  for (const int round : {0, 1}) {
    const auto statuses = world.Run(
        [](Communicator& comm, int) { return comm.Barrier(kLong)->Wait(); }, /*absent=*/{1});
    for (const int r : {0, 2}) {
      const absl::Status& status = statuses[static_cast<size_t>(r)];
      EXPECT_THAT(status, HasKind(round == 0 ? ErrorKind::kMemberLeft : ErrorKind::kGroupBroken));
    }
  }
}

}  // namespace
}  // namespace muster
