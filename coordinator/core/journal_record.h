#ifndef MUSTER_COORDINATOR_CORE_JOURNAL_RECORD_H_
#define MUSTER_COORDINATOR_CORE_JOURNAL_RECORD_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/base/ids.h"
#include "common/session/session.h"

// The decisions that survive a coordinator. Heartbeats, acknowledgements and losses are not among
// them: they are seen again.
namespace muster::coordinator {

// A coordinator started over this journal.
struct TermStarted {
  Term term;
  friend bool operator==(const TermStarted&, const TermStarted&) = default;
};

// A job was accepted. `request_id` makes a retry of the same request give the same answer.
struct JobAccepted {
  JobUid job;
  Generation generation;
  std::string request_id;
  JobSpec spec;
  friend bool operator==(const JobAccepted&, const JobAccepted&) = default;
};

// Who sits where. Lists only the seats that changed since the record before.
struct SeatGrant {
  GlobalRank rank;
  WorkerId worker;
  friend bool operator==(const SeatGrant&, const SeatGrant&) = default;
};

// An epoch number is taken for an attempt and will never be used again, and these seats changed
// hands for it.
struct EpochReserved {
  JobUid job;
  Epoch epoch;
  std::vector<SeatGrant> seats;
  friend bool operator==(const EpochReserved&, const EpochReserved&) = default;
};

// One member of a committed epoch; its rank is its place in the list.
struct CommittedMember {
  WorkerId worker;
  Incarnation incarnation;
  HostFacts host;
  DeviceFacts device;
  friend bool operator==(const CommittedMember&, const CommittedMember&) = default;
};

// All members are in this epoch, or will be as soon as they hear of it.
struct EpochCommitted {
  JobUid job;
  Epoch epoch;
  Generation generation;
  std::vector<CommittedMember> members;  // By rank; world size of them.
  friend bool operator==(const EpochCommitted&, const EpochCommitted&) = default;
};

// A job is over for good.
struct JobDeleted {
  JobUid job;
  std::string request_id;
  friend bool operator==(const JobDeleted&, const JobDeleted&) = default;
};

using JournalRecord =
    std::variant<TermStarted, JobAccepted, EpochReserved, EpochCommitted, JobDeleted>;

// What a journal holds, in the order in which it was written.
struct JournalContents {
  StoreId store;
  std::vector<JournalRecord> records;
};

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_CORE_JOURNAL_RECORD_H_
