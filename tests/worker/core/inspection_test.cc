#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/worker/core/agent_bed.h"
#include "worker/core/dump.h"
#include "worker/core/invariants.h"

namespace muster::worker {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Epoch kFive{5};
constexpr Epoch kSix{6};

TEST(DumpTest, NewAgentIsOneLine) {
  AgentBed bed;

  EXPECT_EQ(Dump(bed.state()), "agent w2 running stream=1 dialing\n");
}

TEST(DumpTest, EveryHeldEpochIsOneLine) {
  AgentBed bed;
  bed.ToActive(kFive);
  bed.Do(OperationFailed{OperationId{31}, kFive, GlobalRank{1}, "barrier #2", absl::Seconds(9)});
  bed.ToPrepared(kSix);
  bed.Assign(bed.Attempt(kSix, AttemptStep::kBuild));

  EXPECT_EQ(Dump(bed.state()),
            "agent w2 running stream=1 open attached at=store:71 term:4 rev:15 waiting_ops=1\n"
            "  epoch 5 active rank=2 built=3/3 gates=open\n"
            "  epoch 6 building rank=2 built=0/3 building\n");
}

TEST(DumpTest, FailureAndFreeingAreShown) {
  AgentBed bed;
  bed.ToPreparing(kFive);
  bed.Do(BuildFailed{kFive, BuildFailure{"", std::nullopt, "no free port"}});
  EXPECT_THAT(Dump(bed.state()),
              HasSubstr("  epoch 5 failed rank=2 built=0/3 failure='no free port'\n"));

  bed.Assign(bed.Attempt(kFive, AttemptStep::kRollback));
  EXPECT_THAT(Dump(bed.state()), HasSubstr("  epoch 5 freeing rank=2 built=0/3 to_free=0\n"));
}

TEST(AgentTest, ACopyGoesItsOwnWay) {
  AgentBed bed;
  bed.ToBuilt(kFive);
  Agent copy = bed.agent();

  bed.Assign(bed.Committed(kFive));

  EXPECT_EQ(bed.StateOf(kFive), HoldingState::kActive);
  EXPECT_EQ(copy.state().holdings[0].state, HoldingState::kBuilt);
}

TEST(AgentTest, SameEventsGiveSameStates) {
  const auto live = [] {
    AgentBed bed;
    bed.ToActive(kFive);
    bed.Reconnect();
    bed.Pass(absl::Seconds(7));
    bed.Assign(bed.Lost(kFive, {LostRankOne()}));
    return Dump(bed.state());
  };

  EXPECT_EQ(live(), live());
}

// A state with one thing wrong, and a word of the finding.
struct BadState {
  const char* finding;
  void (*spoil)(AgentState&);
};

const BadState kBadStates[] = {
    {"at most 2",
     [](AgentState& state) {
       state.highest_entered = Epoch{8};
       state.holdings.push_back(state.holdings[0]);
       state.holdings.back().epoch = Epoch{7};
       state.holdings.back().state = HoldingState::kBuilt;
       state.holdings.back().gates_open = false;
       state.holdings.push_back(state.holdings.back());
       state.holdings.back().epoch = Epoch{8};
     }},
    {"two epochs at one time",
     [](AgentState& state) {
       state.highest_entered = Epoch{7};
       state.holdings.push_back(state.holdings[0]);
       state.holdings.back().epoch = Epoch{7};
     }},
    {"do not ascend by epoch",
     [](AgentState& state) {
       state.holdings.push_back(state.holdings[0]);
       state.holdings.back().epoch = Epoch{4};
     }},
    {"was never entered", [](AgentState& state) { state.highest_entered = Epoch{4}; }},
    {"groups that do not ascend",
     [](AgentState& state) {
       std::swap(state.holdings[0].groups[0], state.holdings[0].groups[1]);
     }},
    {"counts more groups", [](AgentState& state) { state.holdings[0].to_free = 4; }},
    {"out of turn", [](AgentState& state) { state.holdings[0].building = true; }},
    {"lacks groups", [](AgentState& state) { state.holdings[0].built = 2; }},
    {"did not fail", [](AgentState& state) { state.holdings[0].failure.emplace(); }},
    {"open gates", [](AgentState& state) { state.holdings[0].state = HoldingState::kEnded; }},
    {"was aborted", [](AgentState& state) { state.holdings[0].aborted = true; }},
    {"freed and still held", [](AgentState& state) { state.holdings[0].freed = true; }},
    {"finished agent holds", [](AgentState& state) { state.phase = AgentPhase::kFinished; }},
    {"does not free all", [](AgentState& state) { state.phase = AgentPhase::kEnding; }},
    {"will not come",
     [](AgentState& state) {
       state.phase = AgentPhase::kStranded;
       state.waiting.emplace_back();
     }},
    {"stream after its end", [](AgentState& state) { state.phase = AgentPhase::kStranded; }},
    {"without a stream", [](AgentState& state) { state.link.state = LinkState::kWaiting; }},
    {"not committed", [](AgentState& state) { state.assignment->committed = Epoch{4}; }},
    {"its epoch is not active", [](AgentState& state) { state.waiting.emplace_back(); }},
    {"no epoch is active",
     [](AgentState& state) {
       state.holdings.clear();
       state.waiting.emplace_back();
     }},
    {"no epoch is active",
     [](AgentState& state) {
       state.holdings.clear();
       state.reset_peers.insert(GlobalRank{1});
     }},
    {"too many leaks", [](AgentState& state) { state.leaks.resize(kLeaksMax + 1); }},
};

TEST(InvariantsTest, EachIsFound) {
  AgentBed bed;
  bed.ToActive(kFive);
  ASSERT_THAT(Violations(bed.state()), IsEmpty());

  for (const BadState& bad : kBadStates) {
    AgentState state = bed.state();
    bad.spoil(state);

    EXPECT_THAT(Violations(state), Contains(HasSubstr(bad.finding)));
  }
}

}  // namespace
}  // namespace muster::worker
