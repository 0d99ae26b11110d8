#ifndef MUSTER_WORKER_AGENT_AGENT_RUNNER_H_
#define MUSTER_WORKER_AGENT_AGENT_RUNNER_H_

#include <grpcpp/channel.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "common/base/clock.h"
#include "common/base/monitor.h"
#include "worker/agent/epoch_builder.h"
#include "worker/agent/event_sink.h"
#include "worker/agent/operation_board.h"
#include "worker/agent/registry.h"
#include "worker/agent/session_client.h"
#include "worker/comm/backend.h"
#include "worker/core/agent.h"

namespace muster::worker {

class AgentMailbox;

// The agent of one worker at work: owns the machine and the control thread that moves it, and
// carries out what the machine wants.
//
// The control thread never waits for a user, a peer or the coordinator: builds and frees have a
// thread of their own, the stream is written to without blocking.
//
// Lifetime: runs from the constructor to Stop() or the destructor. What is held by then is freed
// without a farewell; to leave well, call RequestLeave() and wait until the registry is empty.
//
// Thread safety: RequestLeave() and registry() from any thread; Stop() from one.
class AgentRunner {
 public:
  // `backend` and `clock` outlive the runner. `diagnosis` as SessionClient says.
  AgentRunner(const Agent::Options& options, std::shared_ptr<grpc::Channel> channel,
              SessionClient::Diagnosis diagnosis, Backend* backend, Clock* clock);
  ~AgentRunner();
  AgentRunner(const AgentRunner&) = delete;
  AgentRunner& operator=(const AgentRunner&) = delete;

  Registry& registry() { return registry_; }
  const Registry& registry() const { return registry_; }

  // Asks the agent to free everything and to say goodbye.
  void RequestLeave();

  // Ends the control thread, the stream and the builds. Takes at most two seconds.
  void Stop();

  // Why the stream ended last; empty if none ever did. For messages.
  std::string last_stream_error() const;

 private:
  struct Carrier;

  void Run();
  // Moves the machine and carries out the effects.
  void Step(const Event& event);
  void CarryOut(std::vector<Effect> effects);
  // Tells the machine what users do, if that changed.
  void NoteDoing();
  // Tells it what its groups did, while the coordinator wants to know or one is in trouble.
  void NoteTraces();
  void NoteStreamClosed(const StreamClosed& event);
  absl::Duration TickInterval() const;
  absl::Status StatusForWaiters(const Finish& effect) const;

  Clock* const clock_;
  const std::shared_ptr<AgentMailbox> mailbox_;
  const EventSink post_;
  Registry registry_;
  Agent agent_;               // Of the control thread.
  std::string doing_;         // The same.
  bool told_traces_ = false;  // The machine has some.
  std::unique_ptr<SessionClient> session_;
  std::unique_ptr<EpochBuilder> builder_;
  mutable Monitor monitor_;
  std::string last_stream_error_ ABSL_GUARDED_BY(monitor_);
  std::thread thread_;
};

}  // namespace muster::worker

#endif  // MUSTER_WORKER_AGENT_AGENT_RUNNER_H_
