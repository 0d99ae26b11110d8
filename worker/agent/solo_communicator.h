#ifndef MUSTER_WORKER_AGENT_SOLO_COMMUNICATOR_H_
#define MUSTER_WORKER_AGENT_SOLO_COMMUNICATOR_H_

#include <memory>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "common/base/monitor.h"
#include "worker/comm/communicator.h"

namespace muster::worker {

// A group of one, on host memory: checks its arguments as any other and copies. Every operation is
// done when its call returns. Send and recv have nobody to talk to and are refused.
class SoloCommunicator final : public Communicator {
 public:
  // `facts` has one member.
  explicit SoloCommunicator(GroupFacts facts) : facts_(std::move(facts)) {}

  const GroupFacts& facts() const override { return facts_; }
  bool Supports(Operation operation, DType dtype) const override;
  bool Supports(ReduceOp op, DType dtype) const override { return IsReducible(dtype, op); }
  std::unique_ptr<Work> Start(OperationCall call, absl::Duration timeout) override;
  void Abort(absl::Status why) override;

 private:
  const GroupFacts facts_;
  Monitor monitor_;
  std::optional<absl::Status> aborted_ ABSL_GUARDED_BY(monitor_);
};

}  // namespace muster::worker

#endif  // MUSTER_WORKER_AGENT_SOLO_COMMUNICATOR_H_
