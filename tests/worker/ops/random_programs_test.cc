// Random programs of operations over overlapping groups, compared with the model: 200 of them, or
// 10,000 with MUSTER_SOAK=1. A failure names the seed of its program.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/random.h"
#include "gtest/gtest.h"
#include "tests/worker/comm/gloo/gloo_for_test.h"
#include "tests/worker/ops/group_world.h"
#include "tests/worker/ops/operation_case.h"

namespace muster {
namespace {

constexpr uint64_t kFirstSeed = 20'251'201;
constexpr int kProgramsPerWorld = 25;
constexpr int kOperationsMin = 20;
constexpr size_t kInFlightMax = 6;

int Programs() {
  const char* soak = std::getenv("MUSTER_SOAK");
  return soak != nullptr && std::string_view(soak) == "1" ? 10'000 : 200;
}

// One operation of a program, on one of the groups.
struct Step {
  size_t group = 0;
  OperationCase op;
  bool waits = false;  // Everything before it is waited for.
};

// Some members of a world, in any order.
std::vector<int> DrawGroup(Random* random, int32_t members) {
  std::vector<int> all(static_cast<size_t>(members));
  std::iota(all.begin(), all.end(), 0);
  for (size_t i = all.size(); i-- > 1;) std::swap(all[i], all[random->Uniform(i + 1)]);
  all.resize(static_cast<size_t>(random->Between(2, members)));
  return all;
}

// Three groups or more, one of them of all members, so that any other overlaps with it.
std::vector<std::vector<int>> DrawGroups(Random* random, int32_t members) {
  std::vector<std::vector<int>> groups;
  std::vector<int> everyone = DrawGroup(random, members);
  for (int member = 0; member < members; ++member) {
    if (std::find(everyone.begin(), everyone.end(), member) == everyone.end()) {
      everyone.push_back(member);
    }
  }
  groups.push_back(std::move(everyone));
  const int64_t more = random->Between(2, 4);
  for (int64_t i = 0; i < more; ++i) groups.push_back(DrawGroup(random, members));
  return groups;
}

DType DrawDType(Random* random, Kind kind, ReduceOp reduce) {
  for (;;) {
    const DType dtype = kAllDTypes[random->Uniform(std::size(kAllDTypes))];
    const bool is_known = dtype != DType::kBool && IsReducible(dtype, reduce) &&
                          (dtype != DType::kComplex64 || reduce == ReduceOp::kSum);
    if (!IsReduction(kind) || is_known) return dtype;
  }
}

Step DrawStep(Random* random, const std::vector<std::vector<int>>& groups) {
  Step step;
  step.group = random->Uniform(groups.size());
  step.waits = random->Chance(20);
  OperationCase& op = step.op;
  op.kind = kAllKinds[random->Uniform(std::size(kAllKinds))];
  op.reduce = kAllReduceOps[random->Uniform(std::size(kAllReduceOps))];
  op.dtype = DrawDType(random, op.kind, op.reduce);
  const int64_t dims = random->Between(HasDim(op.kind) ? 1 : 0, 4);
  for (int64_t d = 0; d < dims; ++d) {
    op.shape.push_back(random->Chance(5) ? 0 : random->Between(1, d == 0 ? 40 : 5));
  }
  if (dims > 0) {
    op.dim = static_cast<int32_t>(random->Between(-dims, dims - 1));
    op.gather_dim = static_cast<int32_t>(random->Between(0, dims - 1));
    if (op.kind == Kind::kAllToAllV) op.dim = 0;
  }
  op.root = static_cast<int32_t>(random->Uniform(groups[step.group].size()));
  op.size_step = random->Between(0, 5);
  op.input_lie = kAllLies[random->Uniform(4)];
  if (random->Chance(60)) op.output_lie = kAllLies[random->Uniform(4)];
  op.number = static_cast<double>(random->Uniform(997));
  return step;
}

std::vector<Step> DrawProgram(Random* random, const std::vector<std::vector<int>>& groups) {
  std::vector<Step> program;
  const int64_t length = random->Between(kOperationsMin, 2 * kOperationsMin);
  for (int64_t i = 0; i < length; ++i) program.push_back(DrawStep(random, groups));
  return program;
}

// One member's way through a program, with several operations in flight.
std::string RunProgram(GroupWorld* world, int member, const std::vector<Step>& program) {
  std::deque<std::unique_ptr<StartedCase>> in_flight;
  std::string wrong;
  for (const Step& step : program) {
    const std::vector<int>& ranks = world->groups()[step.group];
    const auto at = std::find(ranks.begin(), ranks.end(), member);
    const size_t kept = step.waits ? 0 : kInFlightMax - 1;
    while (in_flight.size() > kept) {
      wrong += in_flight.front()->Finish();
      in_flight.pop_front();
    }
    if (at == ranks.end()) continue;
    in_flight.push_back(std::make_unique<StartedCase>(world->At(member, step.group), step.op,
                                                      static_cast<int32_t>(at - ranks.begin()),
                                                      static_cast<int32_t>(ranks.size())));
  }
  while (!in_flight.empty()) {  // In the other order.
    wrong += in_flight.back()->Finish();
    in_flight.pop_back();
  }
  return wrong;
}

TEST(RandomProgramsTest, EveryResultIsAsTheModelSays) {
  const int programs = Programs();
  std::unique_ptr<GroupWorld> world;
  for (int i = 0; i < programs; ++i) {
    const uint64_t seed = kFirstSeed + static_cast<uint64_t>(i);
    Random random(seed);
    if (i % kProgramsPerWorld == 0) {
      const auto members = static_cast<int32_t>(random.Between(3, 6));
      world.reset();
      world = std::make_unique<GroupWorld>(MakeGlooForTest, members, DrawGroups(&random, members));
    }
    const std::vector<Step> program = DrawProgram(&random, world->groups());
    ASSERT_EQ(world->Run([&](int member) { return RunProgram(world.get(), member, program); }), "")
        << "program " << i << ", seed " << seed;
  }
}

}  // namespace
}  // namespace muster
