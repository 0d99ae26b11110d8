#include "tests/simulation/user.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/session/deadlines.h"
#include "tests/simulation/world.h"

namespace muster::sim {

User::User(World& world, ProcessId process)
    : world_(world),
      process_(process),
      random_(world.plan.seed * 2000 + static_cast<uint64_t>(process)) {}

void User::OnActivate(Epoch epoch, const EpochResources& resources) {
  if (operation_.has_value()) BreakWaiter("another epoch is active");
  ++turn_;
  epoch_ = epoch;
  job_ = resources.job;
  rank_ = resources.rank;
  groups_ = resources.groups;
  gates_open_ = true;
  gave_up_ = false;
  sequence_ = 0;
  CallSoon();
}

void User::OnEpochOver(Epoch epoch, const absl::Status& status) {
  if (epoch != epoch_) return;
  ++turn_;
  epoch_ = Epoch();
  // One that waits for a verdict has left its group: only the agent can wake it.
  if (operation_.has_value() && !operation_->asked) End(status);
}

void User::OnGates(Epoch epoch, bool open) {
  if (epoch == epoch_) gates_open_ = open;
}

void User::OnEndOperation(const worker::EndOperation& effect) {
  if (!operation_.has_value() || operation_->id != effect.operation) return;
  gave_up_ = true;
  End(effect.status);
}

void User::OnFinish() {
  if (operation_.has_value() && operation_->asked) BreakWaiter("the agent finished");
}

void User::BreakWaiter(const char* when) {
  world_.verdict.Break(
      "every waiter is woken",
      absl::StrCat(world_.processes.NameOf(process_), " has an operation that waits while ", when));
}

// All members go through the same sequence of operations. A rank that is in fewer groups than
// others finds its own by the kind, which all of them share.
void User::CallNext() {
  if (epoch_.value == 0 || operation_.has_value() || gave_up_ || groups_.empty()) return;
  if (!gates_open_) return CallSoon();
  const size_t turn = static_cast<size_t>(sequence_) % groups_.size();
  Operation operation;
  operation.id = worker::OperationId(++last_operation_);
  operation.group = groups_[turn];
  const Micros patience = world_.plan.shell.deadline.Draw(random_);
  operation.deadline = world_.queue.now() + patience;
  operation_ = operation;

  const GroupKey key{job_, epoch_, operation.group.id};
  const int64_t sequence = sequence_ / std::ssize(groups_);
  ++sequence_;
  if (random_.Chance(world_.plan.shell.doing_percent)) {
    Tell(absl::StrCat("all_reduce #", sequence, " on kind ", operation.group.id.kind));
  }
  const worker::OperationId id = operation.id;
  world_.queue.At(operation.deadline,
                  [this, id] { world_.processes.Run(process_, [this, id] { OnDeadline(id); }); });
  world_.board.Call(key, sequence, operation.group.size, process_, id);
}

void User::CallSoon() {
  const uint64_t turn = turn_;
  world_.queue.After(world_.plan.shell.think.Draw(random_), [this, turn] {
    world_.processes.Run(process_, [this, turn] {
      if (turn == turn_) CallNext();
    });
  });
}

void User::End(const absl::Status& status) {
  if (!operation_.has_value()) return;
  operation_.reset();
  ++world_.tally.operations;
  if (!status.ok()) ++world_.tally.operations_failed;
  if (told_) {
    world_.queue.After(1, [this] { world_.processes.Run(process_, [this] { Tell(""); }); });
  }
  if (epoch_.value != 0 && !gave_up_) CallSoon();
}

void User::Tell(const std::string& doing) {
  told_ = !doing.empty();
  world_.processes.Feed(process_, worker::DoingChanged{doing});
}

void User::OnDone(worker::OperationId operation) {
  if (operation_.has_value() && operation_->id == operation) End(absl::OkStatus());
}

void User::OnDeadline(worker::OperationId operation) {
  if (!operation_.has_value() || operation_->id != operation) return;
  gave_up_ = true;
  // One that waits for a verdict is the agent's to end; ExpectVerdict() sees to that.
  if (!operation_->asked) End(absl::DeadlineExceededError("not all members called"));
}

void User::OnTransportError(JobUid job, Epoch epoch, GlobalRank peer) {
  if (epoch != epoch_ || job != job_) return;
  const bool hit = operation_.has_value() && !operation_->asked &&
                   world_.processes.HasMember(process_, operation_->group.id, peer);
  if (hit) {
    Operation& operation = *operation_;
    operation.asked = true;
    const Micros left = std::max<Micros>(operation.deadline - world_.queue.now(), 0);
    const absl::Duration patience = absl::Microseconds(left);
    operation.allowed = std::min(patience, Deadlines().verdict) + world_.plan.shell.tick * 4;
    ExpectVerdict(operation.id, world_.queue.now());
    world_.processes.Feed(
        process_, worker::OperationFailed{
                      operation.id, epoch, peer,
                      absl::StrCat("all_reduce on kind ", operation.group.id.kind), patience});
  }
  world_.processes.Feed(process_, worker::PeerReset{epoch, peer});
}

// Looks whether the verdict came; a process that stood still is given its time anew.
void User::ExpectVerdict(worker::OperationId operation, Micros from) {
  const Micros due = from + world_.processes.ClockOf(process_).TrueSpan(operation_->allowed);
  operation_->asked_at = from;
  world_.queue.At(due, [this, operation] {
    world_.processes.Run(process_, [this, operation] {
      if (!operation_.has_value() || operation_->id != operation) return;
      const Micros resumed = world_.processes.ResumedAt(process_);
      if (resumed > operation_->asked_at) return ExpectVerdict(operation, resumed);
      world_.verdict.Break(
          "every waiter is woken",
          absl::StrCat(world_.processes.NameOf(process_), ": an operation of epoch ", epoch_.value,
                       " waited longer for its verdict than it may"));
    });
  });
}

}  // namespace muster::sim
