#ifndef MUSTER_COORDINATOR_CORE_MACHINE_H_
#define MUSTER_COORDINATOR_CORE_MACHINE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/time.h"
#include "coordinator/core/effects.h"
#include "coordinator/core/events.h"
#include "coordinator/core/journal_record.h"
#include "coordinator/core/state.h"

namespace muster::coordinator {

// All decisions of the coordinator.
//
//                 enough workers        all prepared        all built       journal answered
//   waiting ---> reserving ---> preparing ------> building ------> committing ------> active
//      ^             (journal)      |                 |                                  |
//      |                            +---- failure ----+                    member lost   |
//      +-- all rolled back -- rolling back <----------+                                  v
//      +---------------------------------- seat filled -------------------------------- ended
//
// Pure: no thread, clock, log, file or socket; the same state, event and time always give the same
// state and effects. The caller carries out the effects in order, with no lock held, and feeds back
// what they lead to. Nothing is published or answered before the journal has answered for it.
//
// Thread safety: none; one thread owns it.
class Machine {
 public:
  // `seed` is the source of job uids; the shell draws it at random, a test fixes it.
  struct Options {
    uint64_t seed = 1;
    absl::Duration tick_interval = absl::Milliseconds(50);
  };

  // Builds the state that `contents` leads to. Gives kDataLoss, naming the record, if the records
  // contradict each other.
  static absl::StatusOr<Machine> Load(const JournalContents& contents, const Options& options,
                                      MonotonicTime now);

  // The first effects of this run: the write that claims the next term. Until it is answered,
  // streams and requests are turned away with kUnavailable.
  std::vector<Effect> Start(MonotonicTime now);

  // `now` never goes back.
  std::vector<Effect> Step(const Event& event, MonotonicTime now);

  const State& state() const { return state_; }

 private:
  explicit Machine(State state) : state_(std::move(state)) {}

  State state_;
};

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_CORE_MACHINE_H_
