#ifndef MUSTER_WORKER_COMM_GLOO_GROUP_BUILDER_H_
#define MUSTER_WORKER_COMM_GLOO_GROUP_BUILDER_H_

#include <map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/clock.h"
#include "common/session/session.h"
#include "worker/comm/backend.h"
#include "worker/comm/gloo/address.h"
#include "worker/comm/gloo/mesh.h"
#include "worker/comm/group_facts.h"

// How the connections of one group are made and proved.
namespace muster {

// Who will be in `group` of `plan`, this process and `peers`.
//
// kInvalidArgument if `peers` are not exactly the other members in the order of their group ranks.
absl::StatusOr<GroupFacts> MakeFacts(const EpochPlan& plan, const NamedGroup& group,
                                     const std::vector<Peer>& peers);

// Where the peers are to be reached. kInvalidArgument, naming the peer, if it offers no address or
// one of another family than the mesh listens on.
absl::StatusOr<std::map<GroupRank, SocketAddress>> AddressesOf(const GroupFacts& facts,
                                                               const std::vector<Peer>& peers,
                                                               bool ipv6);

// Connects `mesh` to all peers, and proves to each other who is at the ends of every connection and
// that all members know the same members in the same order and have the same `checks`.
//
// Blocks until `deadline` at most. On an error the mesh is closed. Errors: see
// EpochEndpoints::Build(); kAborted if the mesh was closed from elsewhere.
absl::Status ConnectAndProve(Mesh* mesh, const GroupFacts& facts,
                             const std::map<GroupRank, SocketAddress>& addresses, CallChecks checks,
                             MonotonicTime deadline, const Clock& clock);

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_GROUP_BUILDER_H_
