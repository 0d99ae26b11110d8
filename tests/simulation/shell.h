#ifndef MUSTER_TESTS_SIMULATION_SHELL_H_
#define MUSTER_TESTS_SIMULATION_SHELL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "tests/simulation/build_hall.h"
#include "tests/simulation/sim_time.h"
#include "worker/core/effects.h"

namespace muster::sim {

struct World;

// What one epoch has in one process.
struct EpochResources {
  JobUid job;
  GlobalRank rank;
  std::shared_ptr<const JobSpec> spec;
  std::vector<GroupMembership> groups;  // In the order of building.
  bool endpoints = false;
  std::vector<GroupId> communicators;  // Those that stand, in the order in which they were built.

  std::vector<GroupId> asked_back;  // Those that were to be freed, answered or not.

  bool aborted = false;
  bool opening = false;
  std::optional<worker::BuildGroup> building;
  uint64_t turn = 0;      // Of openings and builds; an older one's completion means nothing.
  Micros busy_until = 0;  // Answers about one epoch come in order.
  bool stuck = false;     // Something of it cannot be given back.

  // Things that would be missed if the process went on for ever.
  size_t Count() const { return communicators.size() + (endpoints ? 1 : 0); }
  bool IsBuilt() const { return communicators.size() == groups.size(); }
};

// The part of a worker's process that holds resources: it opens, builds and frees what its agent
// asks for, each in its own time, and holds the agent to the contract of the effects.
class Shell {
 public:
  Shell(World& world, ProcessId process);

  // `job` is the one that the agent belongs to.
  void Open(const worker::OpenEndpoints& effect, JobUid job);
  void Build(const worker::BuildGroup& effect);
  void Abort(const worker::AbortEpoch& effect);
  void Free(const worker::FreeGroup& effect);
  void Close(const worker::CloseEndpoints& effect);

  // From the place where builders meet.
  void OnGroupStands(const GroupKey& key);
  void OnPeerGone(const GroupKey& key, GlobalRank peer);

  const std::map<Epoch, EpochResources>& epochs() const { return epochs_; }
  const EpochResources* Find(Epoch epoch) const;

  // Faults, each of the next thing of its kind.
  void FailNextBuild() { fail_next_ = true; }
  void HangNextBuild() { hang_next_ = true; }
  void LeakNextFree() { leak_next_ = true; }
  void HangNextFree() { hang_free_ = true; }
  void BecomeReliable();

 private:
  EpochResources* Get(Epoch epoch, const char* effect);
  void Answer(EpochResources& epoch, Micros delay, worker::Event event);
  void FinishOpen(Epoch epoch, uint64_t turn);
  void Expire(const GroupKey& key, uint64_t turn);
  void Fail(Epoch epoch, EpochResources& resources, std::optional<GlobalRank> peer,
            const std::string& why, Micros delay);
  void Erase(Epoch epoch, GroupId group);
  void FinishClose(Epoch epoch);
  std::vector<Endpoint> EndpointsOf(Epoch epoch, const EpochResources& resources) const;
  GroupKey KeyOf(Epoch epoch, const EpochResources& resources, GroupId group) const;
  void CheckOrder(const EpochResources& resources, const worker::BuildGroup& effect);

  World& world_;
  const ProcessId process_;
  Random random_;
  const bool one_endpoint_for_all_;
  std::map<Epoch, EpochResources> epochs_;
  bool fail_next_ = false;
  bool hang_next_ = false;
  bool leak_next_ = false;
  bool hang_free_ = false;
};

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_SHELL_H_
