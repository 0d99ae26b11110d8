#include "tests/worker/core/agent_bed.h"

#include <memory>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "worker/core/dump.h"
#include "worker/core/invariants.h"

namespace muster::worker {
namespace {

struct NameOf {
  std::string operator()(const OpenStream&) const { return "OpenStream"; }
  std::string operator()(const CloseStream&) const { return "CloseStream"; }
  std::string operator()(const SendReport&) const { return ""; }
  std::string operator()(const OpenEndpoints&) const { return "OpenEndpoints"; }
  std::string operator()(const BuildGroup&) const { return "BuildGroup"; }
  std::string operator()(const AbortEpoch&) const { return "AbortEpoch"; }
  std::string operator()(const FreeGroup&) const { return "FreeGroup"; }
  std::string operator()(const CloseEndpoints&) const { return "CloseEndpoints"; }
  std::string operator()(const ActivateEpoch&) const { return "ActivateEpoch"; }
  std::string operator()(const EndEpoch&) const { return "EndEpoch"; }
  std::string operator()(const CloseGates&) const { return "CloseGates"; }
  std::string operator()(const OpenGates&) const { return "OpenGates"; }
  std::string operator()(const EndOperation&) const { return "EndOperation"; }
  std::string operator()(const ProbeProcess&) const { return "ProbeProcess"; }
  std::string operator()(const Finish&) const { return "Finish"; }
};

}  // namespace

JobSpec WanSpec() {
  JobSpec spec;
  spec.name = "wan";
  spec.layout.world_size = 4;
  MeshSpec mesh;
  mesh.name = "dit";
  mesh.dims = {{"sp", 2}, {"tp", 2}};
  spec.layout.meshes = {mesh};
  return spec;
}

AgentOptions WanOptions() {
  AgentOptions options;
  options.job = "wan";
  options.worker = "w2";
  options.incarnation = kOurs;
  options.host.host_id = "host-b";
  options.host.hostname = "gpu-b";
  options.device = {"GPU-17", 5};
  options.wanted_rank = GlobalRank{2};
  options.join_deadline = absl::Minutes(3);
  options.seed = 1234;
  return options;
}

AgentBed::AgentBed(AgentOptions options)
    : agent_(std::move(options), now_), deadlines_(*DeriveDeadlines(absl::Seconds(30))) {
  last_.store = kStore;
  last_.term = Term{4};
  last_.revision = Revision{10};
  last_.to = kOurs;
  last_.job = kJobUid;
  last_.spec = std::make_shared<const JobSpec>(WanSpec());
  last_.generation = Generation{3};
  last_.deadlines = deadlines_;
  first_effects_ = agent_.Start(now_);
}

std::vector<Effect> AgentBed::Do(const Event& event) {
  std::vector<Effect> effects = agent_.Step(event, now_);
  EXPECT_THAT(Violations(state()), testing::IsEmpty()) << Dump(state());
  return effects;
}

std::vector<Effect> AgentBed::Pass(absl::Duration by) {
  std::vector<Effect> all;
  const MonotonicTime end = now_ + by;
  while (now_ < end) {
    now_ = std::min(now_ + kTick, end);
    for (Effect& effect : Do(Tick{})) all.push_back(std::move(effect));
  }
  return all;
}

Assignment AgentBed::Next() {
  ++last_.revision.value;
  last_.attempt.reset();
  return last_;
}

Assignment AgentBed::Attempt(Epoch epoch, AttemptStep step) {
  Assignment assignment = Next();
  AttemptView view;
  view.epoch = epoch;
  view.step = step;
  view.rank = kOurRank;
  if (step == AttemptStep::kBuild) view.peers = AllPeers();
  assignment.attempt = view;
  return assignment;
}

Assignment AgentBed::Committed(Epoch epoch) {
  last_.committed = epoch;
  last_.committed_rank = kOurRank;
  last_.lost.clear();
  return Next();
}

Assignment AgentBed::Lost(Epoch epoch, std::vector<LostMember> lost) {
  Committed(epoch);
  last_.lost = std::move(lost);
  return Next();
}

std::vector<Effect> AgentBed::Assign(const Assignment& assignment) {
  return Do(AssignmentReceived{session(), assignment});
}

std::vector<Effect> AgentBed::Answer(std::vector<Effect> effects) {
  std::vector<Effect> all;
  while (!effects.empty()) {
    std::vector<Effect> next;
    const auto feed = [this, &next](const Event& event) {
      for (Effect& effect : Do(event)) next.push_back(std::move(effect));
    };
    for (const Effect& effect : effects) {
      all.push_back(effect);
      if (const auto* build = std::get_if<BuildGroup>(&effect)) {
        feed(GroupBuilt{build->epoch, build->group.id});
      } else if (const auto* free = std::get_if<FreeGroup>(&effect)) {
        feed(GroupFreed{free->epoch, free->group, ""});
      } else if (const auto* close = std::get_if<CloseEndpoints>(&effect)) {
        feed(EndpointsClosed{close->epoch});
      }
    }
    effects = std::move(next);
  }
  return all;
}

std::vector<Effect> AgentBed::Open() { return Do(StreamOpened{session()}); }

std::vector<Effect> AgentBed::ToPreparing(Epoch epoch) {
  if (state().link.state != LinkState::kOpen) Open();
  return Assign(Attempt(epoch, AttemptStep::kPrepare));
}

std::vector<Effect> AgentBed::ToPrepared(Epoch epoch) {
  ToPreparing(epoch);
  return Do(EndpointsOpened{epoch, OurEndpoints()});
}

std::vector<Effect> AgentBed::ToBuilt(Epoch epoch) {
  ToPrepared(epoch);
  return Answer(Assign(Attempt(epoch, AttemptStep::kBuild)));
}

std::vector<Effect> AgentBed::ToActive(Epoch epoch) {
  ToBuilt(epoch);
  return Assign(Committed(epoch));
}

void AgentBed::Reconnect() {
  Do(StreamClosed{session(), absl::UnavailableError("reset")});
  while (state().link.state == LinkState::kWaiting) Pass(kTick);
  Open();
}

HoldingState AgentBed::StateOf(Epoch epoch) const {
  for (const HeldEpoch& held : state().holdings) {
    if (held.epoch == epoch) return held.state;
  }
  ADD_FAILURE() << "epoch " << epoch.value << " is not held\n" << Dump(state());
  return HoldingState::kFreeing;
}

std::vector<Epoch> AgentBed::Held() const {
  std::vector<Epoch> epochs;
  for (const HeldEpoch& held : state().holdings) epochs.push_back(held.epoch);
  return epochs;
}

std::vector<std::string> Names(const std::vector<Effect>& effects) {
  std::vector<std::string> names;
  for (const Effect& effect : effects) {
    std::string name = std::visit(NameOf{}, effect);
    if (!name.empty()) names.push_back(std::move(name));
  }
  return names;
}

std::vector<Peer> AllPeers() {
  return {
      {kWorld, GroupRank{0}, GlobalRank{0}, Incarnation{0xA0}, "world:0>2"},
      {kWorld, GroupRank{1}, GlobalRank{1}, Incarnation{0xA1}, "world:1>2"},
      {kWorld, GroupRank{3}, GlobalRank{3}, Incarnation{0xA3}, "world:3>2"},
      {kSp, GroupRank{0}, GlobalRank{0}, Incarnation{0xA0}, "sp:0>2"},
      {kTp, GroupRank{1}, GlobalRank{3}, Incarnation{0xA3}, "tp:3>2"},
  };
}

std::vector<Endpoint> OurEndpoints() {
  return {
      {kTp, GroupRank{0}, GroupRank{1}, "tp:2>3"},
      {kWorld, GroupRank{2}, GroupRank{3}, "world:2>3"},
      {kWorld, GroupRank{2}, GroupRank{0}, "world:2>0"},
      {kWorld, GroupRank{2}, GroupRank{1}, "world:2>1"},
      {kSp, GroupRank{1}, GroupRank{0}, "sp:2>0"},
  };
}

LostMember LostRankOne() {
  LostMember lost;
  lost.rank = GlobalRank{1};
  lost.worker = "w1";
  lost.hostname = "gpu-a";
  lost.incarnation = Incarnation{0xA1};
  lost.cause = LossCause::kSilence;
  lost.silent_for = absl::Milliseconds(10200);
  lost.doing = "all_reduce #17 on world#0";
  return lost;
}

}  // namespace muster::worker
