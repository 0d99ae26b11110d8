#ifndef MUSTER_WORKER_COMM_GLOO_COLLECTIVES_H_
#define MUSTER_WORKER_COMM_GLOO_COLLECTIVES_H_

#include <cstdint>

#include "worker/comm/buffer.h"
#include "worker/comm/deadline_source.h"
#include "worker/comm/gloo/breaking.h"
#include "worker/comm/gloo/mesh.h"
#include "worker/comm/reduction.h"

// The movement of data in collectives, for calls on which all ranks have agreed. Every member deals
// with every other one directly: each part of the data travels once, is reduced by one rank in rank
// order, and whoever holds up the others is known by name.
//
// All take slots from `first_slot` on, at most kDataSlots, and block until they are over. If one
// cannot be completed, it breaks the mesh.
namespace muster {

inline constexpr uint64_t kDataSlots = uint64_t{1} << 23U;

// What is reduced at a time, at most; as much memory is needed beside input and output.
inline constexpr int64_t kReduceSegmentBytes = int64_t{16} << 20U;

Outcome AllReduceData(Mesh* mesh, uint64_t first_slot, ConstBuffer input, Buffer output,
                      ReduceOp op, const DeadlineSource& deadline);

Outcome AllGatherData(Mesh* mesh, uint64_t first_slot, ConstBuffer input, Buffer output,
                      const DeadlineSource& deadline);

Outcome BroadcastData(Mesh* mesh, uint64_t first_slot, Buffer buffer, GroupRank root,
                      const DeadlineSource& deadline);

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_COLLECTIVES_H_
