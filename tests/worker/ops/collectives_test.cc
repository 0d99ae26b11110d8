// Every operation on tensors, over real Gloo communicators, compared with a model.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/worker/comm/gloo/gloo_for_test.h"
#include "tests/worker/ops/group_world.h"
#include "tests/worker/ops/operation_case.h"

namespace muster {
namespace {

class CollectivesTest : public testing::TestWithParam<int32_t> {
 protected:
  void SetUp() override { world_ = GroupWorld::OfOneGroup(MakeGlooForTest, GetParam()); }

  int32_t size() const { return GetParam(); }

  // Carries out `cases` one after the other on all ranks.
  void ExpectAll(const std::vector<OperationCase>& cases) {
    EXPECT_EQ(world_->Run([&](int member) {
      for (const OperationCase& op : cases) {
        const int32_t rank = world_->CommunicatorAt(member, 0)->rank().value;
        const std::string wrong = StartedCase(world_->At(member, 0), op, rank, size()).Finish();
        if (!wrong.empty()) return wrong;
      }
      return std::string();
    }),
              "");
  }

  bool Fits(Kind kind) const { return kind != Kind::kSendRecv || size() > 1; }

  std::unique_ptr<GroupWorld> world_;
};

// Goes through ways to lie, so that each input meets each output.
class Lies {
 public:
  void Next(OperationCase* op) {
    op->input_lie = kAllLies[at_ % 4];
    const size_t output = at_ / 4 % 5;
    op->output_lie = output == 4 ? std::nullopt : std::optional<Lie>(kAllLies[output]);
    at_ += 7;  // Has no factor in common with 4 or 5.
    op->number = static_cast<double>(at_ % 101 * 13);
  }

 private:
  size_t at_ = 0;
};

TEST_P(CollectivesTest, EveryDimOfEveryShapeIsAsTheModelSays) {
  const std::vector<std::vector<int64_t>> shapes = {{7}, {3, 5}, {2, 3, 5}, {3, 1, 2, 2}};
  std::vector<OperationCase> cases;
  Lies lies;
  for (const Kind kind : kAllKinds) {
    if (!Fits(kind)) continue;
    for (const std::vector<int64_t>& shape : shapes) {
      const auto dims = static_cast<int32_t>(shape.size());
      for (int32_t dim = -dims; dim < dims; ++dim) {
        if (!HasDim(kind) && dim < dims - 4) continue;
        OperationCase op{.kind = kind, .shape = shape, .dim = dim};
        if (kind == Kind::kAllToAllV) op.dim = 0;
        op.gather_dim = (dim + 2 * dims + 1) % dims;
        op.root = (dim + dims) % size();
        lies.Next(&op);
        cases.push_back(op);
      }
    }
  }
  ExpectAll(cases);
}

TEST_P(CollectivesTest, EmptyTensorsAreCarriedThrough) {
  std::vector<OperationCase> cases;
  Lies lies;
  for (const Kind kind : kAllKinds) {
    if (!Fits(kind)) continue;
    for (const std::vector<int64_t>& shape :
         std::vector<std::vector<int64_t>>{{0}, {0, 3}, {2, 0}, {2, 0, 3}}) {
      const int32_t dims = static_cast<int32_t>(shape.size());
      for (int32_t dim = 0; dim < (kind == Kind::kAllToAllV ? 1 : dims); ++dim) {
        OperationCase op{.kind = kind, .shape = shape, .dim = dim, .gather_dim = dims - 1};
        lies.Next(&op);
        cases.push_back(op);
      }
    }
  }
  ExpectAll(cases);
}

TEST_P(CollectivesTest, TensorsWithoutDimensionsAreReducedAndSent) {
  std::vector<OperationCase> cases;
  Lies lies;
  for (const Kind kind : kAllKinds) {
    if (!Fits(kind) || HasDim(kind)) continue;
    OperationCase op{.kind = kind, .shape = {}, .root = size() - 1};
    lies.Next(&op);
    cases.push_back(op);
  }
  ExpectAll(cases);
}

TEST_P(CollectivesTest, EveryDTypeIsMovedAndReduced) {
  std::vector<OperationCase> cases;
  Lies lies;
  for (const Kind kind : kAllKinds) {
    if (!Fits(kind)) continue;
    for (const DType dtype : kAllDTypes) {
      for (const ReduceOp reduce : kAllReduceOps) {
        // The model has no "or", and multiplies no complex numbers.
        const bool is_known = dtype != DType::kBool && IsReducible(dtype, reduce) &&
                              (dtype != DType::kComplex64 || reduce == ReduceOp::kSum);
        if (IsReduction(kind) ? !is_known : reduce != ReduceOp::kSum) continue;
        OperationCase op{.kind = kind, .dtype = dtype, .reduce = reduce, .shape = {3, 2}};
        op.dim = kind == Kind::kAllToAllV ? 0 : 1;
        lies.Next(&op);
        cases.push_back(op);
      }
    }
  }
  ExpectAll(cases);
}

TEST_P(CollectivesTest, TensorsThatDoNotFitBesideAHeaderAreMovedAndReduced) {
  std::vector<OperationCase> cases;
  Lies lies;
  for (const Kind kind : kAllKinds) {
    if (!Fits(kind)) continue;
    for (int32_t dim = 0; dim < (kind == Kind::kAllToAllV ? 1 : 2); ++dim) {
      OperationCase op{.kind = kind, .shape = {67, 71}, .dim = dim, .root = size() / 2};
      op.gather_dim = 1 - dim;
      op.size_step = 13;
      lies.Next(&op);
      cases.push_back(op);
    }
  }
  ExpectAll(cases);
}

TEST_P(CollectivesTest, OperationsInFlightTogetherKeepTheirData) {
  EXPECT_EQ(world_->Run([&](int member) {
    std::vector<std::unique_ptr<StartedCase>> started;
    Lies lies;
    for (const Kind kind : kAllKinds) {
      if (!Fits(kind)) continue;
      OperationCase op{.kind = kind, .shape = {5, 4}, .dim = 0, .gather_dim = 1};
      lies.Next(&op);
      started.push_back(std::make_unique<StartedCase>(
          world_->At(member, 0), op, world_->CommunicatorAt(member, 0)->rank().value, size()));
    }
    std::string wrong;
    while (!started.empty()) {  // The last one first.
      wrong += started.back()->Finish();
      started.pop_back();
    }
    return wrong;
  }),
            "");
}

TEST_P(CollectivesTest, TheSequenceExchangeFollowsItsFormulaAndInverts) {
  const int64_t n = size();
  const std::vector<int64_t> shape = {2, 3, 2 * n, 2};  // One part of the sequence, all heads.
  EXPECT_EQ(world_->Run([&](int member) {
    TensorOperations& ops = world_->At(member, 0);
    const int64_t rank = world_->CommunicatorAt(member, 0)->rank().value;
    const StridedMemory input(Numbered(shape, 1000.0 * static_cast<double>(rank)), DType::kFloat32,
                              Lie::kBoth);
    const auto heads = ops.AllToAll4D(input.tensor(), 2, 1).Result();
    if (!heads.ok()) return heads.status().ToString();
    Dense expected{.shape = {2, 3 * n, 2, 2}, .values = {}};
    for (int64_t b = 0; b < 2; ++b) {
      for (int64_t s = 0; s < 3 * n; ++s) {
        for (int64_t h = 0; h < 2; ++h) {
          for (int64_t d = 0; d < 2; ++d) {
            const int64_t at = ((b * 3 + s % 3) * 2 * n + rank * 2 + h) * 2 + d;
            expected.values.push_back(static_cast<double>(1000 * (s / 3) + at));
          }
        }
      }
    }
    const std::string wrong = Compare(*heads, expected, DType::kFloat32);
    if (!wrong.empty()) return wrong;
    const auto back = ops.AllToAll4D(*heads, 1, 2).Result();
    if (!back.ok()) return back.status().ToString();
    return Compare(*back, Numbered(shape, 1000.0 * static_cast<double>(rank)), DType::kFloat32);
  }),
            "");
}

TEST_P(CollectivesTest, ThePackedExchangeEqualsThreeOfItsParts) {
  const int64_t n = size();
  EXPECT_EQ(world_->Run([&](int member) {
    TensorOperations& ops = world_->At(member, 0);
    const int32_t rank = world_->CommunicatorAt(member, 0)->rank().value;
    const Dense packed = Numbered({2, 3, 3, 2 * n, 5}, 10000.0 * rank);
    const Tensor input = TensorOf(packed, DType::kInt32);
    const auto heads = ops.AllToAll5D(input, 3, 1).Result();
    if (!heads.ok()) return heads.status().ToString();
    for (int64_t part = 0; part < 3; ++part) {
      Dense one = SliceOf(packed, 2, part, 1);
      one.shape = {2, 3, 2 * n, 5};
      const auto alone = ops.AllToAll4D(TensorOf(one, DType::kInt32), 2, 1).Result();
      if (!alone.ok()) return alone.status().ToString();
      const auto slice = heads->Narrow(2, part, 1);
      if (!slice.ok() || BytesOf(*slice) != BytesOf(*alone)) return std::string("parts differ");
    }
    const auto back = ops.AllToAll5D(*heads, 1, 3).Result();
    if (!back.ok()) return back.status().ToString();
    return Compare(*back, packed, DType::kInt32);
  }),
            "");
}

INSTANTIATE_TEST_SUITE_P(Gloo, CollectivesTest, testing::Values(1, 2, 3, 5, 8),
                         [](const auto& test) { return "Size" + std::to_string(test.param); });

TEST(SequenceExchangeTest, TheWorkedExampleComesOut) {
  const auto world =
      std::make_unique<GroupWorld>(MakeGlooForTest, 2, std::vector<std::vector<int>>{{0, 1}});
  const std::vector<Dense> inputs = {{{1, 2, 4, 1}, {0, 10, 20, 30, 100, 110, 120, 130}},
                                     {{1, 2, 4, 1}, {200, 210, 220, 230, 300, 310, 320, 330}}};
  const std::vector<Dense> outputs = {{{1, 4, 2, 1}, {0, 10, 100, 110, 200, 210, 300, 310}},
                                      {{1, 4, 2, 1}, {20, 30, 120, 130, 220, 230, 320, 330}}};
  EXPECT_EQ(world->Run([&](int member) {
    const auto at = static_cast<size_t>(member);
    TensorOperations& ops = world->At(member, 0);
    const auto there = ops.AllToAll4D(TensorOf(inputs[at], DType::kFloat64), 2, 1).Result();
    if (!there.ok()) return there.status().ToString();
    const auto back = ops.AllToAll4D(*there, 1, 2).Result();
    if (!back.ok()) return back.status().ToString();
    return Compare(*there, outputs[at], DType::kFloat64) +
           Compare(*back, inputs[at], DType::kFloat64);
  }),
            "");
}

}  // namespace
}  // namespace muster
