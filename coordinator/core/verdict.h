#ifndef MUSTER_COORDINATOR_CORE_VERDICT_H_
#define MUSTER_COORDINATOR_CORE_VERDICT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/base/ids.h"
#include "common/session/session.h"

// What went wrong in a group, from what its members saw. Pure.
namespace muster::coordinator {

// One member of a group and what it says of the group's operations.
struct Witness {
  GlobalRank rank;
  WorkerId worker;
  // Unset: it has not told, because it is gone or does not run.
  std::optional<std::vector<OperationRecord>> records;
  absl::Duration silent_for;  // Since it was last heard.
};

enum class VerdictKind {
  kDiverged,   // Members called different operations in the same place.
  kNotCalled,  // Some members have not called what the others wait in.
  kUntold,     // Those who tell agree, and some do not tell.
  kInside,     // All called the same and it is not over: the transport is slow or stuck.
};

struct Verdict {
  std::string group;
  VerdictKind kind = VerdictKind::kInside;
  uint64_t sequence = 0;          // Of the operation concerned.
  std::vector<GlobalRank> ranks;  // Who diverged, has not called, or does not tell; ascending.
  std::string text;               // For people.
  std::vector<Witness> members;   // All of the group, by group rank.
};

// The first operation, in the order of the calls, in which something is not as it should be;
// nothing if all that is told ended well everywhere.
//
// Members that called what most did are taken for right. Without a majority all are named.
std::optional<Verdict> Judge(const std::string& group, const std::vector<Witness>& members);

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_CORE_VERDICT_H_
