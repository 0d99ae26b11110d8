#include "worker/core/messages.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/rank_ranges.h"

namespace muster::worker {
namespace {

constexpr size_t kNamedMembersMax = 4;  // Of lost ones, in full; the others as ranges.

ErrorDetail DetailFor(const AgentState& state, ErrorKind kind, Epoch epoch = Epoch()) {
  ErrorDetail detail;
  detail.kind = kind;
  detail.job = state.options.job;
  detail.epoch = epoch;
  return detail;
}

std::string JobAndEpoch(const AgentState& state, Epoch epoch) {
  return absl::StrCat("job '", state.options.job, "' epoch ", epoch.value);
}

absl::Status Over(const AgentState& state, ErrorKind kind, Epoch epoch, std::string_view why) {
  return MakeError(absl::StatusCode::kFailedPrecondition, JobAndEpoch(state, epoch).append(why),
                   DetailFor(state, kind, epoch));
}

std::string DescribeCause(const LostMember& member) {
  const std::string silent = absl::FormatDuration(member.silent_for);
  switch (member.cause) {
    case LossCause::kExit:
      return absl::StrCat("its process ended, last heard ", silent, " ago");
    case LossCause::kSuperseded:
      return absl::StrCat("a newer process took its place, last heard ", silent, " ago");
    case LossCause::kLeft:
      return absl::StrCat("it left, last heard ", silent, " ago");
    case LossCause::kReset:
      return absl::StrCat("its connection was reset, last heard ", silent, " ago");
    case LossCause::kEarlier:
      return "its epoch was over before this coordinator started";
    case LossCause::kSilence:
      return absl::StrCat("silent for ", silent);
  }
  return absl::StrCat("last heard ", silent, " ago");
}

std::string DescribeMember(const LostMember& member) {
  std::string text = absl::StrCat("rank ", member.rank.value, " (worker ", member.worker, " on ",
                                  member.hostname, "): ", DescribeCause(member));
  if (!member.doing.empty()) absl::StrAppend(&text, ", last in ", member.doing);
  return text;
}

}  // namespace

absl::Status LossStatus(const AgentState& state, Epoch epoch, const std::vector<LostMember>& lost) {
  ErrorDetail detail = DetailFor(state, ErrorKind::kMemberLost, epoch);
  for (const LostMember& member : lost) {
    detail.ranks.push_back(member.rank);
    detail.workers.push_back(member.worker);
    detail.hosts.push_back(member.hostname);
  }
  detail.remedy = absl::StrCat("Look first at the log of ", lost.front().worker, ".");

  std::string text = absl::StrCat(JobAndEpoch(state, epoch), " is over, it lost ",
                                  DescribeMember(lost.front()), ".");
  const size_t named = std::min(lost.size(), kNamedMembersMax);
  for (size_t i = 1; i < named; ++i) {
    absl::StrAppend(&text, " Also lost: ", DescribeMember(lost[i]), ".");
  }
  if (named < lost.size()) {
    const std::vector<GlobalRank> others(detail.ranks.begin() + static_cast<std::ptrdiff_t>(named),
                                         detail.ranks.end());
    absl::StrAppend(&text, " Also lost: ranks ", FormatIdRanges(others, 16), ".");
  }
  absl::StrAppend(&text, " ", detail.remedy);
  return MakeError(absl::StatusCode::kUnavailable, text, std::move(detail));
}

absl::Status UnconfirmedStatus(const AgentState& state, const WaitingOperation& operation) {
  ErrorDetail detail = DetailFor(state, ErrorKind::kMemberSuspect, operation.epoch);
  std::string text = absl::StrCat(operation.what, " of ", JobAndEpoch(state, operation.epoch),
                                  " met a transport error; unconfirmed: ");
  if (operation.suspect.has_value()) {
    detail.ranks.push_back(*operation.suspect);
    absl::StrAppend(&text, "rank ", operation.suspect->value,
                    " seems gone, but the coordinator has not said so");
  } else {
    absl::StrAppend(&text, "no member is under suspicion, and the coordinator has named none");
  }
  return MakeError(absl::StatusCode::kUnavailable, text, std::move(detail));
}

absl::Status NotActiveStatus(const AgentState& state, Epoch epoch) {
  Epoch active;
  for (const HeldEpoch& held : state.holdings) {
    if (held.state == HoldingState::kActive) active = held.epoch;
  }
  const std::string now = active.value == 0 ? std::string("has no active epoch")
                                            : absl::StrCat("is at epoch ", active.value);
  return MakeError(absl::StatusCode::kFailedPrecondition,
                   absl::StrCat("job '", state.options.job, "': this operation is of epoch ",
                                epoch.value, ", the worker ", now),
                   DetailFor(state, ErrorKind::kStaleEpoch, active));
}

absl::Status RetiredStatus(const AgentState& state, Epoch epoch) {
  return Over(state, ErrorKind::kEpochRetired, epoch,
              " is retired; get the groups of the epoch that followed");
}

absl::Status RolledBackStatus(const AgentState& state, Epoch epoch) {
  return Over(state, ErrorKind::kTransitionRolledBack, epoch, " was rolled back");
}

absl::Status BuildFailedStatus(const AgentState& state, Epoch epoch, const BuildFailure& failure) {
  ErrorDetail detail = DetailFor(state, ErrorKind::kBuildFailed, epoch);
  if (!failure.group.empty()) detail.group = absl::StrCat(state.options.job, "/", failure.group);
  if (failure.peer.has_value()) detail.ranks.push_back(*failure.peer);
  return MakeError(absl::StatusCode::kDeadlineExceeded,
                   absl::StrCat(JobAndEpoch(state, epoch), ": ", failure.reason),
                   std::move(detail));
}

absl::Status SleptStatus(const AgentState& state, Epoch epoch, absl::Duration slept) {
  return MakeError(absl::StatusCode::kUnavailable,
                   absl::StrCat(JobAndEpoch(state, epoch), ": this process did not run for ",
                                absl::FormatDuration(slept),
                                "; the coordinator has not yet said that the epoch stands"),
                   DetailFor(state, ErrorKind::kCoordinatorLost, epoch));
}

absl::Status InDoubtStatus(const AgentState& state, Epoch epoch) {
  return MakeError(absl::StatusCode::kUnavailable,
                   absl::StrCat(JobAndEpoch(state, epoch),
                                " is built, but the coordinator has not said whether it is "
                                "committed (verdict unknown)"),
                   DetailFor(state, ErrorKind::kVerdictUnknown, epoch));
}

absl::Status StrangerStatus(const AgentState& state, const Assignment& assignment) {
  const bool same_store =
      state.assignment.has_value() && state.assignment->store == assignment.store;
  ErrorDetail detail = DetailFor(state, ErrorKind::kUnknownStore);
  detail.remedy = "Start this worker again to join the job as it is now.";
  return MakeError(absl::StatusCode::kFailedPrecondition,
                   absl::StrCat("job '", state.options.job, "': ",
                                same_store ? "the coordinator now has another job of this name"
                                           : "the coordinator lost its state",
                                "; what runs here goes on, but nothing will be done for it any "
                                "more. ",
                                detail.remedy),
                   detail);
}

absl::Status DeletedStatus(const AgentState& state) {
  return MakeError(absl::StatusCode::kFailedPrecondition,
                   absl::StrCat("job '", state.options.job, "' was deleted"),
                   DetailFor(state, ErrorKind::kJobDeleted));
}

absl::Status LeavingStatus(const AgentState& state) {
  ErrorDetail detail = DetailFor(state, ErrorKind::kMemberLeft);
  detail.workers.push_back(state.options.worker);
  return MakeError(absl::StatusCode::kFailedPrecondition,
                   absl::StrCat("job '", state.options.job, "': this worker, ",
                                state.options.worker, ", leaves"),
                   std::move(detail));
}

// How a join ends that waited for members who are gone.
absl::Status AwaitedStatus(const AgentState& state, const std::vector<LostMember>& awaited) {
  ErrorDetail detail = DetailFor(state, ErrorKind::kMemberLost);
  std::string text =
      absl::StrCat("job '", state.options.job, "': worker ", state.options.worker,
                   " did not become a member within ",
                   absl::FormatDuration(state.options.join_deadline), ": it waited for the lost ");
  for (size_t i = 0; i < awaited.size(); ++i) {
    detail.ranks.push_back(awaited[i].rank);
    detail.workers.push_back(awaited[i].worker);
    detail.hosts.push_back(awaited[i].hostname);
    if (i < kNamedMembersMax) {
      absl::StrAppend(&text, i == 0 ? "" : ", ", "rank ", awaited[i].rank.value, " (worker ",
                      awaited[i].worker, " on ", awaited[i].hostname, ")");
    }
  }
  if (awaited.size() > kNamedMembersMax) {
    absl::StrAppend(&text, " and ", awaited.size() - kNamedMembersMax, " more");
  }
  detail.remedy = absl::StrCat("Start ", awaited.front().worker, " again, and look at its log.");
  return MakeError(absl::StatusCode::kUnavailable, text, std::move(detail));
}

absl::Status JoinDeadlineStatus(const AgentState& state) {
  if (state.assignment.has_value() && !state.assignment->awaited.empty()) {
    return AwaitedStatus(state, state.assignment->awaited);
  }
  std::string why;
  if (state.last_failure.has_value()) {
    const BuildFailure& failure = *state.last_failure;
    why = absl::StrCat("the newest attempt failed: ", failure.group,
                       failure.group.empty() ? "" : ": ", failure.reason);
  } else if (state.assignment.has_value()) {
    const std::string& waits = state.assignment->waiting_for;
    why = waits.empty() ? std::string("the others were not ready") : waits;
    if (!state.link.attached) absl::StrAppend(&why, ", and then the coordinator was lost");
  } else if (state.link.state == LinkState::kOpen) {
    why = "the coordinator knows no such job";
  } else {
    why = "no coordinator answered";
  }
  ErrorDetail detail = DetailFor(state, ErrorKind::kDeadlineExceeded);
  return MakeError(absl::StatusCode::kDeadlineExceeded,
                   absl::StrCat("job '", state.options.job, "': worker ", state.options.worker,
                                " did not become a member within ",
                                absl::FormatDuration(state.options.join_deadline), ": ", why),
                   std::move(detail));
}

std::string CutReason(std::string text) {
  if (text.size() <= kReasonBytesMax) return text;
  constexpr std::string_view kMark = "...";
  size_t end = kReasonBytesMax - kMark.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  return text.append(kMark);
}

std::string GroupName(const HeldEpoch& held, GroupId group) {
  return held.layout.has_value() ? held.layout->Name(group, "") : std::string();
}

}  // namespace muster::worker
