#ifndef MUSTER_TESTS_SIMULATION_CHECKERS_PUBLISH_CHECK_H_
#define MUSTER_TESTS_SIMULATION_CHECKERS_PUBLISH_CHECK_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "coordinator/core/effects.h"
#include "coordinator/core/events.h"
#include "tests/simulation/checkers/journal_check.h"

namespace muster::sim {

class EpochCheck;

// Promises about what the coordinator lets out: nothing is published or answered before the journal
// has answered for it, nothing is committed before all have built it, and a revision means one
// thing.
class PublishCheck {
 public:
  PublishCheck(const JournalCheck& journal, EpochCheck& epochs, Verdict& verdict)
      : journal_(journal), epochs_(epochs), verdict_(verdict) {}

  void OnRunStarted() { published_.clear(); }
  void OnPublish(const coordinator::Publish& publish);
  // `event` is what led to it.
  void OnClose(const coordinator::Event& event, const coordinator::CloseStream& close);
  void OnReply(const coordinator::Reply& reply);
  void OnWrite(const coordinator::JournalRecord& record);

 private:
  void CheckOrigin(const Assignment& assignment);
  void CheckCommitted(const Assignment& assignment);
  void CheckAttempt(const Assignment& assignment);
  void CheckRevision(const coordinator::Publish& publish);
  void Break(const Assignment& assignment, const std::string& what);

  const JournalCheck& journal_;
  EpochCheck& epochs_;
  Verdict& verdict_;
  // The newest revision sent to a process in this run, and a digest of what it said.
  std::map<Incarnation, std::pair<Revision, uint64_t>> published_;
};

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_CHECKERS_PUBLISH_CHECK_H_
