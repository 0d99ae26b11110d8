#include "worker/comm/gloo/group_builder.h"

#include <array>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"
#include "worker/comm/gloo/breaking.h"
#include "worker/comm/gloo/exchange.h"
#include "worker/comm/gloo/transfers.h"
#include "worker/comm/gloo/wire.h"
#include "worker/comm/group_errors.h"

namespace muster {
namespace {

constexpr std::string_view kWhat = "build";

// The first message on each connection; the slots from here to the collectives' are the builder's.
constexpr uint64_t kIdentitySlot = Mesh::kFirstFreeSlot;
constexpr uint64_t kOrderSlot = kIdentitySlot + 1;

// How long members that could not connect to all wait for the others to show who is there.
constexpr absl::Duration kRollCallPatience = absl::Milliseconds(200);

using IdentityBytes = std::array<std::byte, kIdentityBytes>;

absl::Status PeerError(const GroupFacts& facts, GroupRank rank, std::string_view message) {
  return GroupError(absl::StatusCode::kInvalidArgument, ErrorKind::kInvalidRequest, facts, kWhat,
                    message, {rank});
}

std::string Name(const GroupFacts& facts, GroupRank rank) {
  return absl::StrCat("rank ", facts.member(rank).rank.value, " (group rank ", rank.value, ")");
}

// Says who was found where `rank` was wanted.
absl::Status WrongPeerError(const GroupFacts& facts, GroupRank rank, std::string_view where,
                            const std::optional<Identity>& found) {
  return GroupError(
      absl::StatusCode::kFailedPrecondition, ErrorKind::kWrongPeer, facts, kWhat,
      absl::StrCat(ToAbsl(where), " ", Name(facts, rank), " found ",
                   found.has_value() ? found->ToString() : "no member of this version", "; wanted ",
                   IdentityOf(facts, rank).ToString()),
      {rank});
}

absl::Status ChecksError(const GroupFacts& facts, GroupRank rank, CallChecks own) {
  return GroupError(
      absl::StatusCode::kFailedPrecondition, ErrorKind::kBuildFailed, facts, kWhat,
      absl::StrCat(Name(facts, rank), own == CallChecks::kOn ? " does not compare" : " compares",
                   " calls before data moves, unlike rank ", facts.member(facts.rank).rank.value),
      {rank}, "Give all members of the job the same setting.");
}

// What went wrong while members connected, apart from who they are.
class BuildFailures {
 public:
  BuildFailures(const GroupFacts& facts, MonotonicTime deadline, const Clock& clock)
      : facts_(facts), limit_(deadline - clock.Now()), started_(clock.Now()), clock_(clock) {}

  absl::Status Explain(const Outcome& outcome) const {
    if (outcome.ended == Ended::kStopped) {
      return GroupError(absl::StatusCode::kAborted, ErrorKind::kOperationAborted, facts_, kWhat,
                        "aborted");
    }
    return ExplainFailure(facts_, kWhat, outcome, std::min(limit_, clock_.Now() - started_));
  }

 private:
  const GroupFacts& facts_;
  const absl::Duration limit_;
  const MonotonicTime started_;
  const Clock& clock_;
};

// Exchanges identities with `peers`, who are connected.
class IdentityExchange {
 public:
  IdentityExchange(Mesh* mesh, const GroupFacts& facts, const std::set<GroupRank>& peers,
                   const DeadlineSource& deadline)
      : mesh_(mesh),
        facts_(facts),
        own_(Encode(IdentityOf(facts, facts.rank))),
        transfers_(mesh, &deadline) {
    for (const GroupRank peer : peers) {
      transfers_.Recv(peer, kIdentitySlot, found_[peer].data(), kIdentityBytes);
      transfers_.Send(peer, kIdentitySlot, own_.data(), own_.size());
    }
  }

  // Waits for all and compares what they show.
  absl::Status Prove(const BuildFailures& failures) {
    for (const auto& [peer, bytes] : found_) {
      const Ended ended = transfers_.FinishFrom(peer);
      if (ended != Ended::kDone) return failures.Explain(BreakAfterFailure(ended));
      const std::optional<Identity> identity = DecodeIdentity(bytes);
      if (identity == IdentityOf(facts_, peer)) continue;
      mesh_->Break(FarewellReason::kRefused, kFarewellPatience);
      return WrongPeerError(facts_, peer, "the connection to", identity);
    }
    const Outcome outcome = FinishOrBreak(mesh_, &transfers_);
    return outcome.ended == Ended::kDone ? absl::OkStatus() : failures.Explain(outcome);
  }

  // Waits for all, then breaks the mesh. Absent are those who did not show who they are.
  Outcome CallRoll() {
    for (const auto& [peer, bytes] : found_) {
      if (transfers_.FinishFrom(peer) == Ended::kExpired) break;
    }
    return BreakAfterFailure(Ended::kExpired);
  }

 private:
  Outcome BreakAfterFailure(Ended ended) {
    Outcome outcome{.ended = ended, .findings = BreakAfter(mesh_, ended)};
    outcome.absent = transfers_.Unfinished();
    return outcome;
  }

  Mesh* const mesh_;
  const GroupFacts& facts_;
  const IdentityBytes own_;
  std::map<GroupRank, IdentityBytes> found_;
  Transfers transfers_;
};

// Says who was not there when the time for connecting was up. Being connected proves nothing, so
// those who are get a moment to show themselves; they have run out of time, too. Who was there and
// is gone again gave up, and is not named.
Outcome CallRoll(Mesh* mesh, const GroupFacts& facts, const Mesh::Connected& connected,
                 const Clock& clock) {
  const FixedDeadline soon(clock.Now() + kRollCallPatience);
  IdentityExchange exchange(mesh, facts, connected.peers, soon);
  Outcome outcome = exchange.CallRoll();
  for (const auto& [peer, reason] : outcome.findings.lost) outcome.absent.erase(peer);
  outcome.absent.insert(connected.absent.begin(), connected.absent.end());
  return outcome;
}

// Gathers the identities of all members from all members, and compares them in order. Behind its
// identity each says whether it will compare calls.
absl::Status ProveOrder(Mesh* mesh, const GroupFacts& facts, CallChecks checks,
                        const DeadlineSource& deadline, const BuildFailures& failures) {
  const IdentityBytes own = Encode(IdentityOf(facts, facts.rank));
  Record record{.call = {}, .payload = {reinterpret_cast<const char*>(own.data()), own.size()}};
  record.payload += checks == CallChecks::kOn ? '\1' : '\0';
  const Exchanged exchanged = ExchangeRecords(mesh, kOrderSlot, record, deadline);
  if (exchanged.outcome.ended != Ended::kDone) return failures.Explain(exchanged.outcome);
  for (int32_t rank = 0; rank < facts.size(); ++rank) {
    const std::string& payload = exchanged.records[static_cast<size_t>(rank)].payload;
    const std::optional<Identity> identity =
        DecodeIdentity(std::as_bytes(std::span<const char>(payload)));
    if (identity == IdentityOf(facts, GroupRank(rank))) {
      if (payload.back() == record.payload.back()) continue;
      mesh->Break(FarewellReason::kRefused, kFarewellPatience);
      return ChecksError(facts, GroupRank(rank), checks);
    }
    mesh->Break(FarewellReason::kRefused, kFarewellPatience);
    return WrongPeerError(facts, GroupRank(rank), "the place of", identity);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<GroupFacts> MakeFacts(const EpochPlan& plan, const NamedGroup& group,
                                     const std::vector<Peer>& peers) {
  const GroupMembership& membership = group.membership;
  GroupFacts facts{.job = plan.job,
                   .epoch = plan.epoch,
                   .id = membership.id,
                   .name = group.name,
                   .rank = membership.rank,
                   .members = {}};
  size_t next = 0;
  bool fits = true;
  for (int32_t rank = 0; rank < membership.size && fits; ++rank) {
    if (rank == membership.rank.value) {
      facts.members.push_back({plan.rank, plan.incarnation});
      continue;
    }
    fits = next < peers.size() && peers[next].group == membership.id &&
           peers[next].rank == GroupRank(rank);
    if (!fits) break;
    facts.members.push_back({peers[next].global_rank, peers[next].incarnation});
    ++next;
  }
  if (!fits || next != peers.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("build on group '", group.name, "' epoch ", plan.epoch.value, ": got ",
                     peers.size(), " peers, want the ", membership.size - 1,
                     " other members in the order of their group ranks"));
  }
  return facts;
}

absl::StatusOr<std::map<GroupRank, SocketAddress>> AddressesOf(const GroupFacts& facts,
                                                               const std::vector<Peer>& peers,
                                                               bool ipv6) {
  std::map<GroupRank, SocketAddress> addresses;
  for (const Peer& peer : peers) {
    absl::StatusOr<SocketAddress> address = SocketAddress::ParseEndpoint(peer.endpoint);
    if (!address.ok()) {
      return PeerError(
          facts, peer.rank,
          absl::StrCat(Name(facts, peer.rank), " offers an endpoint that cannot be used: ",
                       absl::string_view(address.status().message())));
    }
    if (address->is_ipv6() != ipv6) {
      return PeerError(
          facts, peer.rank,
          absl::StrCat(Name(facts, peer.rank), " offers ", address->ToString(), ", and rank ",
                       facts.member(facts.rank).rank.value, " listens on ", ipv6 ? "IPv6" : "IPv4",
                       " only; want one family on all members"));
    }
    addresses.emplace(peer.rank, *std::move(address));
  }
  return addresses;
}

absl::Status ConnectAndProve(Mesh* mesh, const GroupFacts& facts,
                             const std::map<GroupRank, SocketAddress>& addresses, CallChecks checks,
                             MonotonicTime deadline, const Clock& clock) {
  const FixedDeadline until(deadline);
  const BuildFailures failures(facts, deadline, clock);
  const Mesh::Connected connected = mesh->Connect(addresses, until);
  if (connected.ended == Ended::kExpired) {
    return failures.Explain(CallRoll(mesh, facts, connected, clock));
  }
  if (connected.ended != Ended::kDone) {
    return failures.Explain(
        {.ended = connected.ended, .findings = BreakAfter(mesh, connected.ended)});
  }
  MUSTER_RETURN_IF_ERROR(IdentityExchange(mesh, facts, connected.peers, until).Prove(failures));
  return ProveOrder(mesh, facts, checks, until, failures);
}

}  // namespace muster
