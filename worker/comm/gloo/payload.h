#ifndef MUSTER_WORKER_COMM_GLOO_PAYLOAD_H_
#define MUSTER_WORKER_COMM_GLOO_PAYLOAD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "worker/comm/gloo/counts.h"
#include "worker/comm/gloo/wire.h"
#include "worker/comm/operation.h"

// Data that rides beside the headers of a collective, so that a small one is a single exchange.
namespace muster {

// Tells whether the data of every rank rides, for a call whose arguments are right. Ranks that made
// the same call agree on it. Not known before the exchange for all_to_allv, which gives false.
bool RidesInline(const OperationCall& call, int32_t size);

// The data that `self` has to give; nothing if it does not ride.
std::string PayloadOf(const OperationCall& call, GroupRank self, int32_t size);

// Carries out a call whose data rode along with `records`, which are by rank. `sends` are the
// counts of all_to_allv of every rank. Gives false, having done nothing, if what came is not what a
// member of this version sends.
bool FinishInline(const OperationCall& call, GroupRank self, const std::vector<Record>& records,
                  const CountsByRank& sends);

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_PAYLOAD_H_
