#ifndef MUSTER_WORKER_AGENT_HOST_FACTS_H_
#define MUSTER_WORKER_AGENT_HOST_FACTS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "common/session/session.h"

namespace muster::worker {

// What the system says about this machine and this process.
//
// The host id is `configured` unless that is empty; then "<boot id>/<inode of the IPC namespace>":
// processes that could share memory have the same one. What the system does not tell stays empty;
// without a boot id the hostname takes its place.
HostFacts ReadHostFacts(const std::string& configured);

// When the process `pid` of this pid namespace started, in clock ticks since boot. Nothing if it
// does not run; one that has ended and waits for its parent does not run.
std::optional<int64_t> ReadProcessStart(int64_t pid);

// Tells whether the process that `probe` names runs no more, in this pid namespace.
bool IsGone(const ProcessProbe& probe);

}  // namespace muster::worker

#endif  // MUSTER_WORKER_AGENT_HOST_FACTS_H_
