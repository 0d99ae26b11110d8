#include "worker/agent/registry.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"

namespace muster::worker {
namespace {

absl::Status NoEpochError(Epoch after) {
  ErrorDetail detail;
  detail.kind = ErrorKind::kDeadlineExceeded;
  detail.epoch = after;
  detail.remedy = "Ask `muster why` what the job waits for.";
  return MakeError(
      absl::StatusCode::kDeadlineExceeded,
      absl::StrCat("no epoch after ", after.value, " became active in time. ", detail.remedy),
      detail);
}

}  // namespace

std::shared_ptr<LiveEpoch> Registry::Add(LiveEpoch::Info info, Layout layout) {
  const Epoch epoch = info.epoch;
  auto live = std::make_shared<LiveEpoch>(std::move(info), std::move(layout), active_, board_);
  MonitorLock lock(&monitor_);
  epochs_[epoch] = live;
  return live;
}

std::shared_ptr<LiveEpoch> Registry::Find(Epoch epoch) const {
  MonitorLock lock(&monitor_);
  const auto it = epochs_.find(epoch);
  return it == epochs_.end() ? nullptr : it->second;
}

void Registry::Activate(Epoch epoch) {
  const std::shared_ptr<LiveEpoch> live = Find(epoch);
  if (live == nullptr) return;
  live->gate().Open();
  active_->store(epoch.value);
  MonitorLock lock(&monitor_);
  current_ = live;
  doubt_.reset();
  monitor_.NotifyAll();
}

void Registry::End(Epoch epoch, const absl::Status& why) {
  const std::shared_ptr<LiveEpoch> live = Find(epoch);
  if (live != nullptr) live->End(why);
}

void Registry::CloseGates(Epoch epoch, const absl::Status& why) {
  const std::shared_ptr<LiveEpoch> live = Find(epoch);
  if (live != nullptr) live->gate().Close(why);
  if (epoch.value <= active_->load()) return;
  MonitorLock lock(&monitor_);
  doubt_ = why;
}

void Registry::OpenGates(Epoch epoch) {
  const std::shared_ptr<LiveEpoch> live = Find(epoch);
  if (live != nullptr) live->gate().Open();
}

void Registry::Forget(Epoch epoch) {
  MonitorLock lock(&monitor_);
  epochs_.erase(epoch);
}

void Registry::Finish(Finished finished) {
  MonitorLock lock(&monitor_);
  finished_ = std::move(finished);
  monitor_.NotifyAll();
}

void Registry::SetEmpty() {
  MonitorLock lock(&monitor_);
  empty_ = true;
  monitor_.NotifyAll();
}

absl::StatusOr<std::shared_ptr<LiveEpoch>> Registry::WaitForEpochAfter(Epoch after,
                                                                       MonotonicTime deadline) {
  MonitorLock lock(&monitor_);
  bool in_time = true;
  while (true) {
    if (finished_.has_value()) return finished_->status;
    if (current_ != nullptr && current_->info().epoch > after) return current_;
    if (!in_time) break;
    in_time = monitor_.WaitUntil(deadline);
  }
  return doubt_.has_value() ? *doubt_ : NoEpochError(after);
}

bool Registry::WaitUntilEmpty(MonotonicTime deadline) {
  MonitorLock lock(&monitor_);
  bool in_time = true;
  while (!empty_ && in_time) in_time = monitor_.WaitUntil(deadline);
  return empty_;
}

std::optional<Finished> Registry::finished() const {
  MonitorLock lock(&monitor_);
  return finished_;
}

}  // namespace muster::worker
