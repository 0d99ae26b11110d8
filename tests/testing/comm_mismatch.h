#ifndef MUSTER_TESTS_TESTING_COMM_MISMATCH_H_
#define MUSTER_TESTS_TESTING_COMM_MISMATCH_H_

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/error_detail.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/comm_cells.h"
#include "tests/testing/comm_world.h"
#include "tests/testing/status_matchers.h"

// What happens when members of a group do not call the same. A backend's own test includes this and
// names itself:
//
//   INSTANTIATE_TEST_SUITE_P(Gloo, CommunicatorMismatch, MismatchesOf(MakeGlooForTest));
namespace muster {

struct MismatchCase {
  CommWorld::MakeBackend make_backend;
  int32_t size = 2;
};

inline auto MismatchesOf(const CommWorld::MakeBackend& make_backend) {
  std::vector<MismatchCase> cases;
  for (const int32_t size : {2, 4, 5}) cases.push_back({make_backend, size});
  return testing::ValuesIn(cases);
}

inline std::ostream& operator<<(std::ostream& out, const MismatchCase& c) {
  return out << "size " << c.size;
}

class CommunicatorMismatch : public testing::TestWithParam<MismatchCase> {
 protected:
  // Far above what anything here takes, so that a test that waits for it fails.
  static constexpr absl::Duration kLong = absl::Seconds(120);
  static constexpr absl::Duration kShort = absl::Milliseconds(300);
  static constexpr int64_t kElements = 24;
  static constexpr int kOdd = 1;

  // The memory and the call of one rank, of `cell`.
  struct Part {
    Bytes input;
    Bytes output;
    OperationCall call;
  };

  void SetUp() override {
    world_ = std::make_unique<CommWorld>(GetParam().make_backend, GetParam().size);
    world_->Form();
  }

  int32_t size() const { return GetParam().size; }

  std::unique_ptr<Part> PartOf(const Cell& cell, int r, int64_t elements, int32_t root = 0) const {
    auto part = std::make_unique<Part>();
    const CellModel model(cell, size(), elements, GroupRank(root));
    part->input = model.Input(GroupRank(r));
    part->output = Bytes(model.Expected(GroupRank(r)).size(), std::byte{0xee});
    if (cell.operation == Operation::kBroadcast) part->output = part->input;
    part->call = model.Call(GroupRank(r), &part->input, &part->output);
    if (cell.operation == Operation::kBroadcast) part->call.input = part->call.output;
    return part;
  }

  // Has every rank start its part and wait. Checks that no byte moved if it fails.
  using MakePart = std::function<std::unique_ptr<Part>(int)>;
  std::vector<absl::Status> RunParts(const MakePart& make_part) {
    return world_->Run([&make_part](Communicator& comm, int r) {
      const std::unique_ptr<Part> part = make_part(r);
      const Bytes input = part->input;
      const Bytes output = part->output;
      const absl::Status status = comm.Start(part->call, kLong)->Wait();
      if (!status.ok()) {
        EXPECT_EQ(part->input, input);
        EXPECT_EQ(part->output, output);
      }
      return status;
    });
  }

  // What is said behind the call that the rank itself made.
  static std::string WithoutOwnCall(const absl::Status& status) {
    const std::string message(status.message());
    return message.substr(std::min(message.size(), message.find(" on group")));
  }

  // All ranks have the same error, about `blamed`, and none waited for its deadline; the group
  // works.
  void ExpectRefusedAndUsable(const std::vector<absl::Status>& statuses, ErrorKind kind,
                              const std::set<int>& blamed) {
    std::set<GlobalRank> ranks;
    for (const int r : blamed) ranks.insert(CommWorld::GlobalRankOf(r));
    for (const absl::Status& status : statuses) {
      EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
      EXPECT_THAT(status, HasKind(kind));
      EXPECT_EQ(WithoutOwnCall(status), WithoutOwnCall(statuses[0]));
      EXPECT_THAT(DetailOf(status).value_or(ErrorDetail()).ranks, testing::ElementsAreArray(ranks));
    }
    ExpectUsable();
  }

  void ExpectUsable() {
    const Cell cell{Operation::kAllGatherV, ReduceOp::kSum, DType::kInt64};
    for (const absl::Status& status : world_->Run([&](Communicator&comm, int r) {
           const auto part = PartOf(cell, r, /*elements=*/300);
           absl::Status done = comm.Start(part->call, kLong)->Wait();
           EXPECT_EQ(part->output, CellModel(cell, size(), 300, {}).Expected(GroupRank(r)));
           return done;
         })) {
      EXPECT_THAT(status, IsOk());
    }
  }

  // Who is blamed for what rank kOdd alone does: both sides, if neither is the majority.
  std::set<int> BlamedForOdd() const {
    return size() == 2 ? std::set<int>{0, kOdd} : std::set<int>{kOdd};
  }

  // Everyone waited for `missing` until the deadline, and the group is broken and says so.
  void ExpectLateAndBroken(const std::vector<absl::Status>& statuses, const std::set<int>& asked) {
    for (const int r : asked) {
      EXPECT_THAT(statuses[static_cast<size_t>(r)], StatusIs(absl::StatusCode::kDeadlineExceeded));
      EXPECT_THAT(DetailOf(statuses[static_cast<size_t>(r)]).value_or(ErrorDetail()).ranks,
                  testing::ElementsAre(CommWorld::GlobalRankOf(kOdd)));
      const absl::Status later = world_->at(r).Barrier(kLong)->Wait();
      EXPECT_THAT(later, StatusIs(absl::StatusCode::kFailedPrecondition));
      EXPECT_THAT(later, HasKind(ErrorKind::kGroupBroken));
      EXPECT_NE(DetailOf(later).value_or(ErrorDetail()).remedy, "");
    }
  }

  std::set<int> AllButOdd() const {
    std::set<int> ranks;
    for (int r = 0; r < size(); ++r) {
      if (r != kOdd) ranks.insert(r);
    }
    return ranks;
  }

  static std::vector<Operation> Collectives() {
    std::vector<Operation> operations;
    for (const Operation operation : kAllOperations) {
      if (!IsPointToPoint(operation) && operation != Operation::kBarrier) {
        operations.push_back(operation);
      }
    }
    return operations;
  }

  std::unique_ptr<CommWorld> world_;
};

TEST_P(CommunicatorMismatch, Count) {
  for (const Operation operation : Collectives()) {
    const Cell cell{operation, ReduceOp::kSum, DType::kFloat32};
    for (const int64_t odd : {int64_t{25}, int64_t{70000}, int64_t{0}}) {
      SCOPED_TRACE(OperationName(operation));
      std::set<int> blamed = BlamedForOdd();
      const auto statuses =
          RunParts([&](int r) { return PartOf(cell, r, r == kOdd ? odd : kElements); });
      if (operation == Operation::kAllToAllV) {
        // Ranks that rank kOdd gives nothing to, and that want nothing of it, cannot tell; but it
        // is part of every difference.
        EXPECT_THAT(DetailOf(statuses[0]).value_or(ErrorDetail()).ranks,
                    testing::Contains(CommWorld::GlobalRankOf(kOdd)));
        blamed.clear();
        for (int r = 0; r < size(); ++r) {
          const auto& ranks = DetailOf(statuses[0]).value_or(ErrorDetail()).ranks;
          if (std::count(ranks.begin(), ranks.end(), CommWorld::GlobalRankOf(r)) > 0) {
            blamed.insert(r);
          }
        }
      }
      ExpectRefusedAndUsable(statuses, ErrorKind::kOperationMismatch, blamed);
    }
  }
}

TEST_P(CommunicatorMismatch, DTypeOfEqualBytes) {
  for (const Operation operation : Collectives()) {
    SCOPED_TRACE(OperationName(operation));
    ExpectRefusedAndUsable(RunParts([&](int r) {
                             const DType dtype = r == kOdd ? DType::kInt32 : DType::kFloat32;
                             return PartOf({operation, ReduceOp::kSum, dtype}, r, kElements);
                           }),
                           ErrorKind::kOperationMismatch, BlamedForOdd());
  }
}

TEST_P(CommunicatorMismatch, Operation) {
  const Cell common{Operation::kAllReduce, ReduceOp::kSum, DType::kFloat32};
  for (const Operation operation : Collectives()) {
    if (operation == Operation::kAllReduce) continue;
    SCOPED_TRACE(OperationName(operation));
    const Cell odd{operation, ReduceOp::kSum, DType::kFloat32};
    for (const int64_t elements : {kElements, int64_t{5000}}) {
      ExpectRefusedAndUsable(
          RunParts([&](int r) { return PartOf(r == kOdd ? odd : common, r, elements); }),
          ErrorKind::kOperationMismatch, BlamedForOdd());
    }
  }
  ExpectRefusedAndUsable(RunParts([&](int r) {
                           return r == kOdd ? std::make_unique<Part>()  // A barrier.
                                            : PartOf(common, r, kElements);
                         }),
                         ErrorKind::kOperationMismatch, BlamedForOdd());
}

TEST_P(CommunicatorMismatch, Root) {
  for (const Operation operation : Collectives()) {
    if (!HasRoot(operation)) continue;
    SCOPED_TRACE(OperationName(operation));
    const Cell cell{operation, ReduceOp::kSum, DType::kFloat32};
    for (const int64_t elements : {kElements, int64_t{5000}}) {
      ExpectRefusedAndUsable(
          RunParts([&](int r) { return PartOf(cell, r, elements, r == kOdd ? 1 : 0); }),
          ErrorKind::kOperationMismatch, BlamedForOdd());
    }
  }
}

TEST_P(CommunicatorMismatch, ReduceOperation) {
  for (const Operation operation : Collectives()) {
    if (!Reduces(operation)) continue;
    SCOPED_TRACE(OperationName(operation));
    ExpectRefusedAndUsable(RunParts([&](int r) {
                             const ReduceOp op = r == kOdd ? ReduceOp::kMax : ReduceOp::kAverage;
                             return PartOf({operation, op, DType::kFloat32}, r, kElements);
                           }),
                           ErrorKind::kOperationMismatch, BlamedForOdd());
  }
}

TEST_P(CommunicatorMismatch, CountsOfOtherRanksWithTheSameSum) {
  for (const Operation operation : {Operation::kAllGatherV, Operation::kReduceScatterV}) {
    SCOPED_TRACE(OperationName(operation));
    const Cell cell{operation, ReduceOp::kSum, DType::kFloat32};
    const auto statuses = RunParts([&](int r) {
      auto part = PartOf(cell, r, kElements);
      if (r != kOdd) return part;
      // One element of rank 0 is taken for its own, with the memory for it.
      --part->call.counts[0];
      ++part->call.counts[kOdd];
      Bytes& own = operation == Operation::kAllGatherV ? part->input : part->output;
      own.resize(own.size() + sizeof(float));
      part->call.input.data = part->input.data();
      part->call.input.count = static_cast<int64_t>(part->input.size() / sizeof(float));
      part->call.output.data = part->output.data();
      part->call.output.count = static_cast<int64_t>(part->output.size() / sizeof(float));
      return part;
    });
    EXPECT_THAT(std::string(statuses[0].message()), testing::HasSubstr("counts[0]"));
    ExpectRefusedAndUsable(statuses, ErrorKind::kOperationMismatch, BlamedForOdd());
  }
}

TEST_P(CommunicatorMismatch, Order) {
  const Cell cells[] = {{Operation::kAllReduce, ReduceOp::kSum, DType::kFloat32},
                        {Operation::kReduceScatter, ReduceOp::kSum, DType::kFloat32}};
  for (const int round : {0, 1}) {
    ExpectRefusedAndUsable(
        RunParts([&](int r) { return PartOf(cells[r == kOdd ? 1 - round : round], r, kElements); }),
        ErrorKind::kOperationMismatch, BlamedForOdd());
  }
}

TEST_P(CommunicatorMismatch, RefusedArguments) {
  const std::function<void(OperationCall*)> spoilers[] = {
      [](OperationCall* call) { call->input.count = call->output.count = -1; },
      [](OperationCall* call) { call->input.dtype = call->output.dtype = static_cast<DType>(99); },
      [](OperationCall* call) { call->input.data = call->output.data = nullptr; },
      [this](OperationCall* call) {
        call->root = GroupRank(size());
        call->counts.clear();
        if (!HasRoot(call->operation)) ++call->output.count;
      },
  };
  for (const Operation operation : Collectives()) {
    SCOPED_TRACE(OperationName(operation));
    const Cell cell{operation, ReduceOp::kSum, DType::kFloat32};
    for (const auto& spoil : spoilers) {
      ExpectRefusedAndUsable(RunParts([&](int r) {
                               auto part = PartOf(cell, r, kElements);
                               if (r == kOdd) spoil(&part->call);
                               return part;
                             }),
                             ErrorKind::kOperationRefused, {kOdd});
    }
  }
}

TEST_P(CommunicatorMismatch, UnsupportedTypeOnAllRanks) {
  const Cell cell{Operation::kAllReduce, ReduceOp::kAverage, DType::kInt32};
  for (const absl::Status& status : RunParts([&](int r) { return PartOf(cell, r, kElements); })) {
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnimplemented));
    EXPECT_THAT(status, HasKind(ErrorKind::kOperationRefused));
  }
  ExpectUsable();
}

TEST_P(CommunicatorMismatch, TwoAgainstTheOthers) {
  if (size() < 4) return;
  const Cell cell{Operation::kBroadcast, ReduceOp::kSum, DType::kInt64};
  const auto blamed = size() == 4 ? std::set<int>{0, 1, 2, 3} : std::set<int>{1, 3};
  ExpectRefusedAndUsable(RunParts([&](int r) { return PartOf(cell, r, kElements, r % 2); }),
                         ErrorKind::kOperationMismatch, blamed);
}

TEST_P(CommunicatorMismatch, PairsOfAllToAllThatDoNotFitNameBothEnds) {
  const Cell cell{Operation::kAllToAllV, ReduceOp::kSum, DType::kInt32};
  const auto statuses = RunParts([&](int r) {
    auto part = PartOf(cell, r, kElements);
    if (r != kOdd) return part;
    // Rank 1 sends one element more to rank 0, and nobody else is concerned.
    ++part->call.counts[0];
    part->input.resize(part->input.size() + sizeof(int32_t));
    part->call.input.data = part->input.data();
    ++part->call.input.count;
    return part;
  });
  EXPECT_THAT(std::string(statuses[0].message()),
              testing::HasSubstr("rank 37 sends 25 elements to rank 40, which wants 24"));
  ExpectRefusedAndUsable(statuses, ErrorKind::kOperationMismatch, {0, kOdd});
}

TEST_P(CommunicatorMismatch, NothingAtAll) {
  const auto statuses =
      world_->Run([](Communicator& comm, int) { return comm.Barrier(kShort)->Wait(); }, {kOdd});
  ExpectLateAndBroken(statuses, AllButOdd());
}

TEST_P(CommunicatorMismatch, ASend) {
  const Cell cell{Operation::kAllGather, ReduceOp::kSum, DType::kInt32};
  const auto statuses = world_->Run([&](Communicator& comm, int r) {
    const auto part = PartOf(cell, r, kElements);
    return r == kOdd ? comm.Send(part->call.input, GroupRank(0), absl::Seconds(2))->Wait()
                     : comm.Start(part->call, kShort)->Wait();
  });
  ExpectLateAndBroken(statuses, AllButOdd());
  EXPECT_FALSE(statuses[kOdd].ok());
  EXPECT_THAT(world_->at(kOdd).Barrier(kLong)->Wait(), HasKind(ErrorKind::kGroupBroken));
}

TEST_P(CommunicatorMismatch, AnotherGroup) {
  CommWorld other(GetParam().make_backend, size());
  other.Form();
  const auto statuses = world_->Run([&](Communicator& comm, int r) {
    return (r == kOdd ? other.at(r) : comm).Barrier(kShort)->Wait();
  });
  ExpectLateAndBroken(statuses, AllButOdd());
  EXPECT_THAT(statuses[kOdd], StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_EQ(DetailOf(statuses[kOdd]).value_or(ErrorDetail()).ranks.size(),
            static_cast<size_t>(size() - 1));
}

}  // namespace muster

#endif  // MUSTER_TESTS_TESTING_COMM_MISMATCH_H_
