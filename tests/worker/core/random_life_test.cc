#include <map>
#include <set>
#include <utility>

#include "common/base/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/worker/core/agent_bed.h"

namespace muster::worker {
namespace {

// One agent under a coordinator and a shell that do anything at any time, right or wrong, late or
// twice, as a seed has it. What must hold for every effect is checked here; what must hold for
// every state is checked by AgentBed.
class RandomLife {
 public:
  explicit RandomLife(uint64_t seed) : random_(seed) { Take(bed_.first_effects()); }

  void Run(int steps) {
    for (int i = 0; i < steps; ++i) Take(OneStep());
  }

  // Lets every deadline pass.
  void RunOut() { Take(bed_.Pass(absl::Minutes(2))); }

  size_t waiting_operations() const { return asked_operations_.size(); }
  size_t epochs_entered() const { return entered_.size(); }
  size_t epochs_activated() const { return activated_.size(); }

 private:
  std::vector<Effect> OneStep() {
    switch (random_.Uniform(16)) {
      case 0:
        return bed_.Open();
      case 1:
        return random_.Chance(15) ? Close() : bed_.Pass(kTick);
      case 2:
      case 3:
      case 4:
        return bed_.Assign(RandomAssignment());
      case 5:
      case 6:
      case 7:
      case 8:
      case 9:
      case 10:
        return AnswerOne();
      case 11:
      case 12:
        return FailOperation();
      case 13:
        return bed_.Do(PeerReset{RandomEpoch(), GlobalRank{static_cast<int32_t>(Upto(3))}});
      case 14:
        if (random_.Chance(10)) bed_.Sleep(absl::Seconds(11));
        return bed_.Do(Tick{});
      default:
        return bed_.Pass(absl::Milliseconds(static_cast<int64_t>(Upto(600))));
    }
  }

  std::vector<Effect> Close() {
    return bed_.Do(StreamClosed{bed_.session(), absl::UnavailableError("reset")});
  }

  Assignment RandomAssignment() {
    Assignment assignment = RandomChange();
    if (random_.Chance(20) && !sent_.empty()) return sent_[random_.Uniform(sent_.size())];
    sent_.push_back(assignment);
    return assignment;
  }

  Assignment RandomChange() {
    switch (random_.Uniform(10)) {
      case 0:
        return bed_.Attempt(Epoch{++newest_}, AttemptStep::kPrepare);
      case 1:
      case 2:
      case 3:
      case 4:
        return bed_.Attempt(Epoch{newest_}, AttemptStep::kBuild);
      case 5:
        return bed_.Attempt(Epoch{newest_}, AttemptStep::kRollback);
      case 6:
      case 7:
        return bed_.Committed(Epoch{newest_});
      default:
        return bed_.Lost(RandomEpoch(), {LostRankOne()});
    }
  }

  std::vector<Effect> FailOperation() {
    const OperationId operation{++operations_};
    asked_operations_.insert(operation);
    return bed_.Do(OperationFailed{operation, RandomEpoch(), GlobalRank{1}, "barrier #2",
                                   absl::Milliseconds(static_cast<int64_t>(Upto(400)))});
  }

  // The answer to something asked for, in any order, now and then one for the second time.
  std::vector<Effect> AnswerOne() {
    if (answers_.empty()) return {};
    const size_t at = random_.Uniform(answers_.size());
    const Event event = answers_[at];
    if (!random_.Chance(10)) answers_.erase(answers_.begin() + static_cast<std::ptrdiff_t>(at));
    return bed_.Do(event);
  }

  void Take(const std::vector<Effect>& effects) {
    for (const Effect& effect : effects) {
      if (const auto* open = std::get_if<OpenEndpoints>(&effect)) {
        EXPECT_TRUE(entered_.insert(open->epoch).second) << "entered twice: " << open->epoch;
        answers_.push_back(EndpointsOpened{open->epoch, OurEndpoints()});
      } else if (const auto* build = std::get_if<BuildGroup>(&effect)) {
        TakeBuild(*build);
      } else if (const auto* free = std::get_if<FreeGroup>(&effect)) {
        TakeFree(*free);
      } else if (const auto* close = std::get_if<CloseEndpoints>(&effect)) {
        EXPECT_TRUE(asked_builds_[close->epoch].empty()) << "groups left: " << close->epoch;
        EXPECT_TRUE(closed_.insert(close->epoch).second) << "closed twice: " << close->epoch;
        answers_.push_back(EndpointsClosed{close->epoch});
      } else if (const auto* active = std::get_if<ActivateEpoch>(&effect)) {
        EXPECT_EQ(asked_builds_[active->epoch].size(), 3u) << "not built: " << active->epoch;
        EXPECT_TRUE(activated_.insert(active->epoch).second) << "twice: " << active->epoch;
      } else if (const auto* end = std::get_if<EndOperation>(&effect)) {
        EXPECT_EQ(asked_operations_.erase(end->operation), 1u) << "not asked: " << end->operation;
        EXPECT_FALSE(end->status.ok());
      }
    }
  }

  void TakeBuild(const BuildGroup& build) {
    std::vector<GroupId>& groups = asked_builds_[build.epoch];
    EXPECT_TRUE(groups.empty() || groups.back() < build.group.id) << "out of order";
    EXPECT_FALSE(closed_.contains(build.epoch));
    groups.push_back(build.group.id);
    if (random_.Chance(8)) {
      groups.pop_back();
      answers_.push_back(BuildFailed{build.epoch, BuildFailure{"g", GlobalRank{1}, "no luck"}});
      unbuilt_.emplace(build.epoch, build.group.id);
    } else {
      answers_.push_back(GroupBuilt{build.epoch, build.group.id});
    }
  }

  void TakeFree(const FreeGroup& free) {
    answers_.push_back(GroupFreed{free.epoch, free.group, ""});
    if (unbuilt_.contains({free.epoch, free.group})) return;  // It was cut off before it failed.
    std::vector<GroupId>& groups = asked_builds_[free.epoch];
    ASSERT_FALSE(groups.empty());
    EXPECT_EQ(groups.back(), free.group) << "not in reverse";
    groups.pop_back();
  }

  Epoch RandomEpoch() { return Epoch{newest_ - static_cast<int64_t>(Upto(1))}; }
  uint64_t Upto(uint64_t most) { return random_.Uniform(most + 1); }

  Random random_;
  AgentBed bed_;
  int64_t newest_ = 1;
  uint64_t operations_ = 0;
  std::vector<Assignment> sent_;
  std::vector<Event> answers_;
  std::set<Epoch> entered_;
  std::set<Epoch> closed_;
  std::set<Epoch> activated_;
  std::set<OperationId> asked_operations_;
  std::map<Epoch, std::vector<GroupId>> asked_builds_;  // Less those freed again.
  std::set<std::pair<Epoch, GroupId>> unbuilt_;
};

TEST(RandomLifeTest, WhateverComesNothingIsBuiltFreedOrAnsweredTwice) {
  size_t entered = 0;
  size_t activated = 0;
  for (uint64_t seed = 1; seed <= 300 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomLife life(seed);
    life.Run(1000);
    life.RunOut();

    EXPECT_EQ(life.waiting_operations(), 0u);
    entered += life.epochs_entered();
    activated += life.epochs_activated();
  }
  EXPECT_GT(entered, 3000u);
  EXPECT_GT(activated, 300u);
}

}  // namespace
}  // namespace muster::worker
