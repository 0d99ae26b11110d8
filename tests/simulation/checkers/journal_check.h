#ifndef MUSTER_TESTS_SIMULATION_CHECKERS_JOURNAL_CHECK_H_
#define MUSTER_TESTS_SIMULATION_CHECKERS_JOURNAL_CHECK_H_

#include <map>
#include <set>
#include <utility>

#include "coordinator/core/journal_record.h"
#include "tests/simulation/verdict.h"

namespace muster::sim {

using JobEpoch = std::pair<JobUid, Epoch>;

// What is on disk, and what the coordinator's run of now knows to be there. Promises: an epoch
// number is reserved once and committed once at most, after its reservation and with distinct
// members.
class JournalCheck {
 public:
  explicit JournalCheck(Verdict& verdict) : verdict_(verdict) {}

  void OnRunStarted(const coordinator::JournalContents& contents);
  void OnDurable(const coordinator::JournalRecord& record);
  void OnAnswered(const coordinator::JournalRecord& record);
  void OnWiped();

  // What the run of now was told is written, or found when it began.
  StoreId store() const { return known_.store; }
  Term term() const { return known_.term; }
  bool IsReserved(JobEpoch epoch) const { return known_.reserved.contains(epoch); }
  bool IsDeleted(JobUid job) const { return known_.deleted.contains(job); }
  // Null if there is none.
  const coordinator::EpochCommitted* CommitOf(JobEpoch epoch) const;
  const coordinator::JobAccepted* JobOf(JobUid job) const;

  // What is on disk, or was on a disk that is gone, whether anybody knows it or not.
  const coordinator::EpochCommitted* DurableCommitOf(JobEpoch epoch) const;

 private:
  struct Known {
    StoreId store;
    Term term;
    std::map<JobUid, coordinator::JobAccepted> jobs;
    std::set<JobUid> deleted;
    std::set<JobEpoch> reserved;
    std::map<JobEpoch, coordinator::EpochCommitted> committed;
  };

  void CheckCommit(const coordinator::EpochCommitted& record);

  Verdict& verdict_;
  Known known_;
  std::map<JobUid, Epoch> highest_;  // Reserved on the disk of now.
  std::map<JobEpoch, coordinator::EpochCommitted> durable_;
};

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_CHECKERS_JOURNAL_CHECK_H_
