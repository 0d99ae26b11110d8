#include "coordinator/core/tracing.h"

#include <algorithm>
#include <set>
#include <utility>

#include "coordinator/core/publish.h"

namespace muster::coordinator {
namespace {

// The trace of `group` in the committed epoch that `worker` reported; null if there is none.
const GroupTrace* FindTrace(const Job& job, const Worker& worker, const std::string& group) {
  for (const GroupTrace& trace : worker.report.traces) {
    if (trace.group == group && trace.epoch == job.committed->epoch) return &trace;
  }
  return nullptr;
}

bool IsMember(const Job& job, const Worker& worker, const std::string& group) {
  const std::optional<GlobalRank> rank =
      job.committed->membership.RankOf(worker.id, worker.incarnation);
  const absl::StatusOr<GroupId> id = job.layout->Find(group);
  if (!rank.has_value() || !id.ok()) return false;
  const std::vector<GroupMembership> groups = job.layout->GroupsOf(*rank);
  return std::any_of(groups.begin(), groups.end(),
                     [&](const GroupMembership& membership) { return membership.id == *id; });
}

}  // namespace

void OnTroubles(Context& context, Job& job) {
  std::set<std::string> groups;
  if (job.committed.has_value() && !job.deleted) {
    for (const auto& [id, worker] : job.workers) {
      for (const GroupTrace& trace : worker.report.traces) {
        const bool counts = trace.trouble && trace.epoch == job.committed->epoch;
        if (counts && IsMember(job, worker, trace.group)) groups.insert(trace.group);
      }
    }
  }
  std::vector<std::string> traced(groups.begin(), groups.end());
  if (traced.size() > kTracesMax) traced.resize(kTracesMax);
  if (traced == job.traced_groups) return;
  job.traced_groups = std::move(traced);
  MarkAllDirty(context, job);
}

std::vector<std::string> TracedGroupsOf(const Job& job, const Worker& worker) {
  std::vector<std::string> groups;
  if (!job.committed.has_value()) return groups;
  for (const std::string& group : job.traced_groups) {
    if (IsMember(job, worker, group)) groups.push_back(group);
  }
  return groups;
}

std::vector<Verdict> Verdicts(const Job& job, MonotonicTime now) {
  std::vector<Verdict> verdicts;
  if (!job.committed.has_value()) return verdicts;
  for (const std::string& group : job.traced_groups) {
    const absl::StatusOr<GroupId> id = job.layout->Find(group);
    if (!id.ok()) continue;
    std::vector<Witness> witnesses;
    for (const GlobalRank rank : job.layout->Members(*id)) {
      const CommittedMember& member =
          job.committed->membership.members[static_cast<size_t>(rank.value)];
      Witness witness{rank, member.worker, std::nullopt, absl::ZeroDuration()};
      const auto worker = job.workers.find(member.worker);
      if (worker != job.workers.end() && worker->second.incarnation == member.incarnation) {
        witness.silent_for = now - worker->second.last_heard;
        const GroupTrace* trace = FindTrace(job, worker->second, group);
        if (trace != nullptr) witness.records = trace->records;
      }
      witnesses.push_back(std::move(witness));
    }
    std::optional<Verdict> verdict = Judge(group, witnesses);
    if (verdict.has_value()) verdicts.push_back(*std::move(verdict));
  }
  return verdicts;
}

}  // namespace muster::coordinator
