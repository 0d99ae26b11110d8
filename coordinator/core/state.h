#ifndef MUSTER_COORDINATOR_CORE_STATE_H_
#define MUSTER_COORDINATOR_CORE_STATE_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "common/base/event_ring.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/layout/layout.h"
#include "common/session/session.h"
#include "coordinator/core/effects.h"
#include "coordinator/core/events.h"
#include "coordinator/core/journal_record.h"

// Everything the coordinator knows. Plain data; the functions that change it are in the files named
// after what they decide. Ordered containers only, so that equal histories give equal effects.
namespace muster::coordinator {

inline constexpr int kJobsMax = 256;
inline constexpr int kWaitingHellosMax = 16384;
inline constexpr int kFinishedRequestsMax = 4096;
inline constexpr int kNotesMax = 256;
inline constexpr int kAttemptsMax = 3;
inline constexpr size_t kLostEarlyMax = 64;

// What is known of a worker's being alive.
enum class Presence {
  kConnected,  // Has a stream.
  kDetached,   // Its stream was ended by us; only silence counts against it.
  kSuspect,    // Its stream was reset; lost at `patience_until` unless it comes back.
  kAwaited,    // Known from the journal, not seen in this run; lost at `patience_until`.
  kLost,
};

struct Worker {
  WorkerId id;
  Incarnation incarnation;
  SessionNumber session;
  ConnectionId connection;  // 0 unless kConnected.
  HostFacts host;
  DeviceFacts device;
  std::optional<GlobalRank> wanted_rank;

  Presence presence = Presence::kConnected;
  std::optional<LossCause> loss;  // Set exactly when kLost.
  MonotonicTime joined_at;
  MonotonicTime last_heard;
  MonotonicTime patience_until;

  Report report;       // The newest.
  uint64_t ping = 0;   // Asked for; 0: nothing.
  Revision published;  // Of the newest assignment sent in this term; 0: none.
  MonotonicTime published_at;
  bool dirty = false;  // Its assignment changed since.
};

// Seats of one epoch: by rank, and the way back.
struct Membership {
  std::vector<CommittedMember> members;
  std::map<WorkerId, GlobalRank> ranks;

  // The seat of exactly this process; nothing if it has none.
  std::optional<GlobalRank> RankOf(const WorkerId& worker, Incarnation incarnation) const;
};

enum class AttemptPhase { kReserving, kPreparing, kBuilding, kCommitting, kRollingBack };

// An epoch that is not decided yet.
struct Attempt {
  Epoch epoch;
  AttemptPhase phase = AttemptPhase::kReserving;
  MonotonicTime started;
  MonotonicTime deadline;  // Of the phase; unused while the journal is awaited.
  Membership membership;
  std::vector<SeatGrant> grants;  // Seats that change hands with it.
  std::set<GlobalRank> waiting;   // Members that have not reached the end of the phase.
  std::map<GlobalRank, std::vector<Endpoint>> endpoints;
  Revision rollback_since;            // Reports of later revisions know of the rollback.
  std::string cause;                  // Of the rollback.
  std::vector<LostMember> lost_late;  // Lost after the commit was handed to the journal.
  bool cancelled = false;             // A reason to roll back came while the journal was awaited.
};

// The newest committed epoch.
struct Committed {
  Epoch epoch;
  Generation generation;
  Membership membership;
  MonotonicTime since;
  bool adopted = false;             // From the journal; not committed in this run.
  std::set<GlobalRank> not_active;  // Members that have not said that they are in it.
  std::vector<LostMember> lost;     // First cause first. Not empty: the epoch is over.
  MonotonicTime lost_since;         // When the first of them was.
  std::map<GlobalRank, std::set<GlobalRank>> resets;  // Whose connection was reset, seen by whom.
};

// A process that may still run although its identity has a new holder. Its device is not given
// away before its end is proved or `until` has come.
struct Zombie {
  WorkerId worker;
  Incarnation incarnation;
  HostFacts host;
  DeviceFacts device;
  MonotonicTime until;
};

// Another process claims the identity of a worker that may be alive. Decided by whether the holder
// answers a ping.
struct Contest {
  ConnectionId newcomer;
  Hello hello;
  uint64_t ping = 0;
  MonotonicTime until;
};

struct Job {
  JobUid uid;
  Generation generation;
  std::shared_ptr<const JobSpec> spec;
  std::shared_ptr<const Layout> layout;
  Deadlines deadlines;
  MonotonicTime since;

  std::map<WorkerId, Worker> workers;
  int32_t connected = 0;  // Workers that are kConnected.
  int32_t live = 0;       // Workers that are not kLost.
  // Who last came with a device of a host, and who with a wish for a rank. May name workers that
  // are gone or came again without it.
  std::map<std::pair<std::string, std::string>, WorkerId> device_claims;
  std::map<GlobalRank, WorkerId> rank_claims;
  std::vector<WorkerId> seats;  // By rank; empty text: never given. Journalled.

  Epoch reserved;  // The highest number ever taken.
  std::optional<Attempt> attempt;
  std::optional<Committed> committed;
  int failed_attempts = 0;  // In a row, with the same members.
  MonotonicTime next_attempt_at;
  MonotonicTime next_news_at;       // When waiting workers are told again what for.
  std::string news;                 // What they were told last.
  std::vector<LostMember> awaited;  // The same: who is missing, as far as it is known.
  // Workers that were lost before they had a seat, newest last; until an epoch is committed.
  std::vector<LostMember> lost_early;
  std::string held;  // Why no attempt is made; empty: nothing holds it.
  // Groups of the committed epoch in which some member is in trouble; ascending, at most
  // kTracesMax.
  std::vector<std::string> traced_groups;

  std::vector<Zombie> zombies;
  std::map<WorkerId, Contest> contests;

  bool delete_pending = false;  // Asked for; the journal has not answered.
  bool deleted = false;         // Journalled; workers are giving everything back.
  Revision deleted_since;
  MonotonicTime delete_deadline;

  EventRing<Note> notes{kNotesMax};
};

// A stream that is known, and whose it is.
struct ConnectionOwner {
  JobUid job;
  WorkerId worker;
};

// A worker whose job does not exist yet.
struct WaitingHello {
  Hello hello;
  MonotonicTime until;
};

// A request by its id: what it asked for, who waits, and how it ended.
struct Request {
  bool is_delete = false;
  JobSpec spec;  // Of an apply.
  std::string job;
  std::vector<CallId> calls;  // That wait for the answer.
  bool finished = false;
  absl::Status status;
  JobUid uid;
  Generation generation;
};

struct State {
  StoreId store;
  Term term;
  uint64_t seed = 1;
  uint64_t draws = 0;  // Numbers drawn from the seed so far.
  absl::Duration tick_interval = absl::Milliseconds(50);

  bool serving = false;    // The term is journalled.
  bool read_only = false;  // The journal is full.
  bool halted = false;

  Revision revision;  // Of the newest assignment to anyone.
  WriteId last_write;
  uint64_t last_ping = 0;
  std::map<WriteId, JournalRecord> writes;  // Not answered yet.

  std::map<JobUid, Job> jobs;
  std::map<std::string, JobUid> names;
  std::map<ConnectionId, ConnectionOwner> connections;
  std::map<ConnectionId, WaitingHello> waiting;
  std::map<std::string, Request> requests;
  std::deque<std::string> finished_requests;  // Oldest first; the oldest is forgotten first.

  MonotonicTime last_tick;
  bool ticked = false;
  std::deque<MonotonicTime> resets;  // Within the last second.
  MonotonicTime own_fault_until;     // Resets until then count as our own fault.

  std::vector<std::pair<JobUid, WorkerId>> dirty;  // In the order in which they became so.
};

// The machine at work on one event.
struct Context {
  State& state;
  MonotonicTime now;
  std::vector<Effect>& effects;
};

// Tells people, and keeps it in the job's ring.
void AddNote(Context& context, Job& job, Note note);

// Starts a journal write.
void Write(Context& context, JournalRecord record);

// Whether `worker` can take part in an attempt now: it is connected and no zombie holds its place.
bool IsEligible(const Job& job, const Worker& worker);

// Notes that `worker` came with its device and its wish for a rank.
void NoteClaims(Job& job, const Worker& worker);

// The loss of `worker` as its peers are told; its rank is for the epoch concerned to set.
LostMember DescribeLoss(const Context& context, const Worker& worker, LossCause cause);

// The worker that is exactly this process; null if there is none or another holds its identity.
Worker* FindWorker(Job& job, const WorkerId& id, Incarnation incarnation);

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_CORE_STATE_H_
