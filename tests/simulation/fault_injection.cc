#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/simulation/faults.h"
#include "tests/simulation/world.h"

namespace muster::sim {
namespace {

constexpr Micros kMillisecond = 1000;

}  // namespace

bool Faults::Inject(FaultKind kind, size_t job) {
  const std::string& name = world_.plan.jobs[job].spec.name;
  const Step step = world_.coordinator.StepOfJob(name);
  if (kind <= FaultKind::kReorder) return InjectMessageFault(kind, job);
  if (kind >= FaultKind::kJournalDelay && kind <= FaultKind::kJournalWiped) {
    Count(kind, step);
    return InjectIntoJournal(kind);
  }
  if (kind == FaultKind::kCoordinatorCrash || kind == FaultKind::kCoordinatorPause) {
    if (!world_.coordinator.up()) return false;
    Count(kind, step);
    return InjectIntoCoordinator(kind);
  }
  const std::vector<Process*> running = world_.processes.RunningOf(name);
  if (running.empty()) return false;
  Process& process = *running[random_.Uniform(running.size())];
  bool done = false;
  if (kind == FaultKind::kOldCoordinator) {
    done = world_.network.Mislead(process.id());
  } else if (kind >= FaultKind::kBuildError) {
    done = InjectIntoShell(kind, process);
  } else if (kind <= FaultKind::kPartition) {
    done = InjectIntoStream(kind, process);
  } else {
    done = InjectIntoWorker(kind, process);
  }
  if (done) Count(kind, step);
  return done;
}

// Counted when a message meets it. Where a job stays only as long as a write takes, the write is
// held up so that a message can.
bool Faults::InjectMessageFault(FaultKind kind, size_t job) {
  const std::string& name = world_.plan.jobs[job].spec.name;
  const Step step = world_.coordinator.StepOfJob(name);
  if (step == Step::kReserving || step == Step::kCommitting) {
    world_.journal.Delay(400 * kMillisecond);
  }
  world_.network.Strike(kind, name);
  return true;
}

bool Faults::InjectIntoStream(FaultKind kind, Process& process) {
  switch (kind) {
    case FaultKind::kStreamReset:
      if (random_.Chance(25)) BreakAll();
      return world_.network.Break(process.id());
    case FaultKind::kStreamCut:
      return world_.network.Cut(process.id());
    default:
      world_.network.Partition(process.id(), world_.plan.faults.outage.Draw(random_));
      return true;
  }
}

// A hiccup of the coordinator's own network.
void Faults::BreakAll() {
  for (const auto& process : world_.processes.all()) {
    if (process->runs() && random_.Chance(80)) world_.network.Break(process->id());
  }
}

bool Faults::InjectIntoWorker(FaultKind kind, Process& process) {
  switch (kind) {
    case FaultKind::kWorkerCrash: {
      const bool silent = random_.Chance(world_.plan.faults.silent_death_percent);
      world_.processes.End(process.id(),
                           silent ? Processes::Manner::kSilently : Processes::Manner::kNoticed);
      return true;
    }
    case FaultKind::kWorkerStop:
      process.Stop(world_.plan.faults.outage.Draw(random_));
      return true;
    case FaultKind::kLeave:
      process.Leave();
      return true;
    case FaultKind::kWorkerRestart:
      return Supersede(process);
    default:
      return StartRival(kind, process);
  }
}

// Ends a process and starts its successor at once.
bool Faults::Supersede(Process& process) {
  for (Slot slot = 0; slot < world_.plan.workers.size(); ++slot) {
    if (world_.processes.HolderOf(slot) != &process) continue;
    world_.processes.End(process.id(), Processes::Manner::kNoticed);
    world_.processes.StartHolder(slot);
    return true;
  }
  return false;
}

// Starts a process that wants what another one has.
bool Faults::StartRival(FaultKind kind, Process& process) {
  if (kind == FaultKind::kZombie) {
    for (Slot slot = 0; slot < world_.plan.workers.size(); ++slot) {
      if (world_.processes.HolderOf(slot) != &process) continue;
      const Micros outage = 300 * kMillisecond + world_.plan.faults.outage.Draw(random_);
      if (random_.Chance(50)) {
        process.Stop(outage);
      } else {
        world_.network.Partition(process.id(), outage);
      }
      world_.processes.StartHolder(slot);
      return true;
    }
    return false;
  }
  WorkerPlan rival = process.plan();
  if (kind == FaultKind::kDuplicateDevice) {
    if (rival.device.uuid.empty()) return false;
    rival.id += "-twin";
    rival.wanted_rank.reset();
  } else if (random_.Chance(50)) {
    rival.host.host_id += "-other";
    rival.host.hostname += "-other";
    rival.host.boot_id += "-other";
  }
  world_.processes.StartStranger(std::move(rival));
  return true;
}

bool Faults::InjectIntoShell(FaultKind kind, Process& process) {
  switch (kind) {
    case FaultKind::kBuildError:
      process.shell().FailNextBuild();
      return true;
    case FaultKind::kBuildHang:
      process.shell().HangNextBuild();
      return true;
    case FaultKind::kFreeLeak:
      process.shell().LeakNextFree();
      return true;
    case FaultKind::kFreeHang:
      process.shell().HangNextFree();
      return true;
    default:
      return BreakPeers(process);
  }
}

bool Faults::BreakPeers(Process& process) {
  if (process.user().epoch().value == 0) return false;
  for (Process* other : world_.processes.RunningOf(process.plan().job)) {
    const bool peers = other != &process && other->user().job() == process.user().job() &&
                       other->user().epoch() == process.user().epoch();
    if (!peers) continue;
    world_.processes.BreakBetween(process, *other);
    return true;
  }
  return false;
}

bool Faults::InjectIntoCoordinator(FaultKind kind) {
  if (kind == FaultKind::kCoordinatorPause) {
    world_.coordinator.Pause(world_.plan.faults.outage.Draw(random_));
  } else {
    world_.coordinator.Crash(world_.plan.faults.downtime.Draw(random_),
                             SimCoordinator::Journal::kSurvives);
  }
  return true;
}

bool Faults::InjectIntoJournal(FaultKind kind) {
  switch (kind) {
    case FaultKind::kJournalDelay:
      world_.journal.Delay(world_.plan.faults.outage.Draw(random_));
      return true;
    case FaultKind::kJournalFull:
      FillJournal();
      return true;
    case FaultKind::kJournalUnknown:
      world_.journal.LoseNextAnswer();
      return true;
    default:
      world_.coordinator.Crash(world_.plan.faults.downtime.Draw(random_),
                               SimCoordinator::Journal::kWiped);
      return true;
  }
}

// After a while somebody makes room, and starts a coordinator again that saw the journal full.
void Faults::FillJournal() {
  world_.journal.SetFull(true);
  world_.queue.After(world_.plan.faults.outage.Draw(random_), [this] {
    world_.journal.SetFull(false);
    const coordinator::State* state = world_.coordinator.state();
    if (state == nullptr || !state->read_only) return;
    world_.coordinator.Crash(world_.plan.faults.downtime.Draw(random_),
                             SimCoordinator::Journal::kSurvives);
  });
}

}  // namespace muster::sim
