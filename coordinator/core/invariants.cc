#include "coordinator/core/invariants.h"

#include <set>

#include "absl/strings/str_cat.h"

namespace muster::coordinator {
namespace {

class Checker {
 public:
  explicit Checker(const State& state) : state_(state) {}

  std::vector<std::string> Check() {
    for (const auto& [uid, job] : state_.jobs) {
      job_ = &job;
      CheckSeats();
      CheckEpochs();
      CheckWorkers();
    }
    CheckConnections();
    Expect(state_.dirty.empty(), "assignments are left to be sent");
    return std::move(violations_);
  }

 private:
  void Expect(bool holds, const std::string& what) {
    if (holds) return;
    violations_.push_back(
        absl::StrCat(job_ == nullptr ? "" : absl::StrCat("job ", job_->spec->name, ": "), what));
  }

  void CheckSeats() {
    std::set<WorkerId> seated;
    for (const WorkerId& seat : job_->seats) {
      if (!seat.empty()) Expect(seated.insert(seat).second, absl::StrCat(seat, " holds two seats"));
    }
  }

  void CheckMembership(const Membership& membership) {
    const auto world = static_cast<size_t>(job_->layout->world_size());
    Expect(membership.members.size() == world, "an epoch's members are not the world");
    Expect(membership.ranks.size() == world, "a worker is twice in an epoch");
  }

  void CheckEpochs() {
    if (job_->committed.has_value()) {
      Expect(job_->committed->epoch <= job_->reserved, "an epoch is committed but not reserved");
      CheckMembership(job_->committed->membership);
    }
    if (!job_->attempt.has_value()) return;
    const Attempt& attempt = *job_->attempt;
    Expect(attempt.epoch == job_->reserved, "the attempt is not the newest epoch reserved");
    Expect(!job_->deleted, "a deleted job attempts an epoch");
    CheckMembership(attempt.membership);
    if (!job_->committed.has_value()) return;
    Expect(job_->committed->epoch < attempt.epoch,
           "an attempt is not newer than what is committed");
    Expect(!job_->committed->lost.empty(), "a healthy epoch is being replaced");
  }

  void CheckWorkers() {
    int32_t connected = 0;
    int32_t live = 0;
    for (const auto& [id, worker] : job_->workers) {
      const bool has_stream = worker.connection.value != 0;
      if (worker.presence == Presence::kConnected) ++connected;
      if (worker.presence != Presence::kLost) ++live;
      Expect(has_stream == (worker.presence == Presence::kConnected),
             absl::StrCat(id, ": stream and presence differ"));
      Expect(worker.loss.has_value() == (worker.presence == Presence::kLost),
             absl::StrCat(id, ": loss and presence differ"));
      Expect(worker.published <= state_.revision, absl::StrCat(id, ": revision of the future"));
      if (has_stream) {
        Expect(state_.connections.contains(worker.connection),
               absl::StrCat(id, ": its stream is unknown"));
      }
    }
    Expect(connected == job_->connected, "connected workers are counted wrong");
    Expect(live == job_->live, "live workers are counted wrong");
  }

  void CheckConnections() {
    job_ = nullptr;
    for (const auto& [connection, owner] : state_.connections) {
      Expect(state_.jobs.contains(owner.job), "a stream belongs to a job that is gone");
    }
    for (const auto& [name, uid] : state_.names) {
      Expect(state_.jobs.contains(uid), absl::StrCat("name ", name, " leads nowhere"));
    }
  }

  const State& state_;
  const Job* job_ = nullptr;
  std::vector<std::string> violations_;
};

}  // namespace

std::vector<std::string> Violations(const State& state) { return Checker(state).Check(); }

}  // namespace muster::coordinator
