#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/simulation/describe.h"
#include "tests/simulation/world.h"

namespace muster::sim {
namespace {

constexpr Micros kSecond = 1000000;
constexpr Micros kFaultyMax = 1200 * kSecond;

class Run {
 public:
  explicit Run(World& world) : world_(world) {}

  void Play() {
    world_.coordinator.Start();
    world_.admin.ScheduleFirst();
    world_.processes.ScheduleFirstStarts();
    world_.faults.Start();
    SeeFaults();
    Settle();
    DeleteAll();
  }

 private:
  // Runs until `done` or until `limit` has passed; false if it has or a promise was broken.
  bool RunUntil(Micros limit, const std::function<bool()>& done) {
    const Micros end = world_.queue.now() + limit;
    while (!world_.verdict.broken() && world_.queue.now() < end) {
      if (done()) return true;
      if (!world_.queue.RunNext()) break;
    }
    return false;
  }

  void SeeFaults() {
    const bool enough = RunUntil(kFaultyMax, [this] {
      return world_.tally.deliveries >= kDeliveriesPerSeedMin &&
             world_.faults.count() >= kFaultsPerSeedMin && world_.faults.AreQuestsOver();
    });
    if (!enough) {
      world_.verdict.Break(
          "a run sees enough",
          absl::StrCat(world_.tally.deliveries, " deliveries and ", world_.faults.count(),
                       " faults in ", kFaultyMax / kSecond, " s"));
    }
  }

  // Nothing goes wrong any more: all jobs that have enough workers must come to be active.
  void Settle() {
    if (world_.verdict.broken()) return;
    world_.trace.Say(world_.queue.now(), "faults end");
    world_.faults.Stop();
    world_.network.BecomeReliable();
    world_.journal.BecomeReliable();
    world_.processes.BecomeReliable();
    world_.admin.BecomeReliable();
    for (const auto& process : world_.processes.all()) {
      if (IsStranger(*process)) world_.processes.End(process->id(), Processes::Manner::kNoticed);
    }
    world_.processes.ResumeAll();
    std::string why;
    Micros next_look = 0;
    const bool settled = RunUntil(20 * kSecond + 12 * LongestRecovery(), [this, &why, &next_look] {
      if (world_.queue.now() < next_look) return false;
      next_look = world_.queue.now() + kSecond / 10;
      Operate();
      why = WhatIsUnsettled();
      return why.empty();
    });
    if (!settled) world_.verdict.Break("everything heals once faults end", why);
  }

  bool IsStranger(const Process& process) {
    for (Slot slot = 0; slot < world_.plan.workers.size(); ++slot) {
      if (world_.plan.workers[slot].id == process.plan().id &&
          world_.plan.workers[slot].host.host_id == process.plan().host.host_id) {
        return false;
      }
    }
    return true;
  }

  Micros LongestRecovery() const {
    Micros longest = 0;
    for (const JobPlan& job : world_.plan.jobs) {
      longest = std::max(longest, ToMicros(job.spec.recovery));
    }
    return longest;
  }

  // What people do who watch: start a coordinator again that cannot write, and a worker of a job
  // that gave up or lost a member for which nobody came.
  void Operate() {
    const coordinator::State* state = world_.coordinator.state();
    if (state == nullptr) return;
    if (state->read_only) return world_.coordinator.Crash(0, SimCoordinator::Journal::kSurvives);
    for (const JobPlan& plan : world_.plan.jobs) {
      const coordinator::Job* job = world_.coordinator.FindJob(plan.spec.name);
      if (job == nullptr) continue;
      const bool holds =
          !job->attempt.has_value() &&
          (job->failed_attempts >= coordinator::kAttemptsMax || StepOf(*job) == Step::kEnded);
      Micros& since = holds_since_.emplace(plan.spec.name, world_.queue.now()).first->second;
      if (!holds) since = world_.queue.now();
      if (world_.queue.now() - since < 5 * kSecond) continue;
      since = world_.queue.now();
      Process* bystander = BystanderOf(*job);
      if (bystander != nullptr) {
        world_.processes.End(bystander->id(), Processes::Manner::kNoticed);
      }
    }
  }

  // A process that has no seat in the job's epoch, or any if all have one.
  Process* BystanderOf(const coordinator::Job& job) {
    Process* found = nullptr;
    for (Process* process : world_.processes.RunningOf(job.spec->name)) {
      found = process;
      const bool member =
          job.committed.has_value() &&
          job.committed->membership.RankOf(process->plan().id, process->incarnation()).has_value();
      if (!member) break;
    }
    return found;
  }

  // Empty if all is well.
  std::string WhatIsUnsettled() {
    if (!world_.admin.IsIdle()) return "a request has no answer";
    for (size_t at = 0; at < world_.plan.jobs.size(); ++at) {
      const JobPlan& plan = world_.plan.jobs[at];
      if (!world_.admin.IsPresent(at)) return absl::StrCat("job ", plan.spec.name, " is not there");
      const auto workers =
          std::count_if(world_.plan.workers.begin(), world_.plan.workers.end(),
                        [&](const WorkerPlan& worker) { return worker.job == plan.spec.name; });
      if (workers < plan.spec.layout.world_size) continue;
      const std::string why = WhatIsWrongWith(plan.spec.name);
      if (!why.empty()) return absl::StrCat("job ", plan.spec.name, " ", why);
    }
    return "";
  }

  std::string WhatIsWrongWith(const std::string& name) {
    const coordinator::Job* job = world_.coordinator.FindJob(name);
    if (job == nullptr) return "is unknown";
    if (StepOf(*job) != Step::kActive) {
      return absl::StrCat("is ", std::string(Name(StepOf(*job))), " ", job->held);
    }
    if (!job->committed->not_active.empty()) return "has members that are not active";
    const auto& members = job->committed->membership.members;
    for (size_t rank = 0; rank < members.size(); ++rank) {
      const Process* process = world_.processes.Find(members[rank].incarnation);
      if (process == nullptr || !process->runs() || process->user().job() != job->uid ||
          process->user().epoch() != job->committed->epoch ||
          process->user().rank() != GlobalRank(static_cast<int32_t>(rank))) {
        return absl::StrCat("counts rank ", rank, " as active, which it is not");
      }
    }
    return WhatIsLeftOf(*job);
  }

  // Resources of epochs other than the one that the job is in.
  std::string WhatIsLeftOf(const coordinator::Job& job) {
    for (const Process* process : world_.processes.RunningOf(job.spec->name)) {
      const bool member =
          job.committed->membership.RankOf(process->plan().id, process->incarnation()).has_value();
      for (const auto& [epoch, resources] : process->shell().epochs()) {
        if (resources.stuck || resources.Count() == 0) continue;
        if (member && epoch == job.committed->epoch && resources.job == job.uid) continue;
        return absl::StrCat("has resources of epoch ", epoch.value, " left in ",
                            world_.processes.NameOf(process->id()));
      }
    }
    return "";
  }

  void DeleteAll() {
    if (world_.verdict.broken()) return;
    world_.trace.Say(world_.queue.now(), "jobs are deleted");
    world_.admin.StopCreating();
    world_.processes.StopStarting();
    for (size_t job = 0; job < world_.plan.jobs.size(); ++job) world_.admin.Delete(job);
    std::string why;
    const bool gone = RunUntil(20 * kSecond + 6 * LongestRecovery(), [this, &why] {
      why = WhatIsUndeleted();
      return why.empty();
    });
    if (!gone) world_.verdict.Break("deleted jobs leave nothing behind", why);
  }

  std::string WhatIsUndeleted() {
    const coordinator::State* state = world_.coordinator.state();
    if (state == nullptr || !state->jobs.empty()) return "the coordinator still has jobs";
    if (!world_.admin.IsIdle()) return "a request has no answer";
    for (const auto& process : world_.processes.all()) {
      if (!process->alive()) continue;
      const std::string name = world_.processes.NameOf(process->id());
      if (process->user().is_waiting()) return absl::StrCat(name, " has a user that waits");
      for (const auto& [epoch, resources] : process->shell().epochs()) {
        if (resources.Count() == 0 || resources.stuck) continue;
        return absl::StrCat(name, " has resources of epoch ", epoch.value, " left");
      }
    }
    return "";
  }

  World& world_;
  std::map<std::string, Micros> holds_since_;  // By job: since when nothing moves it.
};

}  // namespace

Outcome RunSeed(uint64_t seed, std::ostream* trace_out) {
  World world(seed, trace_out);
  Run(world).Play();
  Outcome outcome;
  outcome.ok = !world.verdict.broken();
  if (!outcome.ok) {
    outcome.text = absl::StrCat("broken promise: ", world.verdict.promise(), "\n  at ",
                                absl::FormatDuration(absl::Microseconds(world.queue.now())), ": ",
                                world.verdict.text());
    world.trace.Say(world.queue.now(), outcome.text);
  }
  outcome.trace_hash = world.trace.hash();
  outcome.tally = world.tally;
  outcome.tally.seeds = 1;
  return outcome;
}

}  // namespace muster::sim
