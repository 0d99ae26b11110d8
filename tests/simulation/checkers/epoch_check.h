#ifndef MUSTER_TESTS_SIMULATION_CHECKERS_EPOCH_CHECK_H_
#define MUSTER_TESTS_SIMULATION_CHECKERS_EPOCH_CHECK_H_

#include <map>
#include <set>
#include <string>

#include "coordinator/core/effects.h"
#include "coordinator/core/state.h"
#include "tests/simulation/checkers/journal_check.h"
#include "tests/simulation/shell.h"
#include "worker/core/effects.h"

namespace muster::sim {

struct World;

// Promises about epochs as all processes together see them: a seat has one holder, an attempt has
// one membership, nobody is active in an epoch that is not on disk or that some member never built,
// and an attempt is rolled back when its members have given it back or had their time.
class EpochCheck {
 public:
  explicit EpochCheck(World& world) : world_(world) {}

  // The coordinator told somebody who sits at `rank` of an attempt.
  void OnAttemptPublished(JobEpoch epoch, GlobalRank rank, Incarnation holder);

  // The coordinator told somebody that an attempt is rolled back, and noted that it is.
  void OnRollbackPublished(JobEpoch epoch);
  void OnRolledBack(const coordinator::Note& note, const coordinator::State& state,
                    MonotonicTime now);

  // A worker counts as lost: nobody waits for it any more.
  void OnLost(const coordinator::Note& note, const coordinator::State& state);

  // All communicators of a process stand.
  void OnBuilt(ProcessId process, const GroupKey& last, const EpochResources& resources);

  // `resources` is null if the process has none of that epoch.
  void OnActivated(ProcessId process, const worker::ActivateEpoch& effect,
                   const EpochResources* resources);

  // Whether the member at `rank` has built all that it should have.
  bool HasBuilt(const coordinator::EpochCommitted& commit, GlobalRank rank) const;

 private:
  using Holders = std::map<GlobalRank, Incarnation>;

  void Hold(std::map<JobEpoch, Holders>& table, JobEpoch epoch, GlobalRank rank, Incarnation holder,
            const char* what);

  World& world_;
  std::map<JobEpoch, Holders> attempts_;         // As published.
  std::map<JobEpoch, MonotonicTime> rollbacks_;  // When each was published first.
  std::set<Incarnation> lost_;                   // At any time.
  std::map<JobEpoch, Holders> built_;
  std::map<JobEpoch, Holders> active_;
};

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_CHECKERS_EPOCH_CHECK_H_
