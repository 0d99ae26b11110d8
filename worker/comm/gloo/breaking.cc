#include "worker/comm/gloo/breaking.h"

#include "absl/strings/str_cat.h"
#include "common/base/string_view.h"
#include "worker/comm/group_errors.h"

namespace muster {
namespace {

// Those who said goodbye for `reason`.
std::set<GroupRank> SaidFarewell(const Mesh::Findings& findings, FarewellReason reason) {
  std::set<GroupRank> ranks;
  for (const auto& [rank, farewell] : findings.farewells) {
    if (farewell.reason == reason) ranks.insert(rank);
  }
  return ranks;
}

// Who was waited for in vain and is not known to be there. Whoever says goodbye was waiting itself.
std::set<GroupRank> Missing(const std::set<GroupRank>& absent, const Mesh::Findings& findings) {
  std::set<GroupRank> missing = absent;
  for (const auto& [rank, farewell] : findings.farewells) missing.erase(rank);
  return missing.empty() ? absent : missing;
}

absl::Status GoneError(const GroupFacts& facts, std::string_view what, ErrorKind kind,
                       const std::set<GroupRank>& ranks, std::string_view message) {
  return GroupError(absl::StatusCode::kUnavailable, kind, facts, what,
                    absl::StrCat(ranks.size() == 1 ? "rank " : "ranks ",
                                 FormatMembers(facts, ranks), " ", ToAbsl(message)),
                    ranks);
}

}  // namespace

Mesh::Findings BreakAfter(Mesh* mesh, Ended ended) {
  switch (ended) {
    case Ended::kExpired:
      return mesh->Break(FarewellReason::kTimeout, kFarewellPatience);
    case Ended::kReset:
      return mesh->Break(FarewellReason::kLost, kFarewellPatience);
    case Ended::kStopped:
    case Ended::kDone:
      break;
  }
  mesh->AwaitClosed();
  return {};
}

Outcome FinishOrBreak(Mesh* mesh, Transfers* transfers) {
  const Ended ended = transfers->Finish();
  if (ended == Ended::kDone) return {};
  Outcome outcome{.ended = ended, .findings = BreakAfter(mesh, ended)};
  outcome.absent = transfers->Unfinished();
  return outcome;
}

absl::Status ExplainFailure(const GroupFacts& facts, std::string_view what, const Outcome& outcome,
                            absl::Duration waited) {
  const Mesh::Findings& findings = outcome.findings;
  const std::set<GroupRank> missing = Missing(outcome.absent, findings);
  const absl::Duration rounded = absl::Ceil(waited, absl::Milliseconds(1));
  if (outcome.ended == Ended::kExpired) {
    return MissingError(facts, what, missing, absl::FormatDuration(rounded));
  }
  if (const std::set<GroupRank> suspects = findings.Suspects(); !suspects.empty()) {
    const auto first = findings.lost.find(*suspects.begin());
    return SuspectError(facts, what, suspects,
                        first != findings.lost.end() ? first->second : "told by another rank");
  }
  if (const auto late = SaidFarewell(findings, FarewellReason::kTimeout); !late.empty()) {
    return GroupError(absl::StatusCode::kDeadlineExceeded, ErrorKind::kDeadlineExceeded, facts,
                      what,
                      absl::StrCat("ran out of time on ranks ", FormatMembers(facts, late),
                                   " while waiting for ranks ", FormatMembers(facts, missing)),
                      missing);
  }
  if (const auto refused = SaidFarewell(findings, FarewellReason::kRefused); !refused.empty()) {
    return GoneError(facts, what, ErrorKind::kBuildFailed, refused, "refused a connection");
  }
  if (const auto aborted = SaidFarewell(findings, FarewellReason::kAborted); !aborted.empty()) {
    return GoneError(facts, what, ErrorKind::kOperationAborted, aborted, "aborted the group");
  }
  if (const auto left = SaidFarewell(findings, FarewellReason::kClosed); !left.empty()) {
    return GoneError(facts, what, ErrorKind::kMemberLeft, left, "left the group");
  }
  return GroupError(absl::StatusCode::kUnavailable, ErrorKind::kUnknown, facts, what,
                    "a connection was lost, and no rank can be blamed");
}

}  // namespace muster
