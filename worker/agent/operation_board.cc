#include "worker/agent/operation_board.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/clock_reading.h"
#include "common/base/error_detail.h"
#include "common/base/string_view.h"

namespace muster::worker {
namespace {

// How late the control thread may answer before it counts as gone.
constexpr absl::Duration kAnswerLag = absl::Seconds(2);
constexpr absl::Duration kVerdictMax = absl::Milliseconds(250);

ErrorKind KindOf(const absl::Status& status) {
  const std::optional<ErrorDetail> detail = DetailOf(status);
  return detail.has_value() ? detail->kind : ErrorKind::kUnknown;
}

// Tells whether `status` may come from the loss of a member that the coordinator has not named yet:
// of a connection, in this operation or in one before it.
bool MayBeLoss(const absl::Status& status) {
  const ErrorKind kind = KindOf(status);
  return kind == ErrorKind::kGroupBroken ||
         (absl::IsUnavailable(status) && kind != ErrorKind::kMemberLost);
}

}  // namespace

std::string ToText(const UserOperation& name) {
  const std::string verb(muster::OperationName(name.operation));
  if (!name.peer.has_value()) {
    return absl::StrCat(verb, " #", name.sequence, " on ", *name.group);
  }
  return absl::StrCat(verb, name.operation == Operation::kSend ? " to" : " from", " group rank ",
                      name.peer->value, " on ", *name.group);
}

// An operation with its name on the board.
class WatchedWork final : public Work {
 public:
  WatchedWork(std::shared_ptr<OperationBoard> board, UserOperation name, Epoch epoch,
              absl::Duration timeout, std::shared_ptr<FlightRing> ring, std::unique_ptr<Work> inner)
      : board_(std::move(board)),
        what_(name),
        epoch_(epoch),
        deadline_(ReadMonotonicClock() + timeout),
        ring_(std::move(ring)),
        inner_(std::move(inner)),
        id_(board_->Enter(std::move(name), inner_.get())) {}

  ~WatchedWork() override {
    Note(inner_->Wait());  // Which the destructor of `inner_` would do anyway.
    board_->Leave(id_);
  }

  absl::Status Wait() override {
    {
      MonitorLock lock(&monitor_);
      if (outcome_.has_value()) return *outcome_;
    }
    absl::Status status = inner_->Wait();
    Note(status);
    if (MayBeLoss(status)) {
      status = board_->AskForVerdict(id_, epoch_, ToText(what_), status,
                                     deadline_ - ReadMonotonicClock());
    }
    MonitorLock lock(&monitor_);
    if (!outcome_.has_value()) outcome_ = std::move(status);
    return *outcome_;
  }

  bool IsDone() const override { return inner_->IsDone(); }

 private:
  void Note(const absl::Status& outcome) {
    if (what_.sequence != 0) ring_->End(what_.sequence, outcome);
  }

  const std::shared_ptr<OperationBoard> board_;
  const UserOperation what_;
  const Epoch epoch_;
  const MonotonicTime deadline_;
  const std::shared_ptr<FlightRing> ring_;
  const std::unique_ptr<Work> inner_;
  const OperationId id_;
  Monitor monitor_;
  std::optional<absl::Status> outcome_ ABSL_GUARDED_BY(monitor_);
};

std::unique_ptr<Work> OperationBoard::Watch(std::shared_ptr<OperationBoard> board,
                                            UserOperation name, Epoch epoch, absl::Duration timeout,
                                            std::shared_ptr<FlightRing> ring,
                                            std::unique_ptr<Work> inner) {
  return std::make_unique<WatchedWork>(std::move(board), std::move(name), epoch, timeout,
                                       std::move(ring), std::move(inner));
}

std::string OperationBoard::Doing() const {
  MonitorLock lock(&monitor_);
  for (const auto& [id, running] : running_) {
    if (!running.inner->IsDone()) return ToText(running.name);
  }
  return "";
}

void OperationBoard::End(OperationId operation, const absl::Status& status) {
  MonitorLock lock(&monitor_);
  const auto it = verdicts_.find(operation);
  if (it == verdicts_.end()) return;
  it->second = status;
  monitor_.NotifyAll();
}

OperationId OperationBoard::Enter(UserOperation name, const Work* inner) {
  MonitorLock lock(&monitor_);
  const OperationId id(++last_);
  running_.emplace(id, Running{std::move(name), inner});
  return id;
}

void OperationBoard::Leave(OperationId operation) {
  MonitorLock lock(&monitor_);
  running_.erase(operation);
}

absl::Status OperationBoard::AskForVerdict(OperationId operation, Epoch epoch,
                                           const std::string& what, const absl::Status& raw,
                                           absl::Duration patience) {
  patience = std::max(patience, absl::ZeroDuration());
  const MonotonicTime give_up = ReadMonotonicClock() + std::min(patience, kVerdictMax) + kAnswerLag;
  const std::optional<ErrorDetail> detail = DetailOf(raw);
  std::optional<GlobalRank> suspect;
  if (detail.has_value() && !detail->ranks.empty()) suspect = detail->ranks.front();
  {
    MonitorLock lock(&monitor_);
    verdicts_.try_emplace(operation);
  }
  post_(OperationFailed{operation, epoch, suspect, what, patience});

  MonitorLock lock(&monitor_);
  bool in_time = true;
  while (!verdicts_[operation].has_value() && in_time) in_time = monitor_.WaitUntil(give_up);
  const std::optional<absl::Status> verdict = verdicts_[operation];
  verdicts_.erase(operation);
  if (!verdict.has_value()) return raw;
  // Unconfirmed: what was seen here says as much, and of a broken group more.
  return KindOf(*verdict) == ErrorKind::kMemberSuspect && KindOf(raw) == ErrorKind::kGroupBroken
             ? raw
             : *verdict;
}

}  // namespace muster::worker
