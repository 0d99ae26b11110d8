#ifndef MUSTER_WORKER_AGENT_EPOCH_BUILDER_H_
#define MUSTER_WORKER_AGENT_EPOCH_BUILDER_H_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "common/base/monitor.h"
#include "worker/agent/event_sink.h"
#include "worker/agent/live_epoch.h"
#include "worker/comm/backend.h"
#include "worker/core/effects.h"

namespace muster::worker {

// Opens, builds and frees what epochs have, one thing at a time and in the order of the calls, on a
// thread of its own. Answers by EndpointsOpened, GroupBuilt, BuildFailed, GroupFreed and
// EndpointsClosed.
//
// Lifetime: the destructor wakes what builds, frees everything that is left and ends the thread.
// All that is local; it waits for no peer.
//
// Thread safety: one thread at a time. Nothing blocks but the destructor.
class EpochBuilder {
 public:
  // `backend` outlives the builder.
  EpochBuilder(Backend* backend, EventSink post);
  ~EpochBuilder();
  EpochBuilder(const EpochBuilder&) = delete;
  EpochBuilder& operator=(const EpochBuilder&) = delete;

  // `live` is where the communicators go; those of `effect.groups` are made.
  void Open(const OpenEndpoints& effect, std::shared_ptr<LiveEpoch> live);
  void Build(const BuildGroup& effect);
  // Acts at once, beside what the thread does.
  void Abort(const AbortEpoch& effect);
  void Free(const FreeGroup& effect);
  void Close(const CloseEndpoints& effect);

 private:
  // What one epoch has.
  struct Held {
    std::shared_ptr<LiveEpoch> live;
    std::shared_ptr<EpochEndpoints> endpoints;  // Null before they are open.
    std::vector<GroupMembership> groups;        // In the order of building.
    size_t built = 0;
    std::optional<absl::Status> aborted;
  };

  void Post(std::function<void()> task);
  void RunThread();

  void DoOpen(Epoch epoch, EpochPlan plan);
  void DoBuild(const BuildGroup& effect);
  void DoFree(const FreeGroup& effect);
  void DoClose(Epoch epoch);
  void Fail(Epoch epoch, std::optional<GroupId> group, const absl::Status& status);

  // A copy; empty if the epoch is not held.
  Held Find(Epoch epoch);

  Backend* const backend_;
  const EventSink post_;
  Monitor monitor_;
  std::deque<std::function<void()>> tasks_ ABSL_GUARDED_BY(monitor_);
  std::map<Epoch, Held> held_ ABSL_GUARDED_BY(monitor_);
  bool stopping_ ABSL_GUARDED_BY(monitor_) = false;
  std::thread thread_;
};

}  // namespace muster::worker

#endif  // MUSTER_WORKER_AGENT_EPOCH_BUILDER_H_
