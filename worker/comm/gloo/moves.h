#ifndef MUSTER_WORKER_COMM_GLOO_MOVES_H_
#define MUSTER_WORKER_COMM_GLOO_MOVES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/ids.h"
#include "worker/comm/gloo/counts.h"
#include "worker/comm/operation.h"

namespace muster {

// One rank's part of an operation that moves elements and changes none: what it gives to each rank
// and where it puts what each rank gives to it, itself included. Empty where nothing moves.
struct Moves {
  std::vector<std::span<const std::byte>> sends;  // By receiver.
  std::vector<std::span<std::byte>> recvs;        // By sender.
  std::vector<size_t> offsets;                    // Of what it gives, in the input of each sender.
};

// The part of `self` of `call`, whose arguments are right, in a group of `size`: of all_gather(v),
// gather, scatter, broadcast and all_to_all(v). `all_sends` are the counts of all_to_allv of every
// rank, and only count for the offsets; without them there are none.
Moves PlanMoves(const OperationCall& call, GroupRank self, int32_t size,
                const CountsByRank& all_sends);

// Moves what `self` gives to itself. Input and output may be the same there.
void MoveOwn(const Moves& moves, GroupRank self);

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_MOVES_H_
