#ifndef MUSTER_WORKER_COMM_GLOO_TRANSFERS_H_
#define MUSTER_WORKER_COMM_GLOO_TRANSFERS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "gloo/transport/unbound_buffer.h"
#include "worker/comm/deadline_source.h"
#include "worker/comm/gloo/mesh.h"

namespace muster {

// Messages on their way from and to several peers at once.
//
// The memory of a message may be used again when the transfers are over: after Finish() gave kDone,
// or when the object is destroyed, which closes the mesh if they are not done.
//
// Thread safety: one thread.
class Transfers {
 public:
  // Both outlive it.
  Transfers(Mesh* mesh, const DeadlineSource* deadline) : mesh_(mesh), deadline_(deadline) {}
  ~Transfers();
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  // Start a message. One of 0 bytes is none: both sides must agree that there is nothing.
  void Send(GroupRank to, uint64_t slot, const void* data, size_t bytes);
  void Recv(GroupRank from, uint64_t slot, void* data, size_t bytes);

  // Waits until all messages are done, or one cannot be.
  Ended Finish();

  // Waits for the messages from `from` only.
  Ended FinishFrom(GroupRank from);

  // The peers from whom something has not come or, if all has, who have not taken what was sent.
  // Only after the mesh was closed.
  std::set<GroupRank> Unfinished();

 private:
  enum class Direction { kSend, kRecv };

  struct Message {
    GroupRank peer;
    Direction direction;
    std::unique_ptr<gloo::transport::UnboundBuffer> buffer;
    bool done = false;
  };

  Ended Await(Message* message);
  static bool IsDone(const Message& message);

  Mesh* const mesh_;
  const DeadlineSource* const deadline_;
  std::vector<Message> messages_;
  bool lost_ = false;  // A message could not even be started.
};

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_TRANSFERS_H_
