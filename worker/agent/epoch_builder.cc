#include "worker/agent/epoch_builder.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "worker/agent/fault_point.h"

namespace muster::worker {
namespace {

EpochPlan MakePlan(const LiveEpoch& live, const std::vector<GroupMembership>& groups,
                   const EventSink& post) {
  EpochPlan plan;
  plan.job = live.info().job;
  plan.epoch = live.info().epoch;
  plan.rank = live.info().rank;
  plan.incarnation = live.info().incarnation;
  for (const GroupMembership& group : groups) {
    plan.groups.push_back({group, live.layout().Name(group.id, live.info().spec->name)});
  }
  plan.on_peer_reset = [post, epoch = plan.epoch](GlobalRank peer) {
    post(PeerReset{epoch, peer});
  };
  return plan;
}

}  // namespace

EpochBuilder::EpochBuilder(Backend* backend, EventSink post)
    : backend_(backend), post_(std::move(post)), thread_([this] { RunThread(); }) {}

EpochBuilder::~EpochBuilder() {
  std::vector<Epoch> left;
  {
    MonitorLock lock(&monitor_);
    stopping_ = true;
    tasks_.clear();
    for (const auto& [epoch, held] : held_) left.push_back(epoch);
    monitor_.NotifyAll();
  }
  for (const Epoch epoch : left) Abort({epoch, absl::CancelledError("the worker ends")});
  thread_.join();
  for (const Epoch epoch : left) {
    Held held = Find(epoch);
    for (auto group = held.groups.rbegin(); group != held.groups.rend(); ++group) {
      held.live->Find(group->id)->Free();
    }
  }
  MonitorLock lock(&monitor_);
  held_.clear();
}

void EpochBuilder::Open(const OpenEndpoints& effect, std::shared_ptr<LiveEpoch> live) {
  EpochPlan plan = MakePlan(*live, effect.groups, post_);
  {
    MonitorLock lock(&monitor_);
    held_[effect.epoch] = Held{std::move(live), nullptr, effect.groups, 0, std::nullopt};
  }
  Post([this, epoch = effect.epoch, plan = std::move(plan)] { DoOpen(epoch, plan); });
}

void EpochBuilder::Build(const BuildGroup& effect) {
  Post([this, effect] { DoBuild(effect); });
}

void EpochBuilder::Abort(const AbortEpoch& effect) {
  Held held;
  {
    MonitorLock lock(&monitor_);
    const auto it = held_.find(effect.epoch);
    if (it == held_.end()) return;
    if (!it->second.aborted.has_value()) it->second.aborted = effect.status;
    held = it->second;
  }
  held.live->End(effect.status);
  if (held.endpoints != nullptr) held.endpoints->Abort(effect.status);
}

void EpochBuilder::Free(const FreeGroup& effect) {
  Post([this, effect] { DoFree(effect); });
}

void EpochBuilder::Close(const CloseEndpoints& effect) {
  Post([this, epoch = effect.epoch] { DoClose(epoch); });
}

void EpochBuilder::Post(std::function<void()> task) {
  MonitorLock lock(&monitor_);
  tasks_.push_back(std::move(task));
  monitor_.NotifyAll();
}

void EpochBuilder::RunThread() {
  while (true) {
    std::function<void()> task;
    {
      MonitorLock lock(&monitor_);
      while (tasks_.empty() && !stopping_) monitor_.Wait();
      if (stopping_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

void EpochBuilder::DoOpen(Epoch epoch, EpochPlan plan) {
  const absl::Status fault = FaultPoint(FaultStep::kLayoutReceived, plan.rank);
  if (!fault.ok()) return Fail(epoch, std::nullopt, fault);
  absl::StatusOr<std::unique_ptr<EpochEndpoints>> opened = backend_->OpenEndpoints(std::move(plan));
  if (!opened.ok()) return Fail(epoch, std::nullopt, opened.status());
  const std::shared_ptr<EpochEndpoints> endpoints = *std::move(opened);
  std::optional<absl::Status> aborted;
  {
    MonitorLock lock(&monitor_);
    held_[epoch].endpoints = endpoints;
    aborted = held_[epoch].aborted;
  }
  if (aborted.has_value()) return Fail(epoch, std::nullopt, *aborted);
  post_(EndpointsOpened{epoch, endpoints->endpoints()});
}

void EpochBuilder::DoBuild(const BuildGroup& effect) {
  const Held held = Find(effect.epoch);
  if (held.endpoints == nullptr) return;
  const GroupId id = effect.group.id;
  if (held.aborted.has_value()) return Fail(effect.epoch, id, *held.aborted);
  const GlobalRank self = held.live->info().rank;
  const absl::Status fault = FaultPoint(FaultStep::kConnecting, self);
  if (!fault.ok()) return Fail(effect.epoch, id, fault);
  absl::StatusOr<std::unique_ptr<Communicator>> built =
      held.endpoints->Build(id, effect.peers, effect.deadline);
  if (!built.ok()) return Fail(effect.epoch, id, built.status());
  held.live->Find(id)->Put(*std::move(built));
  size_t count = 0;
  {
    MonitorLock lock(&monitor_);
    count = ++held_[effect.epoch].built;
  }
  if (count == held.groups.size()) (void)FaultPoint(FaultStep::kBuilt, self);
  post_(GroupBuilt{effect.epoch, id});
}

void EpochBuilder::DoFree(const FreeGroup& effect) {
  const Held held = Find(effect.epoch);
  if (held.live != nullptr) held.live->Find(effect.group)->Free();
  post_(GroupFreed{effect.epoch, effect.group, ""});
}

void EpochBuilder::DoClose(Epoch epoch) {
  {
    Held held;
    MonitorLock lock(&monitor_);
    const auto it = held_.find(epoch);
    if (it != held_.end()) {
      std::swap(held, it->second);  // Goes after the lock.
      held_.erase(it);
    }
  }
  post_(EndpointsClosed{epoch});
}

void EpochBuilder::Fail(Epoch epoch, std::optional<GroupId> group, const absl::Status& status) {
  const Held held = Find(epoch);
  BuildFailure failure;
  if (group.has_value()) failure.group = held.live->layout().Name(*group, "");
  const std::optional<ErrorDetail> detail = DetailOf(status);
  if (detail.has_value() && detail->ranks.size() == 1 &&
      detail->ranks.front() != held.live->info().rank) {
    failure.peer = detail->ranks.front();
  }
  failure.reason = std::string(status.message());
  post_(BuildFailed{epoch, std::move(failure)});
}

EpochBuilder::Held EpochBuilder::Find(Epoch epoch) {
  MonitorLock lock(&monitor_);
  const auto it = held_.find(epoch);
  return it == held_.end() ? Held() : it->second;
}

}  // namespace muster::worker
