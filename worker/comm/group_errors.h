#ifndef MUSTER_WORKER_COMM_GROUP_ERRORS_H_
#define MUSTER_WORKER_COMM_GROUP_ERRORS_H_

#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "common/base/error_detail.h"
#include "common/base/ids.h"
#include "worker/comm/group_facts.h"

namespace muster {

// The errors of operations on a group, the same from every backend. `what` says what was going on,
// as "all_reduce #17"; it is followed by the group and the epoch. Ranks of the text and of the
// detail are global ranks.

// "0-1, 5" for group ranks of `facts`.
std::string FormatMembers(const GroupFacts& facts, const std::set<GroupRank>& ranks);

// An error of `code` and `kind` about `ranks`: "<what> on group '<name>' epoch <n>: <message>".
absl::Status GroupError(absl::StatusCode code, ErrorKind kind, const GroupFacts& facts,
                        std::string_view what, std::string_view message,
                        const std::set<GroupRank>& ranks = {}, std::string_view remedy = {});

// kDeadlineExceeded (deadline_exceeded): `missing` did not come within `waited`.
absl::Status MissingError(const GroupFacts& facts, std::string_view what,
                          const std::set<GroupRank>& missing, std::string_view waited);

// kUnavailable (member_suspect): the connections to `suspects` were lost. `reason` is what the
// transport said.
absl::Status SuspectError(const GroupFacts& facts, std::string_view what,
                          const std::set<GroupRank>& suspects, std::string_view reason);

// kFailedPrecondition (group_broken): `cause` left the group unusable.
absl::Status BrokenError(const GroupFacts& facts, std::string_view what, const absl::Status& cause);

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GROUP_ERRORS_H_
