#ifndef MUSTER_WORKER_MUSTER_MEMBER_H_
#define MUSTER_WORKER_MUSTER_MEMBER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "common/base/clock.h"
#include "common/base/monitor.h"
#include "worker/agent/agent_runner.h"
#include "worker/agent/live_epoch.h"
#include "worker/comm/gloo/gloo_backend.h"
#include "worker/muster/context.h"

namespace muster {

// A Context with everything that it stands on: clock, backend and agent.
class Member final : public Context {
 public:
  // `diagnosis` as worker::SessionClient says.
  Member(const worker::AgentOptions& options, std::shared_ptr<grpc::Channel> channel,
         worker::SessionClient::Diagnosis diagnosis, GlooOptions gloo);
  ~Member() override;

  // Blocks until the first epoch is active; errors as of Join(). Nothing else but the destructor
  // may be called before it succeeds.
  absl::Status WaitForFirstEpoch(absl::Duration within);

  // As of AgentRunner.
  std::string last_stream_error() const { return runner_.last_stream_error(); }

  const std::string& job() const override { return options_.job; }
  const WorkerId& worker() const override { return options_.worker; }
  Incarnation incarnation() const override { return options_.incarnation; }
  const HostFacts& host() const override { return options_.host; }
  const DeviceFacts& device() const override { return options_.device; }
  Epoch epoch() const override { return current()->info().epoch; }
  GlobalRank rank() const override { return current()->info().rank; }
  int32_t world_size() const override { return current()->layout().world_size(); }
  Layout layout() const override { return current()->layout(); }
  absl::Status state() const override;
  absl::StatusOr<std::shared_ptr<GroupHandle>> Group(std::string_view name) override;
  std::vector<std::shared_ptr<GroupHandle>> Groups() override;
  absl::Status Recover(absl::Duration within) override;
  void Leave() override;
  int exit_code() const override;

 private:
  std::shared_ptr<worker::LiveEpoch> current() const;
  absl::Status MoveToEpochAfter(Epoch epoch, absl::Duration within);

  const worker::AgentOptions options_;
  // In the order in which they must outlive each other.
  RealClock clock_;
  GlooBackend backend_;
  worker::AgentRunner runner_;
  mutable Monitor monitor_;
  std::shared_ptr<worker::LiveEpoch> current_ ABSL_GUARDED_BY(monitor_);
};

}  // namespace muster

#endif  // MUSTER_WORKER_MUSTER_MEMBER_H_
