#include "tests/simulation/build_hall.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/simulation/describe.h"
#include "tests/simulation/world.h"

namespace muster::sim {

std::string EndpointBytes(const GroupKey& key, Incarnation incarnation, GroupRank from,
                          GroupRank to) {
  return absl::StrCat(absl::Hex(incarnation.value), "@", absl::Hex(key.job.value), "/",
                      key.epoch.value, "/", key.group.kind, "#", key.group.index, ":", from.value,
                      ">", to.value);
}

BuildHall::BuildHall(World& world) : world_(world), random_(world.plan.seed ^ 0x68616C6Cu) {}

void BuildHall::Enter(const GroupKey& key, int32_t size, Builder builder) {
  Room& room = rooms_[key];
  const GroupRank rank = builder.rank;
  const auto [it, added] = room.emplace(rank, std::move(builder));
  if (!added) {
    world_.verdict.Break("one holder per seat", absl::StrCat("two builders are group rank ",
                                                             rank.value, " of ", Describe(key)));
    return;
  }
  if (std::ssize(room) < size) return;
  const Room complete = std::move(room);
  rooms_.erase(key);
  Complete(key, complete);
}

void BuildHall::Complete(const GroupKey& key, const Room& room) {
  for (const auto& [rank, builder] : room) {
    CheckIdentities(key, builder, room);
    world_.processes.OnGroupStands(builder.process, key);
  }
}

void BuildHall::CheckIdentities(const GroupKey& key, const Builder& builder,
                                const Room& room) const {
  for (const auto& entry : room) {
    const Builder& other = entry.second;
    if (other.rank == builder.rank) continue;
    const auto named = std::find_if(builder.peers.begin(), builder.peers.end(),
                                    [&](const Peer& peer) { return peer.rank == other.rank; });
    const bool right =
        named != builder.peers.end() && named->group == key.group &&
        named->incarnation == other.incarnation && named->global_rank == other.global_rank &&
        (named->endpoint == EndpointBytes(key, other.incarnation, other.rank, builder.rank) ||
         named->endpoint == EndpointBytes(key, other.incarnation, other.rank, GroupRank(-1)));
    if (right) continue;
    world_.verdict.Break(
        "members are told who their peers are",
        absl::StrCat(Describe(key), ": rank ", builder.global_rank.value, " meets rank ",
                     other.global_rank.value, " of incarnation ",
                     absl::Hex(other.incarnation.value), ", which its assignment does not name"));
  }
}

void BuildHall::Leave(const GroupKey& key, ProcessId process) {
  const auto room = rooms_.find(key);
  if (room == rooms_.end()) return;
  std::erase_if(room->second, [&](const auto& entry) { return entry.second.process == process; });
  if (room->second.empty()) rooms_.erase(room);
}

void BuildHall::OnProcessEnd(ProcessId process, bool silently) {
  for (auto& [key, room] : rooms_) {
    const auto gone = std::find_if(room.begin(), room.end(), [&](const auto& entry) {
      return entry.second.process == process;
    });
    if (gone == room.end()) continue;
    const GlobalRank rank = gone->second.global_rank;
    room.erase(gone);
    for (const auto& [other_rank, other] : room) {
      if (silently || random_.Chance(30)) continue;
      const ProcessId waiting = other.process;
      const GroupKey where = key;
      world_.queue.After(world_.plan.network.delay.Draw(random_), [this, waiting, where, rank] {
        world_.processes.OnBuildPeerGone(waiting, where, rank);
      });
    }
  }
  std::erase_if(rooms_, [](const auto& entry) { return entry.second.empty(); });
}

std::vector<GlobalRank> BuildHall::Missing(const GroupKey& key,
                                           const std::vector<Peer>& peers) const {
  std::vector<GlobalRank> missing;
  const auto room = rooms_.find(key);
  for (const Peer& peer : peers) {
    const bool here = room != rooms_.end() && room->second.contains(peer.rank);
    if (!here) missing.push_back(peer.global_rank);
  }
  return missing;
}

}  // namespace muster::sim
