#include "worker/core/epochs.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/rank_ranges.h"
#include "worker/core/build_table.h"
#include "worker/core/connection.h"
#include "worker/core/fence.h"
#include "worker/core/freeing.h"
#include "worker/core/messages.h"
#include "worker/core/verdicts.h"

namespace muster::worker {
namespace {

constexpr size_t kRangesMax = 16;  // In a reason.

void Fail(AgentState& state, HeldEpoch& held, BuildFailure failure) {
  failure.reason = CutReason(std::move(failure.reason));
  held.state = HoldingState::kFailed;
  held.failure = failure;
  state.last_failure = std::move(failure);
}

// Wakes what still prepares or builds, then fails the epoch.
void FailInTime(Move& move, HeldEpoch& held, BuildFailure failure) {
  move.Emit(AbortEpoch{held.epoch, BuildFailedStatus(move.state, held.epoch, failure)});
  held.aborted = true;
  Fail(move.state, held, std::move(failure));
}

// Finds out which groups `held` gets; nothing if it can have none.
absl::Status PlanGroups(HeldEpoch& held) {
  if (held.spec == nullptr) return absl::InvalidArgumentError("the assignment has no spec");
  absl::StatusOr<Layout> layout = Layout::Create(held.spec->layout);
  if (!layout.ok()) return layout.status();
  if (!layout->HasRank(held.rank)) {
    return absl::InvalidArgumentError(
        absl::StrCat("rank ", held.rank.value, " is outside the world of ", layout->world_size()));
  }
  for (const GroupMembership& group : layout->GroupsOf(held.rank)) {
    if (layout->IsBuilt(group.id)) held.groups.push_back(group);
  }
  held.layout = *std::move(layout);
  return absl::OkStatus();
}

void Enter(Move& move, const AttemptView& attempt) {
  AgentState& state = move.state;
  HeldEpoch held;
  held.epoch = attempt.epoch;
  held.rank = attempt.rank;
  held.spec = state.assignment->spec;
  held.deadline = move.now + state.assignment->deadlines.prepare;
  state.highest_entered = attempt.epoch;

  const absl::Status planned = PlanGroups(held);
  if (planned.ok()) {
    held.opened = true;
    move.Emit(OpenEndpoints{held.epoch, held.rank, held.spec, held.groups});
  } else {
    Fail(state, held, BuildFailure{"", std::nullopt, std::string(planned.message())});
  }
  state.holdings.push_back(std::move(held));
}

// Asks for the next group if all its members can be reached; with none left, all is built.
void BuildNext(Move& move, HeldEpoch& held) {
  if (held.building) return;
  if (held.built == held.groups.size()) {
    held.state = HoldingState::kBuilt;
    return;
  }
  const GroupMembership& group = held.groups[held.built];
  BuildTable table = MakeBuildTable(*held.layout, group, move.state.assignment->attempt->peers);
  if (table.wrong.has_value()) {
    Fail(move.state, held, *std::move(table.wrong));
    return;
  }
  if (!table.missing.empty()) return;
  held.building = true;
  const absl::Duration left = std::max(held.deadline - move.now, absl::ZeroDuration());
  move.Emit(BuildGroup{held.epoch, group, std::move(table.peers), left});
}

void FollowAttempt(Move& move) {
  AgentState& state = move.state;
  if (!state.assignment->attempt.has_value()) return;
  const AttemptView& attempt = *state.assignment->attempt;
  HeldEpoch* held = FindHeld(state, attempt.epoch);
  if (held == nullptr) {
    if (attempt.step == AttemptStep::kPrepare && MayEnter(state, attempt.epoch)) {
      Enter(move, attempt);
    }
    return;
  }
  if (attempt.step != AttemptStep::kBuild) return;
  if (held->state == HoldingState::kPrepared) {
    held->state = HoldingState::kBuilding;
    held->deadline = move.now + state.assignment->deadlines.build;
  }
  if (held->state == HoldingState::kBuilding) BuildNext(move, *held);
}

// Only what was built in the very seat that was committed is ever activated.
void FollowCommit(Move& move) {
  AgentState& state = move.state;
  HeldEpoch* held = FindHeld(state, state.assignment->committed);
  if (held == nullptr || held->state != HoldingState::kBuilt ||
      held->rank != state.assignment->committed_rank) {
    return;
  }
  HeldEpoch* before = FindActive(state);
  if (before != nullptr) {
    StartFreeing(move, *before, RetiredStatus(state, before->epoch));
  }
  held->state = HoldingState::kActive;
  held->gates_open = true;
  state.was_active = true;
  move.Emit(ActivateEpoch{held->epoch, held->rank});
}

void FollowLoss(Move& move) {
  const Assignment& assignment = *move.state.assignment;
  HeldEpoch* held = FindHeld(move.state, assignment.committed);
  if (assignment.lost.empty() || held == nullptr || held->state != HoldingState::kActive) return;
  held->over = LossStatus(move.state, held->epoch, assignment.lost);
  held->state = HoldingState::kEnded;
  held->gates_open = false;
  move.state.reset_peers.clear();
  move.Emit(EndEpoch{held->epoch, held->over});
  EndWaiting(move, held->epoch, held->over);
}

bool UsersWorked(const HeldEpoch& held) {
  return held.state == HoldingState::kActive || held.state == HoldingState::kEnded;
}

// Users only ever work in what is committed; an attempt keeps what is still to be committed.
bool IsListed(const Assignment& assignment, const HeldEpoch& held) {
  if (held.epoch == assignment.committed) return true;
  return !UsersWorked(held) && assignment.attempt.has_value() &&
         assignment.attempt->epoch == held.epoch &&
         assignment.attempt->step != AttemptStep::kRollback;
}

void FreeUnlisted(Move& move) {
  for (HeldEpoch& held : move.state.holdings) {
    if (IsListed(*move.state.assignment, held)) continue;
    StartFreeing(move, held,
                 UsersWorked(held) ? RetiredStatus(move.state, held.epoch)
                                   : RolledBackStatus(move.state, held.epoch));
  }
}

void AskForProbes(Move& move) {
  for (const ProcessProbe& probe : move.state.assignment->probes) {
    if (move.state.probed.insert(probe.incarnation).second) move.Emit(ProbeProcess{probe});
  }
}

BuildFailure BuildTooLate(const AgentState& state, const HeldEpoch& held) {
  const GroupMembership& group = held.groups[held.built];
  const std::string name = GroupName(held, group.id);
  const std::string within = absl::FormatDuration(state.assignment->deadlines.build);
  if (!held.building && state.assignment->attempt.has_value()) {
    const std::vector<GlobalRank> missing =
        MakeBuildTable(*held.layout, group, state.assignment->attempt->peers).missing;
    std::optional<GlobalRank> peer;
    if (missing.size() == 1) peer = missing.front();
    return BuildFailure{name, peer,
                        absl::StrCat("build deadline: group ", name, ": no endpoint of ranks ",
                                     FormatIdRanges(missing, kRangesMax), " within ", within)};
  }
  std::vector<GlobalRank> others = held.layout->Members(group.id);
  std::erase(others, held.rank);
  return BuildFailure{
      name, std::nullopt,
      absl::StrCat("build deadline: group ", name, " with ranks ",
                   FormatIdRanges(others, kRangesMax), " was not built within ", within)};
}

void CheckDeadline(Move& move, HeldEpoch& held) {
  if (move.now < held.deadline) return;
  const std::string prepare = absl::FormatDuration(move.state.assignment->deadlines.prepare);
  if (held.state == HoldingState::kPreparing) {
    FailInTime(move, held,
               BuildFailure{
                   "", std::nullopt,
                   absl::StrCat("prepare deadline: the endpoints were not open within ", prepare)});
  } else if (held.state == HoldingState::kPrepared && !move.state.link.attached) {
    Fail(
        move.state, held,
        BuildFailure{"", std::nullopt,
                     absl::StrCat("prepare deadline: prepared, but the coordinator was gone after ",
                                  prepare)});
  } else if (held.state == HoldingState::kBuilding) {
    FailInTime(move, held, BuildTooLate(move.state, held));
  }
}

// A worker that never said BUILT knows that nobody can have committed the epoch.
bool WasNeverReportedBuilt(const HeldEpoch& held) {
  return held.state == HoldingState::kPreparing || held.state == HoldingState::kPrepared ||
         held.state == HoldingState::kBuilding || held.state == HoldingState::kFailed;
}

}  // namespace

void FollowAssignment(Move& move) {
  FollowCommit(move);
  FollowLoss(move);
  FreeUnlisted(move);
  ForgetFreed(move.state);
  FollowAttempt(move);
  ReopenGates(move);
  AskForProbes(move);
}

void OnEndpointsOpened(Move& move, const EndpointsOpened& event) {
  HeldEpoch* held = FindHeld(move.state, event.epoch);
  if (held == nullptr || held->state != HoldingState::kPreparing) return;
  held->state = HoldingState::kPrepared;
  held->endpoints = event.endpoints;
  std::stable_sort(held->endpoints.begin(), held->endpoints.end(),
                   [](const Endpoint& a, const Endpoint& b) {
                     return std::tie(a.group, a.to) < std::tie(b.group, b.to);
                   });
}

void OnGroupBuilt(Move& move, const GroupBuilt& event) {
  HeldEpoch* held = FindHeld(move.state, event.epoch);
  const bool awaited = held != nullptr && held->building && held->state != HoldingState::kFreeing &&
                       held->groups[held->built].id == event.group;
  if (!awaited) return;
  held->building = false;
  ++held->built;
  if (held->state == HoldingState::kBuilding && held->built == held->groups.size()) {
    held->state = HoldingState::kBuilt;
  }
}

void OnBuildFailed(Move& move, const BuildFailed& event) {
  HeldEpoch* held = FindHeld(move.state, event.epoch);
  if (held == nullptr) return;
  if (held->state == HoldingState::kFailed) held->building = false;
  const bool awaited = held->state == HoldingState::kPreparing ||
                       (held->state == HoldingState::kBuilding && held->building);
  if (!awaited) return;
  held->building = false;
  Fail(move.state, *held, event.failure);
}

void CheckEpochDeadlines(Move& move) {
  AgentState& state = move.state;
  if (!state.assignment.has_value()) return;
  const bool alone = !state.link.attached && move.now - state.link.detached_since >=
                                                 state.assignment->deadlines.coordinator_lost;
  for (HeldEpoch& held : state.holdings) {
    CheckDeadline(move, held);
    if (!alone) continue;
    if (WasNeverReportedBuilt(held)) {
      StartFreeing(move, held, RolledBackStatus(state, held.epoch));
    } else if (held.state == HoldingState::kBuilt) {
      TellDoubt(move, held);
    }
  }
}

void TellDoubt(Move& move, HeldEpoch& held) {
  if (held.doubt_was_told) return;
  held.doubt_was_told = true;
  move.Emit(CloseGates{held.epoch, InDoubtStatus(move.state, held.epoch)});
}

}  // namespace muster::worker
