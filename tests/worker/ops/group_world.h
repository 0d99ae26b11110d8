#ifndef MUSTER_TESTS_WORKER_OPS_GROUP_WORLD_H_
#define MUSTER_TESTS_WORKER_OPS_GROUP_WORLD_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "worker/comm/backend.h"
#include "worker/ops/tensor_operations.h"

namespace muster {

// Members of several groups, which may overlap, each a thread of the test's process with a backend
// of its own. The test stands in for agents and coordinator.
class GroupWorld {
 public:
  using MakeBackend = std::function<std::unique_ptr<Backend>(const Clock*)>;

  // Each group has its members in the order of their group ranks. Ends the test if one cannot be
  // built. Member m has the global rank of GlobalRankOf(m).
  GroupWorld(const MakeBackend& make_backend, int32_t members,
             std::vector<std::vector<int>> groups);
  ~GroupWorld();

  // One group of all, from the last member to the first.
  static std::unique_ptr<GroupWorld> OfOneGroup(const MakeBackend& make_backend, int32_t size);

  const std::vector<std::vector<int>>& groups() const { return groups_; }
  int32_t members() const { return static_cast<int32_t>(members_.size()); }

  // Runs `body` for every member at the same time. What it gives is a text, empty if all is well;
  // all of them are joined.
  std::string Run(const std::function<std::string(int member)>& body);

  // A member's operations in one group that it is in, and its communicator there.
  TensorOperations& At(int member, size_t group) {
    return *members_[static_cast<size_t>(member)].operations.at(group);
  }
  std::shared_ptr<Communicator> CommunicatorAt(int member, size_t group) {
    return members_[static_cast<size_t>(member)].communicators.at(group);
  }

  static GlobalRank GlobalRankOf(int member) { return GlobalRank(60 - 7 * member); }

 private:
  struct Member {
    std::unique_ptr<Backend> backend;
    std::unique_ptr<EpochEndpoints> endpoints;
    std::map<size_t, std::shared_ptr<Communicator>> communicators;
    std::map<size_t, std::unique_ptr<TensorOperations>> operations;
  };

  void Open(const MakeBackend& make_backend);
  std::vector<Peer> PeersOf(int member, size_t group) const;
  std::string Build(int member);

  const std::vector<std::vector<int>> groups_;
  RealClock clock_;
  std::vector<Member> members_;
};

}  // namespace muster

#endif  // MUSTER_TESTS_WORKER_OPS_GROUP_WORLD_H_
