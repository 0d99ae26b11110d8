#ifndef MUSTER_TESTS_SIMULATION_NETWORK_H_
#define MUSTER_TESTS_SIMULATION_NETWORK_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "common/base/random.h"
#include "common/session/session.h"
#include "coordinator/core/events.h"
#include "tests/simulation/event_queue.h"
#include "tests/simulation/fault_kinds.h"
#include "tests/simulation/sim_time.h"

namespace muster::sim {

struct World;

// One process of a run; its place in the list of all that ever were.
using ProcessId = int;

// Everything between workers and the coordinator. A stream keeps its order and loses nothing unless
// the plan or a fault says so; each end learns of its end in its own time.
class Network {
 public:
  explicit Network(World& world);

  // What a worker does. Its stream is the one that it dialed with this session number.
  void Dial(ProcessId process, Hello hello);
  void SendReport(ProcessId process, SessionNumber session, Report report);
  void CloseFromWorker(ProcessId process, SessionNumber session);
  // The goodbye of a worker, which needs no stream.
  void SendLeave(ProcessId process);

  // What the coordinator does.
  void Publish(ConnectionId connection, Assignment assignment);
  void CloseFromCoordinator(ConnectionId connection, absl::Status status);

  // A process or the coordinator ended. If `silently`, its host went with it, and whoever talked to
  // it finds out in its own time.
  void OnProcessEnd(ProcessId process, bool silently);
  void OnCoordinatorEnd();

  // A supervisor's notice.
  void ReportExit(const coordinator::ExitReported& notice);

  // Faults. Those about a stream give false if the process has none that stands.
  bool Break(ProcessId process);
  bool Cut(ProcessId process);
  void Partition(ProcessId process, Micros length);
  // Breaks the stream of `process`, whose next dial leads to a coordinator of an earlier term.
  // False if none ever spoke to it.
  bool Mislead(ProcessId process);
  // The next message of a worker of `job` meets `kind`, one of the four that happen to messages.
  void Strike(FaultKind kind, const std::string& job);

  // From now on every message arrives once and in order.
  void BecomeReliable();

 private:
  struct Stream {
    ProcessId process = 0;
    SessionNumber session;
    uint64_t run = 0;               // Of the coordinator; 0 before the Hello arrived.
    bool dead = false;              // Nothing passes any more.
    bool worker_knows = false;      // The worker's end is closed.
    bool coordinator_knows = true;  // The coordinator's end is closed, or not open yet.
    Micros up_floor = 0;            // Nothing that keeps its order arrives before these.
    Micros down_floor = 0;
  };

  // What a process was told last, in the newest term and in the one that it knew before.
  struct Told {
    std::shared_ptr<const Assignment> now;
    std::shared_ptr<const Assignment> before;
    bool misled = false;  // Its next dial leads to the coordinator of `before`.
  };

  void DialOldCoordinator(ConnectionId id, Told& told);
  void ArriveHello(ConnectionId id, const Hello& hello);
  Stream* Find(ConnectionId id);
  std::pair<const ConnectionId, Stream>* FindOf(ProcessId process);
  ConnectionId IdOf(ProcessId process, SessionNumber session) const;
  void EndWorkerSide(ConnectionId id, const absl::Status& status);
  void EndCoordinatorSide(ConnectionId id);
  void ForgetIfOver(ConnectionId id);
  bool IsPartitioned(ProcessId process) const;

  // Draws what happens to one message of `process`: schedules `deliver` never, once or twice.
  void Transmit(ProcessId process, Micros& floor, const EventQueue::Action& deliver);
  // Whether a fault of `kind`, which strikes `permille` of all messages, strikes this one.
  bool Strikes(FaultKind kind, uint64_t permille, ProcessId process);
  // How long until the other end of a stream of `process` notices that it is over.
  Micros NoticeAfter(ProcessId process);

  World& world_;
  Random random_;
  bool reliable_ = false;
  ConnectionId last_connection_;
  std::map<ConnectionId, Stream> streams_;
  std::map<std::pair<ProcessId, SessionNumber>, ConnectionId> dialed_;
  std::map<ProcessId, Micros> partitions_;  // Until when.
  std::optional<std::pair<FaultKind, std::string>> strike_;
  std::map<ProcessId, Told> told_;
};

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_NETWORK_H_
