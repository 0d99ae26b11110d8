#ifndef MUSTER_WORKER_COMM_GLOO_MESH_H_
#define MUSTER_WORKER_COMM_GLOO_MESH_H_

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/base/monitor.h"
#include "gloo/transport/context.h"
#include "gloo/transport/unbound_buffer.h"
#include "worker/comm/deadline_source.h"
#include "worker/comm/gloo/address.h"
#include "worker/comm/gloo/device.h"
#include "worker/comm/gloo/wait_set.h"
#include "worker/comm/gloo/watcher.h"
#include "worker/comm/gloo/wire.h"

namespace muster {

// The connections of one member to all other members of one group.
//
// The packaged gloo moves the bytes; everything that it gets wrong around that is set right here.
// Each connection carries, beside what the owner sends, a farewell in each direction, for which the
// receiver makes room from the start, and a tripwire: a message that is awaited and never sent, so
// that gloo says when the connection is lost even if nothing else is awaited on it.
//
// Lifetime: listening from Open(), connected by Connect(), closed by Break(), Abort(), Close() or
// the destructor. Memory given to SendTo() and RecvFrom() may be touched until the connections are
// closed, so a buffer that is not done must not go before. After a failure everything is closed;
// one late message for a buffer that is gone would keep the device's thread spinning.
//
// Thread safety: Break(), Abort(), Close() and SetLostPeerCallback() from any thread, any time;
// Connect() from one; the rest from any thread once connected. The destructor after all others.
class Mesh final : public Watched {
 public:
  // What opening a mesh needs of its process. All outlive it.
  struct Host {
    Device* device;
    Watcher* watcher;
    const Clock* clock;
  };

  // Listens for every other member. 2 <= size <= kGlooGroupMax.
  //
  // kResourceExhausted if there are no ports or descriptors left.
  static absl::StatusOr<std::unique_ptr<Mesh>> Open(const Host& host, GroupRank self, int32_t size);

  // Says goodbye and closes what is open, without a reset: what was sent still arrives.
  ~Mesh() override;
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;

  GroupRank self() const { return self_; }
  int32_t size() const { return size_; }
  bool is_ipv6() const { return listening_.begin()->second.is_ipv6(); }

  // Every other member, by rank.
  const std::vector<GroupRank>& others() const { return others_; }

  // Where `to` has to connect.
  std::string EndpointFor(GroupRank to) const;

  // How connecting ended, and with whom there is a connection. `absent` are those who had not come
  // when the time was up, as far as they can be told from those who came and gave up.
  struct Connected {
    Ended ended = Ended::kDone;
    std::set<GroupRank> peers = {};
    std::set<GroupRank> absent = {};
  };

  // Connects to every other member, at the address that it offers to this one. Blocks until all are
  // connected, one cannot be, another one gives up, the deadline, or Close(). Whoever dials first
  // is taken for the peer: the owner must prove who is there. A connection alone says little, since
  // the system accepts it for a peer that is not there yet. After a failure it still connects to
  // whom it can in a moment, so that Break() can tell them.
  Connected Connect(const std::map<GroupRank, SocketAddress>& addresses,
                    const DeadlineSource& deadline);

  // Runs `callback` once for each peer whose connection is lost without a farewell, from the
  // watcher's thread.
  void SetLostPeerCallback(std::function<void(GroupRank)> callback);

  // A buffer over memory of the caller, for one message.
  std::unique_ptr<gloo::transport::UnboundBuffer> MakeBuffer(void* data, size_t bytes);

  // Starts to send, or to receive, all of `buffer`. Messages of one slot and direction are matched
  // in order. Gives false if the connection is lost.
  bool SendTo(GroupRank to, uint64_t slot, gloo::transport::UnboundBuffer* buffer);
  bool RecvFrom(GroupRank from, uint64_t slot, gloo::transport::UnboundBuffer* buffer);

  WaitSet& waits() { return waits_; }

  // What is known of the other members after something went wrong.
  struct Findings {
    std::map<GroupRank, std::string> lost;    // Connections, with the reason that gloo gave.
    std::map<GroupRank, Farewell> farewells;  // Who closes its end on purpose.
    std::set<GroupRank> Suspects() const;     // Lost without a farewell, here or elsewhere.
  };

  // Ends all waits, tells the other members the reason as Abort() does, hears what they have to say
  // for at most `patience`, and closes all connections. Those who lost a peer are told which.
  Findings Break(FarewellReason reason, absl::Duration patience);

  // Ends all waits, tells the other members, and closes all connections once they have got what was
  // sent to them or kFlushPatience is over. Who then has not got the farewell, which comes behind
  // all data, suspects this member. Nobody waits for those who are `gone`.
  void Abort(const std::set<GroupRank>& gone);

  // The same in a hurry: wakes all waits and closes all connections, telling and hearing what takes
  // no time.
  void Close();

  // Waits until all connections are closed, after Break(), Abort() or Close() began.
  void AwaitClosed() const;

  // From the watcher.
  void Look(MonotonicTime now) override;

  // How long a member that closes waits until what it sent has arrived.
  static constexpr absl::Duration kFlushPatience = absl::Milliseconds(300);

  // Slots below this one are the mesh's own.
  static constexpr uint64_t kFirstFreeSlot = 16;

 private:
  using Buffer = std::unique_ptr<gloo::transport::UnboundBuffer>;

  // What a connection carries beside the owner's messages.
  struct Line {
    std::array<std::byte, kFarewellBytes> farewell_in = {};
    std::array<std::byte, kFarewellBytes> farewell_out = {};
    std::array<std::byte, 1> never = {};
    Buffer inbox;
    Buffer outbox;
    Buffer tripwire;
    bool hearing = false;  // HearFarewells() waits for it: nobody else may look.
    bool lost = false;
    std::string reason = {};                // Why, if it is lost.
    std::optional<Farewell> farewell = {};  // As far as it was read.
  };

  Mesh(const Host& host, GroupRank self, int32_t size,
       std::shared_ptr<gloo::transport::Context> context);

  Ended ConnectTo(GroupRank peer, const SocketAddress& address, const DeadlineSource& deadline);
  void ConnectRest(const std::map<GroupRank, SocketAddress>& addresses, GroupRank failed,
                   Connected* connected);
  void OpenLineLocked(GroupRank peer) ABSL_EXCLUSIVE_LOCKS_REQUIRED(monitor_);
  // Reads the farewell of a line whose connection is gone, if one came. On one that stands, not to
  // find a farewell would close every connection of the group.
  static void ReadFarewell(Line* line);

  // Notes the lines that were lost since the last call. Gives false if none of all that are lost is
  // a reason to end the owner's waits.
  bool FindLostLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(monitor_);
  Findings FindingsLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(monitor_);

  // Gives false if it was said before.
  bool SayFarewell(const Farewell& farewell);

  // Waits until the systems of the other members have got the farewells. Only for who said them.
  void FlushFarewells(const std::set<GroupRank>& gone);
  void HearFarewells(const DeadlineSource& deadline);
  std::map<GroupRank, Line*> OpenLinesLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(monitor_);

  const Host host_;
  const GroupRank self_;
  const int32_t size_;
  const std::vector<GroupRank> others_;
  const std::shared_ptr<gloo::transport::Context> context_;
  std::map<GroupRank, SocketAddress> listening_;  // As opened; by whom it is meant for.
  WaitSet waits_;                                 // The owner's.
  WaitSet farewells_;                             // Those of farewells; they outlast the owner's.

  mutable Monitor monitor_;
  bool closed_ ABSL_GUARDED_BY(monitor_) = false;  // Closing, at least.
  bool all_closed_ ABSL_GUARDED_BY(monitor_) = false;
  bool said_farewell_ ABSL_GUARDED_BY(monitor_) = false;
  std::map<GroupRank, Line> lines_ ABSL_GUARDED_BY(monitor_);
  std::optional<GroupRank> connecting_ ABSL_GUARDED_BY(monitor_);  // Whom Connect() waits for.
  const DeadlineSource* connect_deadline_ ABSL_GUARDED_BY(monitor_) = nullptr;
  Ended connect_ended_ ABSL_GUARDED_BY(monitor_) = Ended::kDone;  // How, if that was by Look().
  bool connect_failed_ ABSL_GUARDED_BY(monitor_) = false;         // It goes on to tell the others.
  std::function<void(GroupRank)> on_lost_peer_ ABSL_GUARDED_BY(monitor_);
  std::vector<GroupRank> unreported_ ABSL_GUARDED_BY(monitor_);  // For on_lost_peer_.
};

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_MESH_H_
