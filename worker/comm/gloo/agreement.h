#ifndef MUSTER_WORKER_COMM_GLOO_AGREEMENT_H_
#define MUSTER_WORKER_COMM_GLOO_AGREEMENT_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "worker/comm/deadline_source.h"
#include "worker/comm/gloo/breaking.h"
#include "worker/comm/gloo/counts.h"
#include "worker/comm/gloo/mesh.h"
#include "worker/comm/gloo/wire.h"
#include "worker/comm/group_facts.h"
#include "worker/comm/operation.h"

namespace muster {

// Slots that an agreement uses, from the one it is given.
inline constexpr uint64_t kAgreementSlots = 64;

// What the ranks of a collective said about it before any data moves.
struct Agreement {
  Outcome outcome;              // Of the exchange. The rest counts if it ended with kDone.
  absl::Status status;          // OK if all called the same; else the same error on all of them.
  bool rode = false;            // The data of every rank is in the payloads of `records`.
  std::vector<Record> records;  // By rank.
  CountsByRank sends;           // Of all_to_allv: what each rank sends to each.
};

// Has all ranks of a collective exchange `header`, and data of theirs that fits beside it, and
// compares what they called. `refusal` is why this rank refuses its part, or OK. Every rank comes
// to the same result.
//
// The counts of all_to_allv follow the header, those of other calls only to say how they differ.
//
// Blocks until it is over.
Agreement Agree(Mesh* mesh, const GroupFacts& facts, std::string_view what, uint64_t first_slot,
                const OperationCall& call, const Call& header, const absl::Status& refusal,
                const DeadlineSource& deadline);

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_AGREEMENT_H_
