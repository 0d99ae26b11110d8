#ifndef MUSTER_TESTS_SIMULATION_BUILD_HALL_H_
#define MUSTER_TESTS_SIMULATION_BUILD_HALL_H_

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "common/layout/layout.h"
#include "common/session/session.h"
#include "tests/simulation/network.h"

namespace muster::sim {

struct World;

// One group in one attempt, the same for all its members.
struct GroupKey {
  JobUid job;
  Epoch epoch;
  GroupId group;

  friend auto operator<=>(const GroupKey&, const GroupKey&) = default;
};

// Somebody who wants to build a group, and whom it was told to expect there.
struct Builder {
  ProcessId process = 0;
  Incarnation incarnation;
  GlobalRank global_rank;
  GroupRank rank;
  std::vector<Peer> peers;
};

// What the member `from`, a process of `incarnation`, offers to the member `to`; the same for all
// if `to` is negative.
std::string EndpointBytes(const GroupKey& key, Incarnation incarnation, GroupRank from,
                          GroupRank to);

// Where members of a group meet. A group stands as soon as all its members are there at the same
// time; then each is told so in its own time. Nothing ends a wait from this side but a member that
// dies.
class BuildHall {
 public:
  explicit BuildHall(World& world);

  // `size` is that of the group.
  void Enter(const GroupKey& key, int32_t size, Builder builder);

  // Does nothing if `process` does not wait there.
  void Leave(const GroupKey& key, ProcessId process);

  // Those who waited with it may notice, unless it ended silently.
  void OnProcessEnd(ProcessId process, bool silently);

  // Ranks that `key` still waits for, of a group of `size`.
  std::vector<GlobalRank> Missing(const GroupKey& key, const std::vector<Peer>& peers) const;

 private:
  using Room = std::map<GroupRank, Builder>;

  void Complete(const GroupKey& key, const Room& room);
  void CheckIdentities(const GroupKey& key, const Builder& builder, const Room& room) const;

  World& world_;
  Random random_;
  std::map<GroupKey, Room> rooms_;
};

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_BUILD_HALL_H_
