#ifndef MUSTER_WORKER_COMM_GLOO_BREAKING_H_
#define MUSTER_WORKER_COMM_GLOO_BREAKING_H_

#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "worker/comm/gloo/mesh.h"
#include "worker/comm/gloo/transfers.h"
#include "worker/comm/group_facts.h"

// What to do, and to say, when something between the members of a group did not end well.
namespace muster {

// How long a member that gives up listens to what the others know. They are told at once, so that
// those who wait for it do not take it for lost.
inline constexpr absl::Duration kFarewellPatience = absl::Milliseconds(100);

// How something between the members ended. Unless it is kDone, the mesh is closed.
struct Outcome {
  Ended ended = Ended::kDone;
  std::set<GroupRank> absent = {};  // Who was waited for in vain.
  Mesh::Findings findings = {};     // What the others said; nothing if `ended` is kStopped.
};

// Breaks the mesh after a failure, which is not kDone, or waits until whoever stopped it has done
// so.
Mesh::Findings BreakAfter(Mesh* mesh, Ended ended);

// Finishes `transfers` over `mesh`, breaking it if they cannot be finished.
Outcome FinishOrBreak(Mesh* mesh, Transfers* transfers);

// Says what is known, of an outcome that is kExpired or kReset. `what` was going on, for `waited`.
absl::Status ExplainFailure(const GroupFacts& facts, std::string_view what, const Outcome& outcome,
                            absl::Duration waited);

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_BREAKING_H_
