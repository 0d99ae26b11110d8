#include "tests/simulation/processes.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/simulation/world.h"

namespace muster::sim {
namespace {

constexpr Micros kMillisecond = 1000;

}  // namespace

Processes::Processes(World& world)
    : world_(world),
      random_(world.plan.seed ^ 0x70726F63u),
      holders_(world.plan.workers.size(), -1),
      due_(world.plan.workers.size(), false) {}

void Processes::ScheduleFirstStarts() {
  for (Slot slot = 0; slot < world_.plan.workers.size(); ++slot) {
    due_[slot] = true;
    world_.queue.At(world_.plan.workers[slot].first_start, [this, slot] { StartHolder(slot); });
  }
}

ProcessId Processes::Start(WorkerPlan plan) {
  plan.host.pid = ++last_pid_;
  plan.host.process_start = world_.queue.now() / 10000;
  const auto id = static_cast<ProcessId>(processes_.size());
  const Incarnation incarnation(random_.Next() | 1);
  processes_.push_back(std::make_unique<Process>(world_, id, std::move(plan), incarnation));
  by_incarnation_[incarnation] = id;
  processes_.back()->Start();
  return id;
}

ProcessId Processes::StartHolder(Slot slot) {
  due_[slot] = false;
  WorkerPlan plan = world_.plan.workers[slot];
  if (!asking_for_ranks_) plan.wanted_rank.reset();
  const ProcessId id = Start(std::move(plan));
  holders_[slot] = id;
  return id;
}

ProcessId Processes::StartStranger(WorkerPlan plan) { return Start(std::move(plan)); }

Process* Processes::HolderOf(Slot slot) {
  if (holders_[slot] < 0) return nullptr;
  Process& process = At(holders_[slot]);
  return process.alive() ? &process : nullptr;
}

std::vector<Process*> Processes::RunningOf(const std::string& job) {
  std::vector<Process*> running;
  for (const auto& process : processes_) {
    if (process->runs() && process->plan().job == job) running.push_back(process.get());
  }
  return running;
}

Process* Processes::Find(Incarnation incarnation) {
  const auto it = by_incarnation_.find(incarnation);
  return it == by_incarnation_.end() ? nullptr : &At(it->second);
}

void Processes::StartAgain(Slot slot) {
  if (!starting_ || due_[slot]) return;
  due_[slot] = true;
  world_.queue.After(random_.Between(20 * kMillisecond, 2000 * kMillisecond), [this, slot] {
    due_[slot] = false;
    if (!starting_ || HolderOf(slot) != nullptr) return;
    StartHolder(slot);
  });
}

void Processes::ResumeAll() {
  for (const auto& process : processes_) process->Resume();
  for (Slot slot = 0; slot < holders_.size(); ++slot) {
    if (HolderOf(slot) == nullptr) StartAgain(slot);
  }
}

void Processes::BecomeReliable() {
  asking_for_ranks_ = false;
  for (const auto& process : processes_) process->shell().BecomeReliable();
}

void Processes::End(ProcessId id, Manner manner) {
  Process& process = At(id);
  if (!process.alive()) return;
  if (world_.trace.on()) world_.trace.Say(world_.queue.now(), absl::StrCat(NameOf(id), " ends"));
  const bool silently = manner == Manner::kSilently;
  const bool was_waiting_user = process.user().epoch().value != 0;
  process.End();
  world_.network.OnProcessEnd(id, silently);
  world_.hall.OnProcessEnd(id, silently);
  if (was_waiting_user && !silently) TellPeers(process);
  if (!silently && random_.Chance(world_.plan.faults.exit_report_percent)) {
    world_.network.ReportExit(
        {process.plan().job, process.plan().id, process.incarnation(), "signal 9"});
  }
  for (Slot slot = 0; slot < holders_.size(); ++slot) {
    if (holders_[slot] == id) StartAgain(slot);
  }
}

// Those who worked with it in its epoch see their connections break.
void Processes::TellPeers(const Process& ended) {
  for (const auto& process : processes_) {
    const bool peers = process->alive() && process->user().job() == ended.user().job() &&
                       process->user().epoch() == ended.user().epoch();
    if (!peers || random_.Chance(20)) continue;
    Process* told = process.get();
    const JobUid job = ended.user().job();
    const Epoch epoch = ended.user().epoch();
    const GlobalRank rank = ended.user().rank();
    world_.queue.After(world_.plan.network.delay.Draw(random_), [told, job, epoch, rank] {
      told->Run([told, job, epoch, rank] { told->user().OnTransportError(job, epoch, rank); });
    });
  }
}

void Processes::BreakBetween(Process& a, Process& b) {
  if (random_.Chance(70)) {
    a.Run(
        [&a, &b] { a.user().OnTransportError(b.user().job(), b.user().epoch(), b.user().rank()); });
  }
  if (random_.Chance(70)) {
    b.Run(
        [&a, &b] { b.user().OnTransportError(a.user().job(), a.user().epoch(), a.user().rank()); });
  }
}

std::string Processes::NameOf(ProcessId id) const {
  return absl::StrCat(At(id).plan().id, ".", id);
}

coordinator::LeaveReceived Processes::LeaveOf(ProcessId id) const {
  const Process& process = At(id);
  return {process.plan().job, process.plan().id, process.incarnation()};
}

bool Processes::IsAlive(Incarnation incarnation) const {
  const auto it = by_incarnation_.find(incarnation);
  return it != by_incarnation_.end() && At(it->second).alive();
}

bool Processes::HasMember(ProcessId id, GroupId group, GlobalRank rank) const {
  const EpochResources* resources = At(id).shell().Find(At(id).user().epoch());
  if (resources == nullptr) return false;
  const std::vector<GlobalRank> members = world_.LayoutOf(JobOf(id)).Members(group);
  return std::find(members.begin(), members.end(), rank) != members.end();
}

void Processes::CheckProbe(const ProcessProbe& probe) const {
  const auto it = by_incarnation_.find(probe.incarnation);
  const bool right = it != by_incarnation_.end() && At(it->second).plan().host.pid == probe.pid &&
                     At(it->second).plan().host.process_start == probe.process_start;
  if (right) return;
  world_.verdict.Break("a process is looked for where it was",
                       absl::StrCat("pid ", probe.pid, " is not that of incarnation ",
                                    absl::Hex(probe.incarnation.value)));
}

void Processes::OnGroupStands(ProcessId id, const GroupKey& key) {
  At(id).shell().OnGroupStands(key);
}

void Processes::OnBuildPeerGone(ProcessId id, const GroupKey& key, GlobalRank peer) {
  Process& process = At(id);
  process.Run([&process, key, peer] { process.shell().OnPeerGone(key, peer); });
}

void Processes::OnOperationDone(ProcessId id, worker::OperationId operation) {
  Process& process = At(id);
  process.Run([&process, operation] { process.user().OnDone(operation); });
}

void Processes::OnFinish(Process& process) {
  const ProcessId id = process.id();
  const bool runs_on = process.finish()->exit_code == 10;
  if (runs_on && !process.shell().epochs().empty()) {
    ++world_.tally.wiped_survivors;
    if (random_.Chance(50)) {
      world_.queue.After(random_.Between(0, 1500 * kMillisecond), [&process] { process.Leave(); });
    }
  }
  const Micros longest = (runs_on ? 2000 : 200) * kMillisecond;
  world_.queue.After(random_.Between(0, longest), [this, id] { End(id, Manner::kNoticed); });
}

}  // namespace muster::sim
