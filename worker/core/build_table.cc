#include "worker/core/build_table.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace muster::worker {
namespace {

BuildFailure WrongPlace(const Layout& layout, const Peer& peer, const std::string& wanted) {
  const std::string name = layout.Name(peer.group, "");
  return BuildFailure{
      name, peer.global_rank,
      absl::StrCat("group ", name, ": the assignment lists rank ", peer.global_rank.value,
                   " at group rank ", peer.rank.value, ", want ", wanted)};
}

}  // namespace

BuildTable MakeBuildTable(const Layout& layout, const GroupMembership& group,
                          const std::vector<Peer>& peers) {
  const std::vector<GlobalRank> members = layout.Members(group.id);
  std::vector<const Peer*> at(members.size(), nullptr);
  BuildTable table;
  for (const Peer& peer : peers) {
    if (peer.group != group.id) continue;
    const bool inside = peer.rank.value >= 0 && peer.rank.value < group.size;
    if (!inside || peer.rank == group.rank) {
      table.wrong = WrongPlace(layout, peer, inside ? "this worker" : "nobody");
      return table;
    }
    const auto place = static_cast<size_t>(peer.rank.value);
    if (members[place] != peer.global_rank) {
      table.wrong = WrongPlace(layout, peer, absl::StrCat("rank ", members[place].value));
      return table;
    }
    at[place] = &peer;
  }
  for (size_t i = 0; i < members.size(); ++i) {
    if (i == static_cast<size_t>(group.rank.value)) continue;
    if (at[i] == nullptr || at[i]->endpoint.empty()) {
      table.missing.push_back(members[i]);
    } else {
      table.peers.push_back(*at[i]);
    }
  }
  return table;
}

}  // namespace muster::worker
