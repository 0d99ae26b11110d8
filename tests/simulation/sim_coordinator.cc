#include "tests/simulation/sim_coordinator.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "tests/simulation/describe.h"
#include "tests/simulation/world.h"

namespace muster::sim {
namespace {

using coordinator::Effect;
using coordinator::Event;
using coordinator::Machine;
using coordinator::NoteKind;

void Count(const coordinator::Note& note, Tally& tally) {
  if (note.kind == NoteKind::kEpochCommitted) ++tally.commits;
  if (note.kind == NoteKind::kEpochRolledBack) ++tally.rollbacks;
  if (note.kind == NoteKind::kWorkerLost) ++tally.losses;
}

}  // namespace

SimCoordinator::SimCoordinator(World& world)
    : world_(world), random_(world.plan.seed ^ 0x636F6F72646Fu) {
  const int64_t spread = world.plan.clock_spread_permille;
  clock_ = ProcessClock(random_.Between(0, 1000000000), 1000 + random_.Between(-spread, spread));
}

MonotonicTime SimCoordinator::Now() const { return clock_.At(world_.queue.now()); }

bool SimCoordinator::IsPaused() const { return world_.queue.now() < paused_until_; }

void SimCoordinator::Start() {
  restarting_ = false;
  if (up()) return;
  ++run_;
  steps_.clear();
  const coordinator::JournalContents& contents = world_.journal.contents();
  world_.checks.OnRunStarted(contents, Now());
  Machine::Options options;
  options.seed = random_.Next();
  options.tick_interval = world_.plan.coordinator_tick;
  auto machine = Machine::Load(contents, options, Now());
  if (!machine.ok()) {
    world_.verdict.Break("what was journalled can be loaded", machine.status().ToString());
    return;
  }
  machine_.emplace(*std::move(machine));
  world_.trace.Record(world_.queue.now(), Mark::kStep, {run_, contents.records.size()});
  if (world_.trace.on()) {
    world_.trace.Say(world_.queue.now(), absl::StrCat("coordinator starts, run ", run_, ", ",
                                                      contents.records.size(), " records"));
  }
  CarryOut(machine_->Start(Now()));
  ScheduleTick();
}

void SimCoordinator::Crash(Micros downtime, Journal journal) {
  if (up()) {
    machine_.reset();
    mailbox_.clear();
    paused_until_ = 0;
    world_.journal.OnCoordinatorEnd();
    world_.network.OnCoordinatorEnd();
    world_.admin.OnCoordinatorEnd();
    if (world_.trace.on()) world_.trace.Say(world_.queue.now(), "coordinator ends");
  }
  if (journal == Journal::kWiped) {
    world_.journal.Wipe();
    world_.admin.OnWiped();
    if (world_.trace.on()) world_.trace.Say(world_.queue.now(), "journal is wiped");
  }
  if (restarting_) return;
  restarting_ = true;
  world_.queue.After(downtime, [this] { Start(); });
}

void SimCoordinator::Pause(Micros length) {
  if (!up()) return;
  paused_until_ = std::max(paused_until_, world_.queue.now() + length);
  const uint64_t run = run_;
  world_.queue.At(paused_until_, [this, run] {
    if (run == run_ && up() && !IsPaused()) Resume();
  });
}

void SimCoordinator::Resume() {
  const uint64_t run = run_;
  for (const Event& event : std::exchange(mailbox_, {})) {
    if (run != run_ || !up()) return;
    Feed(event);
  }
  if (run == run_ && up()) Feed(coordinator::Tick{});
}

void SimCoordinator::ScheduleTick() {
  const Micros interval = ToMicros(world_.plan.coordinator_tick);
  const auto jitter = static_cast<int64_t>(world_.plan.tick_jitter_percent);
  const uint64_t run = run_;
  world_.queue.After(interval + random_.Between(0, interval * jitter / 100), [this, run] {
    if (run != run_ || !up()) return;
    if (!IsPaused()) Feed(coordinator::Tick{});
    if (run == run_ && up()) ScheduleTick();
  });
}

void SimCoordinator::Post(uint64_t run, Event event) {
  if (run != run_ || !up()) return;
  if (IsPaused()) {
    mailbox_.push_back(std::move(event));
  } else {
    Feed(event);
  }
}

void SimCoordinator::Deliver(uint64_t run, Event event) {
  if (run != run_ || !up()) return;
  ++world_.tally.deliveries;
  Post(run, std::move(event));
}

void SimCoordinator::Feed(const Event& event) {
  if (world_.verdict.broken()) return;
  const MonotonicTime now = Now();
  world_.checks.BeforeCoordinatorStep(event, machine_->state(), now);
  std::vector<Effect> effects = machine_->Step(event, now);
  Record(event, effects);
  world_.checks.AfterCoordinatorStep(event, effects, machine_->state(), now);
  CarryOut(std::move(effects));
  if (up()) NoticeSteps();
}

void SimCoordinator::Record(const Event& event, const std::vector<Effect>& effects) {
  const Micros now = world_.queue.now();
  world_.trace.Record(now, Mark::kCoordinatorEvent, {event.index(), Digest(event)});
  for (const Effect& effect : effects) {
    world_.trace.Record(now, Mark::kCoordinatorEffect, {effect.index(), Digest(effect)});
  }
  if (!world_.trace.on()) return;
  const bool quiet = std::holds_alternative<coordinator::Tick>(event) && effects.empty();
  if (quiet) return;
  world_.trace.Say(now, absl::StrCat("C <- ", Describe(event)));
  for (const Effect& effect : effects) {
    world_.trace.Say(now, absl::StrCat("     C: ", Describe(effect)));
  }
}

void SimCoordinator::CarryOut(std::vector<Effect> effects) {
  const uint64_t run = run_;
  for (Effect& effect : effects) {
    if (run != run_ || !up()) return;
    if (auto* write = std::get_if<coordinator::WriteJournal>(&effect)) {
      world_.journal.Write(write->write, std::move(write->record));
    } else if (auto* publish = std::get_if<coordinator::Publish>(&effect)) {
      world_.network.Publish(publish->connection, std::move(publish->assignment));
    } else if (auto* close = std::get_if<coordinator::CloseStream>(&effect)) {
      world_.network.CloseFromCoordinator(close->connection, std::move(close->status));
    } else if (auto* reply = std::get_if<coordinator::Reply>(&effect)) {
      world_.admin.OnReply(*reply);
    } else if (auto* note = std::get_if<coordinator::Note>(&effect)) {
      Count(*note, world_.tally);
    } else {
      Crash(world_.plan.faults.downtime.Draw(random_), Journal::kSurvives);
    }
  }
}

const coordinator::Job* SimCoordinator::FindJob(const std::string& name) const {
  if (!up()) return nullptr;
  const coordinator::State& state = machine_->state();
  const auto uid = state.names.find(name);
  return uid == state.names.end() ? nullptr : &state.jobs.at(uid->second);
}

Step SimCoordinator::StepOfJob(const std::string& name) const {
  const coordinator::Job* job = FindJob(name);
  return job == nullptr ? Step::kNone : StepOf(*job);
}

void SimCoordinator::NoticeSteps() {
  for (const JobPlan& plan : world_.plan.jobs) {
    const Step step = StepOfJob(plan.spec.name);
    const auto [it, added] = steps_.emplace(plan.spec.name, step);
    if (!added && it->second == step) continue;
    it->second = step;
    if (world_.trace.on()) {
      world_.trace.Say(world_.queue.now(),
                       absl::StrCat("     job ", plan.spec.name, " is ", std::string(Name(step))));
    }
    world_.faults.OnStep(plan.spec.name, step);
  }
}

}  // namespace muster::sim
