#ifndef MUSTER_COMMON_BASE_IDS_H_
#define MUSTER_COMMON_BASE_IDS_H_

#include <compare>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace muster {

// A number with a meaning. Two ids of different tags never convert into each other, so a function
// that wants a group rank cannot be handed a global one.
//
// Value-initialized to 0. Ordered and hashable by `value`. Printing gives the bare number.
template <typename Tag, typename Rep>
struct TaggedId {
  using Representation = Rep;

  Rep value = 0;

  constexpr TaggedId() = default;
  constexpr explicit TaggedId(Rep v) : value(v) {}

  friend constexpr auto operator<=>(const TaggedId&, const TaggedId&) = default;

  template <typename H>
  friend H AbslHashValue(H state, const TaggedId& id) {
    return H::combine(std::move(state), id.value);
  }

  friend std::string ToString(const TaggedId& id) { return absl::StrCat(id.value); }

  friend std::ostream& operator<<(std::ostream& out, const TaggedId& id) {
    return out << ToString(id);
  }
};

// Place of a worker among all ranks of its job: 0 <= value < world size.
using GlobalRank = TaggedId<struct GlobalRankTag, int32_t>;

// Place of a worker in one process group: 0 <= value < size of the group.
using GroupRank = TaggedId<struct GroupRankTag, int32_t>;

// Place of a worker among the ranks of its host: 0 <= value < ranks on the host.
using LocalRank = TaggedId<struct LocalRankTag, int32_t>;

// A job's membership-and-layout version: 1, 2, 3 ... 0 means "none". It rises with every attempt
// and is never used twice, so committed epochs may have gaps.
using Epoch = TaggedId<struct EpochTag, int64_t>;

// Number of starts of a coordinator over one journal: 1, 2, 3 ...
using Term = TaggedId<struct TermTag, int64_t>;

// Counts the messages of one term to one worker. A pair (term, revision) orders all of them.
using Revision = TaggedId<struct RevisionTag, int64_t>;

// Version of a spec as its author wrote it: 1, 2, 3 ...
using Generation = TaggedId<struct GenerationTag, int64_t>;

// Names one journal for its whole life. Drawn at random when the journal is made; never 0.
using StoreId = TaggedId<struct StoreIdTag, uint64_t>;

// Names one job for its whole life. A job that is deleted and created again gets another one.
using JobUid = TaggedId<struct JobUidTag, uint64_t>;

// Drawn at random each time a process joins; never 0.
using Incarnation = TaggedId<struct IncarnationTag, uint64_t>;

// Counts the streams that one incarnation opened to the coordinator: 1, 2, 3 ...
using SessionNumber = TaggedId<struct SessionNumberTag, int64_t>;

// One stream as the coordinator sees it. Never used twice in one run of a coordinator.
using ConnectionId = TaggedId<struct ConnectionIdTag, uint64_t>;

}  // namespace muster

#endif  // MUSTER_COMMON_BASE_IDS_H_
