#include "worker/comm/work.h"

#include <utility>

#include "common/base/check.h"

namespace muster {
namespace {

class StateWork final : public Work {
 public:
  explicit StateWork(std::shared_ptr<const WorkState> state) : state_(std::move(state)) {}
  ~StateWork() override { state_->Wait().IgnoreError(); }
  StateWork(const StateWork&) = delete;
  StateWork& operator=(const StateWork&) = delete;

  absl::Status Wait() override { return state_->Wait(); }
  bool IsDone() const override { return state_->IsDone(); }

 private:
  const std::shared_ptr<const WorkState> state_;
};

}  // namespace

void WorkState::Finish(absl::Status outcome) {
  MonitorLock lock(&monitor_);
  MUSTER_CHECK(!outcome_.has_value(), "an operation ended twice");
  outcome_ = std::move(outcome);
  monitor_.NotifyAll();
}

absl::Status WorkState::Wait() const {
  MonitorLock lock(&monitor_);
  while (!outcome_.has_value()) monitor_.Wait();
  return *outcome_;
}

bool WorkState::IsDone() const {
  MonitorLock lock(&monitor_);
  return outcome_.has_value();
}

std::unique_ptr<Work> MakeWork(std::shared_ptr<const WorkState> state) {
  return std::make_unique<StateWork>(std::move(state));
}

std::unique_ptr<Work> MakeDoneWork(absl::Status outcome) {
  auto state = std::make_shared<WorkState>();
  state->Finish(std::move(outcome));
  return MakeWork(std::move(state));
}

}  // namespace muster
