#include "common/wire/assignment.h"

#include <memory>
#include <utility>

#include "common/wire/facts.h"
#include "common/wire/group_ref.h"
#include "common/wire/job_spec.h"
#include "common/wire/limits.h"
#include "common/wire/reader.h"
#include "common/wire/text.h"

namespace muster {
namespace {

constexpr std::pair<v1::AttemptStep, AttemptStep> kAttemptSteps[] = {
    {v1::ATTEMPT_STEP_PREPARE, AttemptStep::kPrepare},
    {v1::ATTEMPT_STEP_BUILD, AttemptStep::kBuild},
    {v1::ATTEMPT_STEP_ROLLBACK, AttemptStep::kRollback},
};

v1::Peer PeerToProto(const Peer& peer) {
  v1::Peer wire;
  *wire.mutable_group() = ToProto(peer.group);
  wire.set_rank(peer.rank.value);
  wire.set_global_rank(peer.global_rank.value);
  wire.set_incarnation(peer.incarnation.value);
  wire.set_endpoint(peer.endpoint);
  return wire;
}

Peer ReadPeer(WireReader& reader, const v1::Peer& wire) {
  Peer peer;
  if (reader.Present("group", wire.has_group())) {
    peer.group = ReadGroupRef(reader, "group", wire.group());
  }
  peer.rank = reader.Rank<GroupRank>("rank", wire.rank());
  peer.global_rank = reader.Rank<GlobalRank>("global_rank", wire.global_rank());
  peer.incarnation = Incarnation(reader.NonZero("incarnation", wire.incarnation()));
  peer.endpoint = reader.Bytes("endpoint", wire.endpoint(), 0, kEndpointBytesMax);
  return peer;
}

v1::AttemptView AttemptToProto(const AttemptView& attempt) {
  v1::AttemptView wire;
  wire.set_epoch(attempt.epoch.value);
  wire.set_step(WireEnum<v1::AttemptStep, AttemptStep>(attempt.step, kAttemptSteps));
  wire.set_rank(attempt.rank.value);
  for (const Peer& peer : attempt.peers) *wire.add_peers() = PeerToProto(peer);
  return wire;
}

AttemptView ReadAttempt(WireReader& reader, const v1::AttemptView& wire) {
  AttemptView attempt;
  attempt.epoch = reader.Counter<Epoch>("epoch", wire.epoch(), 1);
  attempt.step = reader.Enum<v1::AttemptStep, AttemptStep>("step", wire.step(), kAttemptSteps);
  attempt.rank = reader.Rank<GlobalRank>("rank", wire.rank());
  const int count = reader.Count("peers", wire.peers_size(), kSessionListMax);
  for (int i = 0; i < count; ++i) {
    const WireReader::Scope scope(reader, "peers", i);
    attempt.peers.push_back(ReadPeer(reader, wire.peers(i)));
  }
  return attempt;
}

void ReadCommitted(WireReader& reader, const v1::CommittedView& wire, Assignment& assignment) {
  assignment.committed = reader.Counter<Epoch>("epoch", wire.epoch(), 1);
  assignment.committed_rank = reader.Rank<GlobalRank>("rank", wire.rank());
  const int count = reader.Count("lost", wire.lost_size(), kSessionListMax);
  for (int i = 0; i < count; ++i) {
    const WireReader::Scope scope(reader, "lost", i);
    assignment.lost.push_back(ReadLostMember(reader, wire.lost(i)));
  }
}

// The spec, its generation and its deadlines come together or not at all.
void ReadSpec(WireReader& reader, const v1::Assignment& wire, Assignment& assignment) {
  if (!wire.has_spec()) {
    if (wire.generation() != 0) reader.Refuse("generation", "is set, want a spec with it");
    if (wire.has_deadlines()) reader.Refuse("deadlines", "is set, want a spec with it");
    return;
  }
  {
    const WireReader::Scope scope(reader, "spec");
    assignment.spec = std::make_shared<const JobSpec>(ReadJobSpec(reader, wire.spec()));
  }
  assignment.generation = reader.Counter<Generation>("generation", wire.generation(), 1);
  if (reader.Present("deadlines", wire.has_deadlines())) {
    const WireReader::Scope scope(reader, "deadlines");
    assignment.deadlines = ReadDeadlines(reader, wire.deadlines());
  }
}

void ReadProbes(WireReader& reader, const v1::Assignment& wire, Assignment& assignment) {
  const int count = reader.Count("probes", wire.probes_size(), kSessionListMax);
  for (int i = 0; i < count; ++i) {
    const v1::ProcessProbe& from = wire.probes(i);
    const WireReader::Scope scope(reader, "probes", i);
    ProcessProbe& probe = assignment.probes.emplace_back();
    probe.incarnation = Incarnation(reader.NonZero("incarnation", from.incarnation()));
    probe.pid = reader.Int64("pid", from.pid(), 1);
    probe.process_start = reader.Int64("process_start", from.process_start(), 0);
  }
}

}  // namespace

v1::Assignment ToProto(const Assignment& assignment) {
  v1::Assignment wire;
  wire.set_store(assignment.store.value);
  wire.set_term(assignment.term.value);
  wire.set_revision(assignment.revision.value);
  wire.set_to(assignment.to.value);
  wire.set_job_uid(assignment.job.value);
  wire.set_deleted(assignment.deleted);
  if (assignment.spec != nullptr) {
    *wire.mutable_spec() = ToProto(*assignment.spec);
    wire.set_generation(assignment.generation.value);
    *wire.mutable_deadlines() = ToProto(assignment.deadlines);
  }
  if (assignment.committed != Epoch{}) {
    v1::CommittedView& committed = *wire.mutable_committed();
    committed.set_epoch(assignment.committed.value);
    committed.set_rank(assignment.committed_rank.value);
    for (const LostMember& member : assignment.lost) *committed.add_lost() = ToProto(member);
  }
  if (assignment.attempt.has_value()) {
    *wire.mutable_attempt() = AttemptToProto(*assignment.attempt);
  }
  for (const ProcessProbe& probe : assignment.probes) {
    v1::ProcessProbe& added = *wire.add_probes();
    added.set_incarnation(probe.incarnation.value);
    added.set_pid(probe.pid);
    added.set_process_start(probe.process_start);
  }
  wire.set_ping(assignment.ping);
  wire.set_waiting_for(FitText(assignment.waiting_for, kWaitingForBytesMax));
  for (const std::string& group : assignment.traced_groups) wire.add_traced_groups(group);
  for (const LostMember& member : assignment.awaited) *wire.add_awaited() = ToProto(member);
  return wire;
}

absl::StatusOr<Assignment> FromProto(const v1::Assignment& wire) {
  WireReader reader("assignment");
  Assignment assignment;
  assignment.store = StoreId(reader.NonZero("store", wire.store()));
  assignment.term = reader.Counter<Term>("term", wire.term(), 1);
  assignment.revision = reader.Counter<Revision>("revision", wire.revision(), 1);
  assignment.to = Incarnation(reader.NonZero("to", wire.to()));
  assignment.job = JobUid(wire.job_uid());
  assignment.deleted = wire.deleted();
  ReadSpec(reader, wire, assignment);
  if (wire.has_committed()) {
    const WireReader::Scope scope(reader, "committed");
    ReadCommitted(reader, wire.committed(), assignment);
  }
  if (wire.has_attempt()) {
    const WireReader::Scope scope(reader, "attempt");
    assignment.attempt = ReadAttempt(reader, wire.attempt());
  }
  ReadProbes(reader, wire, assignment);
  assignment.ping = wire.ping();
  assignment.waiting_for = reader.Text("waiting_for", wire.waiting_for(), 0, kWaitingForBytesMax);
  const int awaited = reader.Count("awaited", wire.awaited_size(), kSessionListMax);
  for (int i = 0; i < awaited; ++i) {
    const WireReader::Scope scope(reader, "awaited", i);
    assignment.awaited.push_back(ReadLostMember(reader, wire.awaited(i)));
  }
  const int traced = reader.Count("traced_groups", wire.traced_groups_size(), kTracesMax);
  for (int i = 0; i < traced; ++i) {
    assignment.traced_groups.push_back(
        reader.Text("traced_groups", wire.traced_groups(i), 1, kGroupNameBytesMax));
  }
  return reader.Finish(std::move(assignment));
}

}  // namespace muster
