#ifndef MUSTER_WORKER_COMM_GLOO_COLLECTIVES_H_
#define MUSTER_WORKER_COMM_GLOO_COLLECTIVES_H_

#include <cstdint>

#include "worker/comm/deadline_source.h"
#include "worker/comm/gloo/breaking.h"
#include "worker/comm/gloo/mesh.h"
#include "worker/comm/operation.h"

namespace muster {

// Slots of the movement of data, from the one it is given.
inline constexpr uint64_t kDataSlots = uint64_t{1} << 23U;

// What is reduced at a time, at most; as much memory is needed beside input and output.
inline constexpr int64_t kReduceSegmentBytes = int64_t{16} << 20U;

// Moves the data of a collective on which all ranks have agreed. Every member deals with every
// other one directly: each part of the data travels once, is reduced by one rank in rank order, and
// whoever holds up the others is known by name. Only what a root gives to all, or what all get of a
// reduction, is dealt out in shares first.
//
// Where a part of 0 bytes would be sent, nothing is.
//
// Blocks until it is over. If it cannot be completed, it breaks the mesh.
Outcome MoveData(Mesh* mesh, uint64_t first_slot, const OperationCall& call,
                 const DeadlineSource& deadline);

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_COLLECTIVES_H_
