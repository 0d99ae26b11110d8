#include "worker/comm/group_errors.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/rank_ranges.h"
#include "common/base/string_view.h"

namespace muster {
namespace {

// Lists are cut here, so that the message stays short; the detail has them all.
constexpr size_t kRangesMax = 16;

std::set<GlobalRank> GlobalRanks(const GroupFacts& facts, const std::set<GroupRank>& ranks) {
  std::set<GlobalRank> global;
  for (const GroupRank rank : ranks) global.insert(facts.member(rank).rank);
  return global;
}

std::string Ranks(const GroupFacts& facts, const std::set<GroupRank>& ranks) {
  return absl::StrCat(ranks.size() == 1 ? "rank " : "ranks ", FormatMembers(facts, ranks));
}

}  // namespace

std::string FormatMembers(const GroupFacts& facts, const std::set<GroupRank>& ranks) {
  return FormatIdRanges(GlobalRanks(facts, ranks), kRangesMax);
}

absl::Status GroupError(absl::StatusCode code, ErrorKind kind, const GroupFacts& facts,
                        std::string_view what, std::string_view message,
                        const std::set<GroupRank>& ranks, std::string_view remedy) {
  const std::set<GlobalRank> global = GlobalRanks(facts, ranks);
  return MakeError(code,
                   absl::StrCat(ToAbsl(what), " on group '", facts.name, "' epoch ",
                                facts.epoch.value, ": ", ToAbsl(message)),
                   ErrorDetail{.kind = kind,
                               .job = {},
                               .group = facts.name,
                               .epoch = facts.epoch,
                               .ranks = {global.begin(), global.end()},
                               .workers = {},
                               .hosts = {},
                               .remedy = std::string(remedy)});
}

absl::Status MissingError(const GroupFacts& facts, std::string_view what,
                          const std::set<GroupRank>& missing, std::string_view waited) {
  return GroupError(
      absl::StatusCode::kDeadlineExceeded, ErrorKind::kDeadlineExceeded, facts, what,
      absl::StrCat(missing.size(), " of ", facts.size(), " ranks did not join within ",
                   ToAbsl(waited), ": ", Ranks(facts, missing)),
      missing, "Look first at the logs of the missing ranks.");
}

absl::Status SuspectError(const GroupFacts& facts, std::string_view what,
                          const std::set<GroupRank>& suspects, std::string_view reason) {
  return GroupError(absl::StatusCode::kUnavailable, ErrorKind::kMemberSuspect, facts, what,
                    absl::StrCat("lost the connection to ", Ranks(facts, suspects), " (",
                                 ToAbsl(reason), "); unconfirmed"),
                    suspects);
}

absl::Status BrokenError(const GroupFacts& facts, std::string_view what,
                         const absl::Status& cause) {
  return GroupError(absl::StatusCode::kFailedPrecondition, ErrorKind::kGroupBroken, facts, what,
                    absl::StrCat("the group is broken until it is rebuilt, since ",
                                 absl::string_view(cause.message())),
                    {}, "Wait for the next epoch and use its group.");
}

}  // namespace muster
