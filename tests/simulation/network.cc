#include "tests/simulation/network.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tests/simulation/world.h"

namespace muster::sim {
namespace {

absl::Status Reset() { return absl::UnavailableError("Socket closed"); }

}  // namespace

Network::Network(World& world) : world_(world), random_(world.plan.seed ^ 0x6E6574776F726Bu) {}

Network::Stream* Network::Find(ConnectionId id) {
  const auto it = streams_.find(id);
  return it == streams_.end() ? nullptr : &it->second;
}

std::pair<const ConnectionId, Network::Stream>* Network::FindOf(ProcessId process) {
  for (auto& entry : streams_) {
    const Stream& stream = entry.second;
    if (stream.process == process && !stream.worker_knows && !stream.coordinator_knows) {
      return &entry;
    }
  }
  return nullptr;
}

ConnectionId Network::IdOf(ProcessId process, SessionNumber session) const {
  const auto it = dialed_.find({process, session});
  return it == dialed_.end() ? ConnectionId() : it->second;
}

bool Network::IsPartitioned(ProcessId process) const {
  const auto it = partitions_.find(process);
  return it != partitions_.end() && world_.queue.now() < it->second;
}

Micros Network::NoticeAfter(ProcessId process) {
  const bool slow = IsPartitioned(process) || (!reliable_ && random_.Chance(15));
  return slow ? world_.plan.network.keepalive : world_.plan.network.delay.Draw(random_);
}

bool Network::Strikes(FaultKind kind, uint64_t permille, ProcessId process) {
  const bool asked = strike_.has_value() && strike_->first == kind &&
                     strike_->second == world_.processes.JobOf(process);
  if (!asked && (reliable_ || random_.Uniform(1000) >= permille)) return false;
  if (asked) strike_.reset();
  world_.faults.CountMessageFault(kind, process);
  return true;
}

void Network::Transmit(ProcessId process, Micros& floor, const EventQueue::Action& deliver) {
  const NetworkPlan& plan = world_.plan.network;
  if (IsPartitioned(process)) return;
  if (Strikes(FaultKind::kLoss, plan.loss_permille, process)) return;

  Micros at = world_.queue.now() + plan.delay.Draw(random_);
  if (Strikes(FaultKind::kReorder, plan.reorder_permille, process)) {
    // Waits apart from the others, which pass it.
    world_.queue.At(at + plan.delay.max * 2 + random_.Between(0, plan.late.max / 4), deliver);
    return;
  }
  if (Strikes(FaultKind::kDelay, plan.late_permille, process)) at += plan.late.Draw(random_);
  floor = std::max(floor, at);
  world_.queue.At(floor, deliver);
  if (Strikes(FaultKind::kDuplicate, plan.duplicate_permille, process)) {
    world_.queue.At(floor + plan.delay.Draw(random_), deliver);
  }
}

void Network::Dial(ProcessId process, Hello hello) {
  ++last_connection_.value;
  const ConnectionId id = last_connection_;
  Stream& stream = streams_[id];
  stream.process = process;
  stream.session = hello.session;
  dialed_[{process, hello.session}] = id;

  Told& told = told_[process];
  if (std::exchange(told.misled, false) && told.before != nullptr) {
    return DialOldCoordinator(id, told);
  }
  const bool lost = IsPartitioned(process) ||
                    Strikes(FaultKind::kLoss, world_.plan.network.loss_permille, process);
  if (lost) {
    world_.queue.After(world_.plan.network.keepalive, [this, id] { EndWorkerSide(id, Reset()); });
    return;
  }
  auto shared = std::make_shared<const Hello>(std::move(hello));
  stream.up_floor = world_.queue.now() + world_.plan.network.delay.Draw(random_);
  world_.queue.At(stream.up_floor, [this, id, shared] { ArriveHello(id, *shared); });
}

// A coordinator that should have ended answers with what it knew last, and soon ends after all.
void Network::DialOldCoordinator(ConnectionId id, Told& told) {
  const std::shared_ptr<const Assignment> old = told.before;
  const NetworkPlan& plan = world_.plan.network;
  const Micros opened = world_.queue.now() + plan.delay.Draw(random_);
  world_.queue.At(opened, [this, id] {
    const Stream* stream = Find(id);
    if (stream == nullptr || stream->worker_knows) return;
    world_.processes.Feed(stream->process, worker::StreamOpened{stream->session});
  });
  world_.queue.At(opened + plan.delay.Draw(random_), [this, id, old] {
    const Stream* stream = Find(id);
    if (stream == nullptr || stream->worker_knows) return;
    ++world_.tally.deliveries;
    world_.processes.Feed(stream->process, worker::AssignmentReceived{stream->session, *old});
  });
  world_.queue.At(opened + plan.keepalive, [this, id] { EndWorkerSide(id, Reset()); });
}

void Network::ArriveHello(ConnectionId id, const Hello& hello) {
  Stream* stream = Find(id);
  if (stream == nullptr) return;
  if (!world_.coordinator.up() || stream->dead) {
    stream->dead = true;
    world_.queue.After(NoticeAfter(stream->process), [this, id] { EndWorkerSide(id, Reset()); });
    return;
  }
  stream->run = world_.coordinator.run();
  stream->coordinator_knows = false;
  stream->down_floor = world_.queue.now() + world_.plan.network.delay.Draw(random_);
  const ProcessId process = stream->process;
  const SessionNumber session = stream->session;
  world_.queue.At(stream->down_floor, [this, id, process, session] {
    const Stream* opened = Find(id);
    if (opened == nullptr || opened->worker_knows) return;
    world_.processes.Feed(process, worker::StreamOpened{session});
  });
  // A worker that closed or died in the meantime is noticed behind its Hello.
  if (stream->worker_knows) {
    world_.queue.After(NoticeAfter(process), [this, id] { EndCoordinatorSide(id); });
  }
  world_.coordinator.Deliver(stream->run, coordinator::HelloReceived{id, hello});
}

void Network::SendReport(ProcessId process, SessionNumber session, Report report) {
  const ConnectionId id = IdOf(process, session);
  Stream* stream = Find(id);
  if (stream == nullptr || stream->worker_knows) return;
  auto shared = std::make_shared<const Report>(std::move(report));
  Transmit(process, stream->up_floor, [this, id, shared] {
    const Stream* open = Find(id);
    if (open == nullptr || open->dead || open->coordinator_knows) return;
    world_.coordinator.Deliver(open->run, coordinator::ReportReceived{id, *shared});
  });
}

void Network::Publish(ConnectionId connection, Assignment assignment) {
  Stream* stream = Find(connection);
  if (stream == nullptr || stream->coordinator_knows) return;
  auto shared = std::make_shared<const Assignment>(std::move(assignment));
  Told& told = told_[stream->process];
  const bool another =
      told.now != nullptr && (told.now->store != shared->store || told.now->term != shared->term);
  if (another) told.before = told.now;
  told.now = shared;
  Transmit(stream->process, stream->down_floor, [this, connection, shared] {
    const Stream* open = Find(connection);
    if (open == nullptr || open->dead || open->worker_knows) return;
    ++world_.tally.deliveries;
    world_.processes.Feed(open->process, worker::AssignmentReceived{open->session, *shared});
  });
}

void Network::CloseFromWorker(ProcessId process, SessionNumber session) {
  const ConnectionId id = IdOf(process, session);
  Stream* stream = Find(id);
  if (stream == nullptr) return;
  stream->worker_knows = true;
  const Micros at = std::max(stream->up_floor, world_.queue.now() + NoticeAfter(process));
  world_.queue.At(at, [this, id] { EndCoordinatorSide(id); });
}

void Network::CloseFromCoordinator(ConnectionId connection, absl::Status status) {
  Stream* stream = Find(connection);
  if (stream == nullptr) return;
  stream->coordinator_knows = true;
  const bool cut_off = IsPartitioned(stream->process);
  const absl::Status heard = cut_off ? Reset() : std::move(status);
  const Micros after = NoticeAfter(stream->process);
  world_.queue.At(std::max(stream->down_floor, world_.queue.now() + after),
                  [this, connection, heard] { EndWorkerSide(connection, heard); });
}

void Network::EndWorkerSide(ConnectionId id, const absl::Status& status) {
  Stream* stream = Find(id);
  if (stream == nullptr || stream->worker_knows) return ForgetIfOver(id);
  stream->worker_knows = true;
  const ProcessId process = stream->process;
  const SessionNumber session = stream->session;
  ForgetIfOver(id);
  world_.processes.Feed(process, worker::StreamClosed{session, status});
}

void Network::EndCoordinatorSide(ConnectionId id) {
  Stream* stream = Find(id);
  if (stream == nullptr || stream->coordinator_knows) return ForgetIfOver(id);
  stream->coordinator_knows = true;
  const uint64_t run = stream->run;
  ForgetIfOver(id);
  world_.coordinator.Post(run, coordinator::StreamReset{id});
}

void Network::ForgetIfOver(ConnectionId id) {
  const Stream* stream = Find(id);
  if (stream == nullptr || !stream->worker_knows || !stream->coordinator_knows) return;
  dialed_.erase({stream->process, stream->session});
  streams_.erase(id);
}

void Network::SendLeave(ProcessId process) {
  const uint64_t run = world_.coordinator.run();
  const coordinator::LeaveReceived leave = world_.processes.LeaveOf(process);
  Micros floor = 0;
  Transmit(process, floor, [this, run, leave] { world_.coordinator.Deliver(run, leave); });
}

void Network::ReportExit(const coordinator::ExitReported& notice) {
  world_.queue.After(world_.plan.network.delay.Draw(random_), [this, notice] {
    world_.coordinator.Deliver(world_.coordinator.run(), notice);
  });
}

void Network::OnProcessEnd(ProcessId process, bool silently) {
  for (auto& [id, stream] : streams_) {
    if (stream.process != process) continue;
    stream.worker_knows = true;
    const Micros notice = silently ? world_.plan.network.keepalive : NoticeAfter(process);
    const ConnectionId ended = id;
    world_.queue.At(std::max(stream.up_floor, world_.queue.now() + notice),
                    [this, ended] { EndCoordinatorSide(ended); });
  }
}

void Network::OnCoordinatorEnd() {
  for (auto& [id, stream] : streams_) {
    if (stream.run == 0) continue;
    stream.dead = true;
    stream.coordinator_knows = true;
    const ConnectionId ended = id;
    world_.queue.After(NoticeAfter(stream.process),
                       [this, ended] { EndWorkerSide(ended, Reset()); });
  }
}

bool Network::Break(ProcessId process) {
  auto* entry = FindOf(process);
  if (entry == nullptr) return false;
  entry->second.dead = true;
  const ConnectionId id = entry->first;
  world_.queue.After(NoticeAfter(process), [this, id] { EndWorkerSide(id, Reset()); });
  world_.queue.After(NoticeAfter(process), [this, id] { EndCoordinatorSide(id); });
  return true;
}

bool Network::Cut(ProcessId process) {
  auto* entry = FindOf(process);
  if (entry == nullptr) return false;
  const ConnectionId id = entry->first;
  entry->second.coordinator_knows = true;
  entry->second.dead = true;
  world_.queue.After(NoticeAfter(process), [this, id] { EndWorkerSide(id, Reset()); });
  world_.coordinator.Post(entry->second.run, coordinator::StreamCut{id});
  return true;
}

void Network::Partition(ProcessId process, Micros length) {
  partitions_[process] = world_.queue.now() + length;
  auto* entry = FindOf(process);
  if (entry == nullptr || length < world_.plan.network.keepalive) return;
  entry->second.dead = true;
  const ConnectionId id = entry->first;
  world_.queue.After(world_.plan.network.keepalive, [this, id] { EndWorkerSide(id, Reset()); });
  world_.queue.After(world_.plan.network.keepalive, [this, id] { EndCoordinatorSide(id); });
}

bool Network::Mislead(ProcessId process) {
  Told& told = told_[process];
  told.misled = told.before != nullptr && Break(process);
  return told.misled;
}

void Network::Strike(FaultKind kind, const std::string& job) { strike_.emplace(kind, job); }

void Network::BecomeReliable() {
  reliable_ = true;
  strike_.reset();
  partitions_.clear();
  for (auto& [process, told] : told_) told.misled = false;
}

}  // namespace muster::sim
