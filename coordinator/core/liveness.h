#ifndef MUSTER_COORDINATOR_CORE_LIVENESS_H_
#define MUSTER_COORDINATOR_CORE_LIVENESS_H_

#include <string_view>

#include "coordinator/core/state.h"

// Who is alive. A reset is only a suspicion; a loss needs its supervisor's word, a second signal, a
// grace that ran out, or silence for a lease. The coordinator's own pauses and faults count against
// nobody.
namespace muster::coordinator {

// Resets within this span that are more than this share of all streams are our own fault.
inline constexpr absl::Duration kMassResetSpan = absl::Seconds(1);
inline constexpr size_t kMassResetMin = 3;
inline constexpr size_t kMassResetPercent = 30;

// A gap between two ticks above this many intervals is a pause of ours.
inline constexpr int kMissedTicksMax = 10;

// A worker has a stream again, or for the first time.
void SetConnected(Context& context, Job& job, Worker& worker, ConnectionId connection);

// The stream of `worker` was reset.
void Suspect(Context& context, Job& job, Worker& worker);

// A worker is gone for good or until it says Hello again. Its stream, if any, is closed, and its
// epochs are told. Does nothing if it is lost already. `evidence` is for people, as "signal 9".
void Lose(Context& context, Job& job, Worker& worker, LossCause cause,
          std::string_view evidence = "");

// `reporter` saw connections of the committed epoch reset. A second signal makes a suspicion a
// loss.
void OnPeerResets(Context& context, Job& job, const Worker& reporter);

// Removes the zombies of one process, whose end is proved.
void BuryZombie(Job& job, Incarnation incarnation);

// Everything that becomes due by time: suspicion, silence, zombies; and our own pauses.
void JudgeLiveness(Context& context);

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_CORE_LIVENESS_H_
