#include <sys/resource.h>

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/comm_world.h"
#include "tests/testing/status_matchers.h"
#include "tests/worker/comm/gloo/gloo_for_test.h"

namespace muster {
namespace {

using testing::ElementsAre;

constexpr absl::Duration kLong = absl::Seconds(60);
constexpr absl::Duration kShort = absl::Milliseconds(300);
// Far above what anything here takes, far below kLong.
constexpr absl::Duration kSoon = absl::Seconds(20);

std::vector<GlobalRank> BlamedBy(const absl::Status& status) {
  return DetailOf(status).value_or(ErrorDetail()).ranks;
}

absl::Status SumOnes(Communicator& comm, size_t count, absl::Duration timeout) {
  std::vector<int64_t> ones(count, 1);
  absl::Status status =
      comm.AllReduce(BufferOf(ones), BufferOf(ones), ReduceOp::kSum, timeout)->Wait();
  if (status.ok()) {
    EXPECT_EQ(ones, std::vector<int64_t>(count, comm.facts().size()));
  }
  return status;
}

double CpuSeconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// How much of one core the process takes while the test does nothing.
double IdleCpuShare(const Clock& clock) {
  constexpr absl::Duration kWatched = absl::Seconds(1);
  const MonotonicTime start = clock.Now();
  const double before = CpuSeconds();
  EXPECT_TRUE(Eventually([&] { return clock.Now() - start >= kWatched; }));
  return (CpuSeconds() - before) / absl::ToDoubleSeconds(clock.Now() - start);
}

// A thread that spins takes a whole core. Each of the members that live in one process here costs
// what a process costs in the product.
constexpr double kIdleCpuMax = 0.3;

TEST(GlooFailureTest, RankThatDoesNotComeIsNamedByAllOthersAndTheGroupIsBroken) {
  CommWorld world(MakeGlooForTest, 4);
  world.Form();

  const auto statuses = world.Run(
      [](Communicator& comm, int) { return comm.Barrier(kShort)->Wait(); }, /*absent=*/{2});

  for (const int r : {0, 1, 3}) {
    EXPECT_THAT(statuses[static_cast<size_t>(r)], StatusIs(absl::StatusCode::kDeadlineExceeded));
    EXPECT_THAT(BlamedBy(statuses[static_cast<size_t>(r)]), ElementsAre(world.GlobalRankOf(2)));
    const absl::Status later = world.at(r).Barrier(kLong)->Wait();
    EXPECT_THAT(later, StatusIs(absl::StatusCode::kFailedPrecondition));
    EXPECT_THAT(later, HasKind(ErrorKind::kGroupBroken));
  }
  EXPECT_LT(IdleCpuShare(world.clock()), kIdleCpuMax);
}

TEST(GlooFailureTest, RanksWithTimeLeftAreToldWhoIsMissingByTheFirstThatGivesUp) {
  CommWorld world(MakeGlooForTest, 4);
  world.Form();
  const MonotonicTime start = world.clock().Now();

  const auto statuses = world.Run(
      [](Communicator& comm, int r) { return comm.Barrier(r == 0 ? kShort : kLong)->Wait(); },
      /*absent=*/{3});

  for (const int r : {0, 1, 2}) {
    EXPECT_THAT(statuses[static_cast<size_t>(r)], StatusIs(absl::StatusCode::kDeadlineExceeded));
    EXPECT_THAT(BlamedBy(statuses[static_cast<size_t>(r)]), ElementsAre(world.GlobalRankOf(3)));
  }
  EXPECT_LT(world.clock().Now() - start, kSoon);
}

TEST(GlooFailureTest, OnlyTheAbsentAreNamedInAGroupThatExchangesInRounds) {
  CommWorld world(MakeGlooForTest, 10);
  world.Form();

  const auto statuses =
      world.Run([](Communicator& comm, int) { return comm.Barrier(absl::Seconds(1))->Wait(); },
                /*absent=*/{4, 7});

  for (const int r : {0, 1, 2, 3, 5, 6, 8, 9}) {
    EXPECT_THAT(statuses[static_cast<size_t>(r)], StatusIs(absl::StatusCode::kDeadlineExceeded));
    EXPECT_THAT(BlamedBy(statuses[static_cast<size_t>(r)]),
                ElementsAre(world.GlobalRankOf(7), world.GlobalRankOf(4)));
  }
}

TEST(GlooFailureTest, OperationInTheQueueEndsInTimeThoughTheOneBeforeHasMore) {
  CommWorld world(MakeGlooForTest, 2);
  world.Form();
  const MonotonicTime start = world.clock().Now();

  auto patient = world.at(0).Barrier(kLong);
  auto urgent = world.at(0).Barrier(kShort);

  EXPECT_FALSE(urgent->Wait().ok());
  EXPECT_THAT(patient->Wait(), StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_LT(world.clock().Now() - start, kSoon);
}

TEST(GlooFailureTest, AbortFromAnotherThreadWakesEveryWaiter) {
  CommWorld world(MakeGlooForTest, 3);
  world.Form();
  const absl::Status why = absl::UnavailableError("rank 31 was lost");
  std::vector<float> values(10);
  auto collective = world.at(0).Barrier(kLong);
  auto message = world.at(0).Recv(BufferOf(values), GroupRank(2), kLong);
  EXPECT_FALSE(collective->IsDone());
  const MonotonicTime start = world.clock().Now();

  std::thread([&] { world.at(0).Abort(why); }).join();

  EXPECT_EQ(collective->Wait(), why);
  EXPECT_EQ(message->Wait(), why);
  EXPECT_LT(world.clock().Now() - start, absl::Seconds(2));
  EXPECT_EQ(world.at(0).Barrier(kLong)->Wait(), why);
  EXPECT_LT(IdleCpuShare(world.clock()), kIdleCpuMax);
}

TEST(GlooFailureTest, AbortInTheMiddleOfDataLeavesNothingSpinning) {
  CommWorld world(MakeGlooForTest, 3);
  world.Form();
  const absl::Status why = absl::UnavailableError("rank 31 was lost");
  std::atomic<int> done{0};
  std::thread aborter([&] {
    EXPECT_TRUE(Eventually([&] { return done >= 3; }));
    world.at(1).Abort(why);
  });

  const auto statuses = world.Run([&done](Communicator& comm, int) {
    while (true) {
      const absl::Status status = SumOnes(comm, size_t{1} << 20U, kLong);
      if (!status.ok()) return status;
      ++done;
    }
  });
  aborter.join();

  EXPECT_EQ(statuses[1], why);
  for (const int r : {0, 2}) {
    EXPECT_THAT(statuses[static_cast<size_t>(r)], StatusIs(absl::StatusCode::kUnavailable));
    // Nobody is lost, so nobody may be suspected.
    EXPECT_THAT(statuses[static_cast<size_t>(r)], testing::Not(HasKind(ErrorKind::kMemberSuspect)));
  }
  EXPECT_LT(IdleCpuShare(world.clock()), kIdleCpuMax);
}

// The farewell comes behind the data that is under way, and closing with a reset loses what the
// peer's system has not taken: whoever aborts waits for both.
TEST(GlooFailureTest, AbortBehindDataThatIsUnderWayIsNoLoss) {
  std::vector<float> values(size_t{8} << 20U);  // More than a connection holds.
  std::vector<float> received(values.size());
  for (int round = 0; round < 10; ++round) {
    CommWorld world(MakeGlooForTest, 2);
    world.Form();
    auto recv = world.at(1).Recv(BufferOf(received), GroupRank(0), kLong);
    auto send = world.at(0).Send(BufferOf(values), GroupRank(1), kLong);
    // A little later in each round, so that some of them meet the data.
    for (int i = 0; i < round * 500; ++i) std::this_thread::yield();
    world.at(0).Abort(absl::UnavailableError("told to"));

    (void)send->Wait();
    EXPECT_THAT(recv->Wait(), testing::Not(HasKind(ErrorKind::kMemberSuspect)));
  }
}

TEST(GlooFailureTest, DestructionEndsWhatRuns) {
  CommWorld world(MakeGlooForTest, 2);
  world.Form();
  auto work = world.at(0).Barrier(kLong);

  world.Free(0);

  EXPECT_THAT(work->Wait(), StatusIs(absl::StatusCode::kAborted));
}

TEST(GlooFailureTest, MemberThatLeavesInGoodOrderIsNotSuspected) {
  CommWorld world(MakeGlooForTest, 3);
  world.Form();
  world.Free(1);

  const auto statuses = world.Run(
      [](Communicator& comm, int) { return comm.Barrier(kLong)->Wait(); }, /*absent=*/{1});

  // Whoever notices second may see the first one give up as well, which is no suspicion either.
  for (const int r : {0, 2}) {
    EXPECT_THAT(statuses[static_cast<size_t>(r)], StatusIs(absl::StatusCode::kUnavailable));
    EXPECT_THAT(statuses[static_cast<size_t>(r)], HasKind(ErrorKind::kMemberLeft));
    EXPECT_THAT(BlamedBy(statuses[static_cast<size_t>(r)]), ElementsAre(world.GlobalRankOf(1)));
  }
}

TEST(GlooFailureTest, DataOfTheLastOperationArrivesThoughTheSenderIsGone) {
  for (int round = 0; round < 5; ++round) {
    CommWorld world(MakeGlooForTest, 3);
    world.Form();

    const auto statuses = world.Run([&world](Communicator& comm, int r) {
      absl::Status status = SumOnes(comm, 300000, kLong);
      world.Free(r);
      return status;
    });

    for (const absl::Status& status : statuses) EXPECT_THAT(status, IsOk());
  }
}

TEST(GlooFailureTest, PeersThatGoAreReportedOnlyIfTheySaidNoGoodbye) {
  CommWorld world(MakeGlooForTest, 3);
  std::atomic<int> resets{0};
  for (int r = 0; r < 3; ++r) {
    world.plan(r).on_peer_reset = [&resets](GlobalRank) { ++resets; };
  }
  world.Form();

  world.Free(1);
  world.at(2).Abort(absl::UnavailableError("told to"));
  EXPECT_FALSE(world.at(0).Barrier(kLong)->Wait().ok());

  EXPECT_EQ(resets, 0);
}

class MismatchTest : public testing::Test {
 protected:
  // What rank 1 calls instead of the all_reduce of eight floats that the others call.
  using Odd = std::function<absl::Status(Communicator&)>;

  void Expect(const Odd& odd) {
    CommWorld world(MakeGlooForTest, 3);
    world.Form();
    const auto statuses = world.Run([&odd](Communicator& comm, int r) {
      if (r == 1) return odd(comm);
      std::vector<float> values(8, 1.0F);
      return comm.AllReduce(BufferOf(values), BufferOf(values), ReduceOp::kSum, kLong)->Wait();
    });
    for (const absl::Status& status : statuses) {
      EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
      EXPECT_THAT(status, HasKind(ErrorKind::kOperationMismatch));
      EXPECT_THAT(BlamedBy(status), ElementsAre(world.GlobalRankOf(1)));
    }
    for (const absl::Status& status :
         world.Run([](Communicator&comm, int) { return SumOnes(comm, 1000, kLong); })) {
      EXPECT_THAT(status, IsOk());
    }
  }
};

TEST_F(MismatchTest, LargerCountIsRefusedBeforeItOverrunsAnything) {
  Expect([](Communicator& comm) {
    std::vector<float> values(1000000, 1.0F);
    return comm.AllReduce(BufferOf(values), BufferOf(values), ReduceOp::kSum, kLong)->Wait();
  });
}

TEST_F(MismatchTest, DTypeOfEqualBytesIsRefused) {
  Expect([](Communicator& comm) {
    std::vector<int32_t> values(8, 1);
    return comm.AllReduce(BufferOf(values), BufferOf(values), ReduceOp::kSum, kLong)->Wait();
  });
}

TEST_F(MismatchTest, ReduceOpIsRefused) {
  Expect([](Communicator& comm) {
    std::vector<float> values(8, 1.0F);
    return comm.AllReduce(BufferOf(values), BufferOf(values), ReduceOp::kMax, kLong)->Wait();
  });
}

TEST_F(MismatchTest, OperationIsRefused) {
  Expect([](Communicator& comm) { return comm.Barrier(kLong)->Wait(); });
}

TEST(GlooMismatchTest, TwoAgainstTwoNamesBothSides) {
  CommWorld world(MakeGlooForTest, 4);
  world.Form();

  const auto statuses = world.Run([](Communicator& comm, int r) {
    std::vector<int64_t> values(4, r);
    return comm.Broadcast(BufferOf(values), GroupRank(r % 2), kLong)->Wait();
  });

  for (const absl::Status& status : statuses) {
    EXPECT_THAT(status, HasKind(ErrorKind::kOperationMismatch));
    EXPECT_EQ(BlamedBy(status).size(), 4U);
  }
}

TEST(GlooMismatchTest, RefusalOnOneRankReachesAllAtOnce) {
  CommWorld world(MakeGlooForTest, 3);
  world.Form();

  const auto statuses = world.Run([](Communicator& comm, int r) {
    std::vector<float> in(8, 1.0F), out(r == 2 ? 5 : 8);
    absl::Status status =
        comm.AllReduce(BufferOf(in), BufferOf(out), ReduceOp::kSum, kLong)->Wait();
    EXPECT_THAT(SumOnes(comm, 5000, kLong), IsOk());
    return status;
  });

  for (const absl::Status& status : statuses) {
    EXPECT_THAT(status, HasKind(ErrorKind::kOperationRefused));
    EXPECT_THAT(BlamedBy(status), ElementsAre(world.GlobalRankOf(2)));
  }
}

TEST(GlooMismatchTest, MessageOfAnotherSizeIsRefusedOnBothSides) {
  CommWorld world(MakeGlooForTest, 2);
  world.Form();

  const auto statuses = world.Run([](Communicator& comm, int r) {
    std::vector<float> large(70000), small(3);
    const absl::Status status = r == 0 ? comm.Send(BufferOf(large), GroupRank(1), kLong)->Wait()
                                       : comm.Recv(BufferOf(small), GroupRank(0), kLong)->Wait();
    EXPECT_THAT(r == 0 ? comm.Send(BufferOf(small), GroupRank(1), kLong)->Wait()
                       : comm.Recv(BufferOf(small), GroupRank(0), kLong)->Wait(),
                IsOk());
    return status;
  });

  for (const absl::Status& status : statuses) {
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(status, HasKind(ErrorKind::kOperationMismatch));
  }
}

TEST(GlooFailureTest, RecvThatNobodySendsNamesTheOtherSide) {
  CommWorld world(MakeGlooForTest, 3);
  world.Form();
  std::vector<float> values(3);

  const absl::Status status = world.at(0).Recv(BufferOf(values), GroupRank(2), kShort)->Wait();

  EXPECT_THAT(status, StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_THAT(BlamedBy(status), ElementsAre(world.GlobalRankOf(2)));
  EXPECT_LT(IdleCpuShare(world.clock()), kIdleCpuMax);
}

}  // namespace
}  // namespace muster
