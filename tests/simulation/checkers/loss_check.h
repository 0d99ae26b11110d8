#ifndef MUSTER_TESTS_SIMULATION_CHECKERS_LOSS_CHECK_H_
#define MUSTER_TESTS_SIMULATION_CHECKERS_LOSS_CHECK_H_

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "coordinator/core/effects.h"
#include "coordinator/core/events.h"
#include "coordinator/core/state.h"
#include "tests/simulation/verdict.h"

namespace muster::sim {

// Promises about who counts as lost: a reset alone within its grace is no loss, nor is one among
// many within a lease; silence is a loss only after a lease in which the coordinator itself
// listened; a successor takes over only from one that had its time to answer; an exit or a goodbye
// was really seen. Judges by what the coordinator was told, on its own clock.
class LossCheck {
 public:
  explicit LossCheck(Verdict& verdict) : verdict_(verdict) {}

  void OnRunStarted(MonotonicTime now);
  void BeforeStep(const coordinator::Event& event, const coordinator::State& state,
                  MonotonicTime now);
  void AfterStep(const coordinator::Event& event, const coordinator::State& state,
                 MonotonicTime now);
  void OnLost(const coordinator::Note& note, const coordinator::State& state, MonotonicTime now);

 private:
  // What was heard of one process in this run.
  struct Heard {
    std::optional<MonotonicTime> last;      // Any message on a stream that counted.
    std::optional<MonotonicTime> reset_at;  // Of its newest stream, unless it came back.
    bool reset_with_many = false;           // So many streams broke that it gets a lease.
    std::set<Incarnation> reset_by_peers;   // Members whose connection to it broke.
    bool left = false;
    bool exited = false;
    std::optional<MonotonicTime> rival_at;  // When another process said Hello under its name.
  };

  void NameHolder(const Hello& hello, MonotonicTime now);
  void OnReset(Incarnation incarnation, size_t streams, MonotonicTime now);
  void NotePeerResets(const Report& report, const coordinator::Job& job);
  // A holder had its time to answer before a rival took its place.
  bool WasAsked(const coordinator::Job& job, const Heard& heard, MonotonicTime now) const;
  bool IsReset(const coordinator::Job& job, const Heard& heard, MonotonicTime now) const;
  bool IsSilent(const coordinator::Job& job, const Heard& heard, MonotonicTime now) const;
  bool IsJust(const coordinator::Job& job, const coordinator::Worker& worker, const Heard& heard,
              MonotonicTime now) const;

  Verdict& verdict_;
  MonotonicTime began_;            // When this run did.
  MonotonicTime listening_since_;  // End of its last pause.
  std::optional<MonotonicTime> last_tick_;
  std::map<Incarnation, Heard> heard_;
  // Holders of identities that another process claims, before the step of now.
  std::map<std::pair<std::string, WorkerId>, Incarnation> contested_;
  std::deque<MonotonicTime> resets_;  // Of streams, within kMassResetSpan.
  MonotonicTime many_until_;          // Resets until then are among many.
  std::map<std::pair<std::string, WorkerId>, Incarnation> names_;
};

}  // namespace muster::sim

#endif  // MUSTER_TESTS_SIMULATION_CHECKERS_LOSS_CHECK_H_
