#include "tests/simulation/checkers/epoch_check.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tests/simulation/world.h"

namespace muster::sim {

void EpochCheck::Hold(std::map<JobEpoch, Holders>& table, JobEpoch epoch, GlobalRank rank,
                      Incarnation holder, const char* what) {
  const auto [it, first] = table[epoch].emplace(rank, holder);
  if (first || it->second == holder) return;
  world_.verdict.Break("one holder per seat",
                       absl::StrCat("rank ", rank.value, " of epoch ", epoch.second.value, " is ",
                                    what, " two processes"));
}

void EpochCheck::OnAttemptPublished(JobEpoch epoch, GlobalRank rank, Incarnation holder) {
  Hold(attempts_, epoch, rank, holder, "given to");
}

void EpochCheck::OnRollbackPublished(JobEpoch epoch) {
  rollbacks_.emplace(epoch, world_.coordinator.Now());
}

void EpochCheck::OnRolledBack(const coordinator::Note& note, const coordinator::State& state,
                              MonotonicTime now) {
  const auto uid = state.names.find(note.job);
  if (uid == state.names.end()) return;
  const coordinator::Job& job = state.jobs.at(uid->second);
  const JobEpoch epoch(job.uid, note.epoch);
  const auto since = rollbacks_.find(epoch);
  if (since != rollbacks_.end() && now - since->second >= job.deadlines.retire) return;
  for (const auto& [rank, incarnation] : attempts_[epoch]) {
    const Process* process = world_.processes.Find(incarnation);
    if (process == nullptr || !process->alive()) continue;
    const auto worker = job.workers.find(process->plan().id);
    const bool counts = worker != job.workers.end() && worker->second.incarnation == incarnation &&
                        !lost_.contains(incarnation);
    const EpochResources* left = process->shell().Find(note.epoch);
    if (!counts || left == nullptr || left->job != job.uid || left->Count() == 0) continue;
    const auto& leaks = process->agent().leaks;
    if (std::any_of(leaks.begin(), leaks.end(),
                    [&](const Leak& leak) { return leak.epoch == note.epoch; })) {
      continue;
    }
    world_.verdict.Break("a rolled back epoch leaves nothing behind",
                         absl::StrCat("epoch ", note.epoch.value, " counts as rolled back, but ",
                                      world_.processes.NameOf(process->id()), " at rank ",
                                      rank.value, " holds ", left->Count(), " things of it"));
  }
}

void EpochCheck::OnLost(const coordinator::Note& note, const coordinator::State& state) {
  const auto uid = state.names.find(note.job);
  if (uid == state.names.end()) return;
  const auto& workers = state.jobs.at(uid->second).workers;
  const auto worker = workers.find(note.worker);
  if (worker != workers.end()) lost_.insert(worker->second.incarnation);
}

void EpochCheck::OnBuilt(ProcessId process, const GroupKey& last, const EpochResources& resources) {
  Hold(built_, {last.job, last.epoch}, resources.rank, world_.processes.IncarnationOf(process),
       "built by");
}

bool EpochCheck::HasBuilt(const coordinator::EpochCommitted& commit, GlobalRank rank) const {
  const Incarnation incarnation = commit.members[static_cast<size_t>(rank.value)].incarnation;
  const auto built = built_.find({commit.job, commit.epoch});
  if (built != built_.end()) {
    const auto holder = built->second.find(rank);
    if (holder != built->second.end()) return holder->second == incarnation;
  }
  const coordinator::JobAccepted* job = world_.checks.journal.JobOf(commit.job);
  return job != nullptr && world_.BuiltGroupsOf(job->spec.name, rank) == 0;
}

void EpochCheck::OnActivated(ProcessId process, const worker::ActivateEpoch& effect,
                             const EpochResources* resources) {
  const std::string who = absl::StrCat(world_.processes.NameOf(process), " in epoch ",
                                       effect.epoch.value, " as rank ", effect.rank.value);
  if (resources == nullptr || !resources->IsBuilt() || resources->rank != effect.rank ||
      resources->aborted) {
    world_.verdict.Break("nobody is active in what it did not build", who);
    return;
  }
  const JobEpoch epoch(resources->job, effect.epoch);
  const coordinator::EpochCommitted* commit = world_.checks.journal.DurableCommitOf(epoch);
  const auto rank = static_cast<size_t>(effect.rank.value);
  if (commit == nullptr || rank >= commit->members.size() ||
      commit->members[rank].incarnation != world_.processes.IncarnationOf(process)) {
    world_.verdict.Break("nobody is active in what was not committed", who);
    return;
  }
  Hold(active_, epoch, effect.rank, world_.processes.IncarnationOf(process), "active in");
}

}  // namespace muster::sim
