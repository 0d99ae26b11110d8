#include "tests/simulation/faults.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/simulation/world.h"

namespace muster::sim {
namespace {

constexpr Micros kMillisecond = 1000;
constexpr Micros kLookInterval = 500 * kMillisecond;
constexpr Micros kRarerEvery = 200000 * kMillisecond;
// A quest is nudged when it was looked at this often, and given up after this many nudges.
constexpr int kLooksPerNudge = 6;
constexpr int kNudgesMax = 8;

// How long after a job came to `step` a fault may strike there: well within the time that the job
// usually stays.
Micros AimFor(Random& random, Step step) {
  switch (step) {
    case Step::kReserving:
    case Step::kCommitting:
      return 0;
    case Step::kPreparing:
    case Step::kBuilding:
    case Step::kRollingBack:
    case Step::kDeleting:
      return random.Between(0, 3 * kMillisecond);
    default:
      return random.Between(0, 300 * kMillisecond);
  }
}

}  // namespace

Faults::Faults(World& world) : world_(world), random_(world.plan.seed ^ 0x6661756C74u) {
  for (const Quest& quest : world.plan.faults.quests) quests_.push_back({quest, false, 0});
}

void Faults::Start() {
  ScheduleNext();
  LookAround();
}

bool Faults::AreQuestsOver() const {
  return std::all_of(quests_.begin(), quests_.end(),
                     [](const OpenQuest& quest) { return quest.over; });
}

// Rarer as time goes by: where nobody is left to talk, a run would not see enough messages.
void Faults::ScheduleNext() {
  const Micros pause = world_.plan.faults.pause.Draw(random_);
  world_.queue.After(pause * (1 + world_.queue.now() / kRarerEvery), [this] {
    if (stopped_) return;
    uint64_t total = 0;
    for (const uint64_t weight : world_.plan.faults.weights) total += weight;
    if (total > 0) {
      uint64_t drawn = random_.Uniform(total);
      size_t kind = 0;
      while (drawn >= world_.plan.faults.weights[kind]) drawn -= world_.plan.faults.weights[kind++];
      Inject(static_cast<FaultKind>(kind), random_.Uniform(world_.plan.jobs.size()));
    }
    ScheduleNext();
  });
}

// Jobs that stay where they are come to no other step: looks at them from time to time.
void Faults::LookAround() {
  world_.queue.After(kLookInterval, [this] {
    if (stopped_) return;
    for (size_t job = 0; job < world_.plan.jobs.size(); ++job) {
      Aim(job, world_.coordinator.StepOfJob(world_.plan.jobs[job].spec.name));
    }
    for (OpenQuest& quest : quests_) {
      if (quest.over) continue;
      ++quest.nudges;
      if (quest.nudges % kLooksPerNudge == 0) Nudge(quest);
      quest.over = quest.nudges >= kLooksPerNudge * kNudgesMax;
      break;
    }
    LookAround();
  });
}

void Faults::OnStep(const std::string& job, Step step) {
  for (size_t i = 0; i < world_.plan.jobs.size(); ++i) {
    if (world_.plan.jobs[i].spec.name == job) Aim(i, step);
  }
}

void Faults::Aim(size_t job, Step step) {
  if (stopped_ || aiming_[job]) return;
  const auto wanted = std::find_if(quests_.begin(), quests_.end(), [&](const OpenQuest& quest) {
    return !quest.over && quest.quest.step == step;
  });
  if (wanted == quests_.end()) return;
  aiming_[job] = true;
  const FaultKind kind = wanted->quest.kind;
  world_.queue.After(AimFor(random_, step), [this, job, step, kind] {
    aiming_[job] = false;
    if (stopped_) return;
    if (world_.coordinator.StepOfJob(world_.plan.jobs[job].spec.name) == step) Inject(kind, job);
  });
}

// Brings a job to the step that a quest waits for.
void Faults::Nudge(OpenQuest& quest) {
  const size_t job = random_.Uniform(world_.plan.jobs.size());
  const std::vector<Process*> running = world_.processes.RunningOf(world_.plan.jobs[job].spec.name);
  switch (quest.quest.step) {
    case Step::kWaiting:
    case Step::kDeleting:
      world_.admin.Delete(job);
      return;
    case Step::kActive:
    case Step::kNone:
      return;
    case Step::kRollingBack:
      if (!running.empty()) Inject(FaultKind::kBuildError, job);
      break;
    default:
      break;
  }
  if (!running.empty()) Inject(FaultKind::kWorkerCrash, job);
}

void Faults::Count(FaultKind kind, Step step) {
  ++count_;
  world_.tally.AddFault(kind, step);
  world_.trace.Record(world_.queue.now(), Mark::kFault,
                      {static_cast<uint64_t>(kind), static_cast<uint64_t>(step)});
  if (world_.trace.on()) {
    world_.trace.Say(world_.queue.now(), absl::StrCat("fault: ", std::string(Name(kind)), " while ",
                                                      std::string(Name(step))));
  }
  const auto met = std::find_if(quests_.begin(), quests_.end(), [&](const OpenQuest& quest) {
    return !quest.over && quest.quest.kind == kind && quest.quest.step == step;
  });
  if (met != quests_.end()) met->over = true;
}

void Faults::CountMessageFault(FaultKind kind, ProcessId process) {
  Count(kind, world_.coordinator.StepOfJob(world_.processes.JobOf(process)));
}

}  // namespace muster::sim
