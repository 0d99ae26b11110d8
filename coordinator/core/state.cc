#include "coordinator/core/state.h"

#include <algorithm>

namespace muster::coordinator {

std::optional<GlobalRank> Membership::RankOf(const WorkerId& worker,
                                             Incarnation incarnation) const {
  const auto it = ranks.find(worker);
  if (it == ranks.end()) return std::nullopt;
  const CommittedMember& member = members[static_cast<size_t>(it->second.value)];
  if (member.incarnation != incarnation) return std::nullopt;
  return it->second;
}

void AddNote(Context& context, Job& job, Note note) {
  note.job = job.spec->name;
  note.at = context.now;
  job.notes.Push(note);
  context.effects.push_back(std::move(note));
}

void Write(Context& context, JournalRecord record) {
  State& state = context.state;
  ++state.last_write.value;
  state.writes[state.last_write] = record;
  context.effects.push_back(WriteJournal{state.last_write, std::move(record)});
}

bool IsEligible(const Job& job, const Worker& worker) {
  if (worker.presence != Presence::kConnected) return false;
  return std::none_of(job.zombies.begin(), job.zombies.end(), [&](const Zombie& zombie) {
    return zombie.host.host_id == worker.host.host_id && zombie.device.uuid == worker.device.uuid;
  });
}

void NoteClaims(Job& job, const Worker& worker) {
  if (!worker.device.uuid.empty()) {
    job.device_claims[{worker.host.host_id, worker.device.uuid}] = worker.id;
  }
  if (worker.wanted_rank.has_value()) job.rank_claims[*worker.wanted_rank] = worker.id;
}

LostMember DescribeLoss(const Context& context, const Worker& worker, LossCause cause) {
  LostMember lost;
  lost.worker = worker.id;
  lost.hostname = worker.host.hostname;
  lost.incarnation = worker.incarnation;
  lost.cause = cause;
  lost.silent_for = context.now - worker.last_heard;
  lost.doing = worker.report.doing;
  return lost;
}

Worker* FindWorker(Job& job, const WorkerId& id, Incarnation incarnation) {
  const auto it = job.workers.find(id);
  if (it == job.workers.end() || it->second.incarnation != incarnation) return nullptr;
  return &it->second;
}

}  // namespace muster::coordinator
