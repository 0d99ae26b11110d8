#ifndef MUSTER_TESTS_SIMULATION_ADMIN_H_
#define MUSTER_TESTS_SIMULATION_ADMIN_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "coordinator/core/effects.h"
#include "coordinator/core/events.h"
#include "tests/simulation/sim_time.h"

namespace muster::sim {

struct World;

// The people and programs that create and delete jobs. Each request is tried again, under the same
// id, until it has a final answer; now and then it is sent twice or once more after that.
//
// Holds the coordinator to its promises about answers: one for each call, and the same one for the
// same request id.
class Admin {
 public:
  explicit Admin(World& world);

  // Creates every job of the plan at its time.
  void ScheduleFirst();

  // Deletes a job if it is there; later it is created again. False if it is not there.
  bool Delete(size_t job);

  // From now on deleted jobs stay deleted.
  void StopCreating() { creating_ = false; }
  void BecomeReliable() { reliable_ = true; }

  void OnReply(const coordinator::Reply& reply);
  void OnCoordinatorEnd();
  void OnWiped();

  bool IsPresent(size_t job) const { return presence_[job] == Presence::kPresent; }
  // No request waits for its final answer, and no call for any.
  bool IsIdle() const;

 private:
  enum class Presence { kAbsent, kComing, kPresent, kGoing };
  enum class Kind { kApply, kDelete, kInvalid };
  struct Result {
    absl::StatusCode code = absl::StatusCode::kOk;
    JobUid job;
    Generation generation;

    friend bool operator==(const Result&, const Result&) = default;
  };
  struct Request {
    Kind kind = Kind::kApply;
    size_t job = 0;
    std::string id;
    uint64_t tries = 0;
    bool forgotten = false;  // The journal that knew it is gone.
    std::optional<Result> result;
  };
  struct Call {
    size_t request = 0;
    bool answered = false;
  };

  void Submit(Kind kind, size_t job);
  void Send(size_t request);
  void SendLater(size_t request);
  void CreateLater(size_t job);
  void Finish(size_t request, const Result& result);
  static bool IsFinal(Kind kind, absl::StatusCode code);
  coordinator::Event EventOf(const Request& request, coordinator::CallId call) const;

  World& world_;
  Random random_;
  bool creating_ = true;
  bool reliable_ = false;
  uint64_t last_call_ = 0;
  std::vector<Presence> presence_;  // By place in Plan::jobs.
  std::vector<Request> requests_;
  std::map<coordinator::CallId, Call> calls_;  // That reached the coordinator's run of now.
};

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_ADMIN_H_
