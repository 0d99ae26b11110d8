#include "worker/ops/tensor_work.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/base/status_macros.h"

namespace muster {

class TensorWork::State {
 public:
  explicit State(Parts parts) : works_(std::move(parts.works)), parts_(std::move(parts)) {}
  ~State() { Wait().IgnoreError(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  absl::Status Wait() {
    absl::Status status;
    for (const std::unique_ptr<Work>& work : works_) status.Update(work->Wait());
    MonitorLock lock(&monitor_);
    if (!finished_) {
      if (status.ok()) {
        for (const PendingUnpack& unpack : parts_.unpacks) {
          Unpack(unpack.packed.get(), unpack.pieces);
        }
      }
      finished_ = true;
      parts_.unpacks.clear();
      parts_.held.clear();
    }
    return status;
  }

  bool IsDone() const {
    return std::all_of(works_.begin(), works_.end(),
                       [](const std::unique_ptr<Work>& work) { return work->IsDone(); });
  }

  std::vector<Tensor> results() {
    MonitorLock lock(&monitor_);
    return parts_.results;
  }

 private:
  const std::vector<std::unique_ptr<Work>> works_;
  Monitor monitor_;
  bool finished_ ABSL_GUARDED_BY(monitor_) = false;
  Parts parts_ ABSL_GUARDED_BY(monitor_);
};

TensorWork::TensorWork(Parts parts) : state_(std::make_shared<State>(std::move(parts))) {}

absl::Status TensorWork::Wait() const { return state_->Wait(); }

bool TensorWork::IsDone() const { return state_->IsDone(); }

absl::StatusOr<Tensor> TensorWork::Result() const {
  MUSTER_RETURN_IF_ERROR(Wait());
  const std::vector<Tensor> results = state_->results();
  return results.empty() ? Tensor() : results.front();
}

absl::StatusOr<std::vector<Tensor>> TensorWork::Results() const {
  MUSTER_RETURN_IF_ERROR(Wait());
  return state_->results();
}

absl::Status WaitForAll(const std::vector<TensorWork>& works) {
  absl::Status status;
  for (const TensorWork& work : works) status.Update(work.Wait());
  return status;
}

}  // namespace muster
