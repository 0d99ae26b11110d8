#ifndef MUSTER_WORKER_COMM_GLOO_EXCHANGE_H_
#define MUSTER_WORKER_COMM_GLOO_EXCHANGE_H_

#include <cstdint>
#include <vector>

#include "worker/comm/deadline_source.h"
#include "worker/comm/gloo/breaking.h"
#include "worker/comm/gloo/mesh.h"
#include "worker/comm/gloo/wire.h"

namespace muster {

// In a round of an exchange each rank sends to this many others at most, less one. Groups up to
// this size exchange in one round, and then know exactly who has not come; larger ones take the
// logarithm to this base, and may take a rank that waits for an absent one for absent too.
inline constexpr int32_t kExchangeRadix = 8;

// Slots that an exchange uses, from the one it is given.
inline constexpr uint64_t kExchangeSlots = 8;

// What an exchange gave: the records, by rank, if it ended with kDone.
struct Exchanged {
  Outcome outcome;
  std::vector<Record> records;
};

// Gives every rank the record of every rank: a dissemination, in which all ranks take part with the
// same `first_slot`. It is the same whatever the records say, and no message is longer than the
// room made for it, so that ranks whose calls do not fit together find out here, before data moves.
//
// If it cannot be completed, it breaks the mesh: telling the others, who may be waiting too, and
// hearing from them who is there.
//
// Blocks until it is over.
Exchanged ExchangeRecords(Mesh* mesh, uint64_t first_slot, const Record& own,
                          const DeadlineSource& deadline);

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_EXCHANGE_H_
