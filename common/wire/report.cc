#include "common/wire/report.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/status_macros.h"
#include "common/wire/facts.h"
#include "common/wire/group_ref.h"
#include "common/wire/identity.h"
#include "common/wire/limits.h"
#include "common/wire/reader.h"
#include "common/wire/text.h"
#include "common/wire/trace.h"

namespace muster {
namespace {

constexpr std::pair<v1::HoldingState, HoldingState> kHoldingStates[] = {
    {v1::HOLDING_STATE_PREPARING, HoldingState::kPreparing},
    {v1::HOLDING_STATE_PREPARED, HoldingState::kPrepared},
    {v1::HOLDING_STATE_BUILDING, HoldingState::kBuilding},
    {v1::HOLDING_STATE_BUILT, HoldingState::kBuilt},
    {v1::HOLDING_STATE_FAILED, HoldingState::kFailed},
    {v1::HOLDING_STATE_ACTIVE, HoldingState::kActive},
    {v1::HOLDING_STATE_ENDED, HoldingState::kEnded},
    {v1::HOLDING_STATE_FREEING, HoldingState::kFreeing},
};

v1::Endpoint EndpointToProto(const Endpoint& endpoint) {
  v1::Endpoint wire;
  *wire.mutable_group() = ToProto(endpoint.group);
  wire.set_from(endpoint.from.value);
  if (endpoint.to.has_value()) wire.set_to(endpoint.to->value);
  wire.set_data(endpoint.bytes);
  return wire;
}

Endpoint ReadEndpoint(WireReader& reader, const v1::Endpoint& wire) {
  Endpoint endpoint;
  if (reader.Present("group", wire.has_group())) {
    endpoint.group = ReadGroupRef(reader, "group", wire.group());
  }
  endpoint.from = reader.Rank<GroupRank>("from", wire.from());
  if (wire.has_to()) endpoint.to = reader.Rank<GroupRank>("to", wire.to());
  endpoint.bytes = reader.Bytes("data", wire.data(), 1, kEndpointBytesMax);
  return endpoint;
}

v1::BuildFailure FailureToProto(const BuildFailure& failure) {
  v1::BuildFailure wire;
  wire.set_group(failure.group);
  if (failure.peer.has_value()) wire.set_peer(failure.peer->value);
  wire.set_reason(FitText(failure.reason, kReasonBytesMax));
  return wire;
}

BuildFailure ReadFailure(WireReader& reader, const v1::BuildFailure& wire) {
  BuildFailure failure;
  failure.group = reader.Text("group", wire.group(), 0, kGroupNameBytesMax);
  if (wire.has_peer()) failure.peer = reader.Rank<GlobalRank>("peer", wire.peer());
  failure.reason = reader.Text("reason", wire.reason(), 0, kReasonBytesMax);
  return failure;
}

v1::Holding HoldingToProto(const Holding& holding) {
  v1::Holding wire;
  wire.set_epoch(holding.epoch.value);
  wire.set_state(WireEnum<v1::HoldingState, HoldingState>(holding.state, kHoldingStates));
  if (holding.failure.has_value()) *wire.mutable_failure() = FailureToProto(*holding.failure);
  for (const Endpoint& endpoint : holding.endpoints) {
    *wire.add_endpoints() = EndpointToProto(endpoint);
  }
  return wire;
}

Holding ReadHolding(WireReader& reader, const v1::Holding& wire) {
  Holding holding;
  holding.epoch = reader.Counter<Epoch>("epoch", wire.epoch(), 1);
  holding.state =
      reader.Enum<v1::HoldingState, HoldingState>("state", wire.state(), kHoldingStates);
  if (wire.has_failure() != (wire.state() == v1::HOLDING_STATE_FAILED)) {
    reader.Refuse("failure", wire.has_failure() ? "is set, want it only in the state failed"
                                                : "is not set, want it in the state failed");
  }
  if (wire.has_failure()) {
    const WireReader::Scope scope(reader, "failure");
    holding.failure = ReadFailure(reader, wire.failure());
  }
  const int count = reader.Count("endpoints", wire.endpoints_size(), kSessionListMax);
  for (int i = 0; i < count; ++i) {
    const WireReader::Scope scope(reader, "endpoints", i);
    holding.endpoints.push_back(ReadEndpoint(reader, wire.endpoints(i)));
  }
  return holding;
}

void ReadHoldings(WireReader& reader, const v1::Report& wire, Report& report) {
  const int count = reader.Count("holdings", wire.holdings_size(), kHoldingsMax);
  for (int i = 0; i < count; ++i) {
    const WireReader::Scope scope(reader, "holdings", i);
    report.holdings.push_back(ReadHolding(reader, wire.holdings(i)));
    if (i > 0 && wire.holdings(i).epoch() <= wire.holdings(i - 1).epoch()) {
      reader.Refuse("epoch", absl::StrCat("is ", wire.holdings(i).epoch(), " after ",
                                          wire.holdings(i - 1).epoch(), ", want them ascending"));
    }
  }
}

void ReadLists(WireReader& reader, const v1::Report& wire, Report& report) {
  const int leaks = reader.Count("leaks", wire.leaks_size(), kLeaksMax);
  for (int i = 0; i < leaks; ++i) {
    const WireReader::Scope scope(reader, "leaks", i);
    Leak& leak = report.leaks.emplace_back();
    leak.epoch = reader.Counter<Epoch>("epoch", wire.leaks(i).epoch(), 1);
    leak.what = reader.Text("what", wire.leaks(i).what(), 0, kLeakBytesMax);
  }
  const int resets = reader.Count("reset_peers", wire.reset_peers_size(), kSessionListMax);
  for (int i = 0; i < resets; ++i) {
    report.reset_peers.push_back(reader.Rank<GlobalRank>("reset_peers", wire.reset_peers(i)));
  }
  const int dead = reader.Count("proved_dead", wire.proved_dead_size(), kSessionListMax);
  for (int i = 0; i < dead; ++i) {
    report.proved_dead.emplace_back(reader.NonZero("proved_dead", wire.proved_dead(i)));
  }
}

Report ReadReport(WireReader& reader, const v1::Report& wire) {
  Report report;
  report.incarnation = Incarnation(reader.NonZero("incarnation", wire.incarnation()));
  report.number = reader.NonZero("number", wire.number());
  report.store = StoreId(wire.store());
  report.term = reader.Counter<Term>("term", wire.term(), 0);
  report.revision = reader.Counter<Revision>("revision", wire.revision(), 0);
  report.job = JobUid(wire.job_uid());
  ReadHoldings(reader, wire, report);
  ReadLists(reader, wire, report);
  report.pong = wire.pong();
  report.doing = reader.Text("doing", wire.doing(), 0, kDoingBytesMax);
  const int traces = reader.Count("traces", wire.traces_size(), kTracesMax);
  for (int i = 0; i < traces; ++i) {
    const WireReader::Scope scope(reader, "traces", i);
    report.traces.push_back(ReadGroupTrace(reader, wire.traces(i)));
  }
  return report;
}

Hello ReadHello(WireReader& reader, const v1::Hello& wire) {
  Hello hello;
  ReadIdentity(reader, wire, hello);
  hello.session = reader.Counter<SessionNumber>("session", wire.session(), 1);
  if (reader.Present("host", wire.has_host())) {
    const WireReader::Scope scope(reader, "host");
    hello.host = ReadHostFacts(reader, wire.host());
  }
  if (wire.has_device()) {
    const WireReader::Scope scope(reader, "device");
    hello.device = ReadDeviceFacts(reader, wire.device());
  }
  if (wire.has_wanted_rank()) {
    hello.wanted_rank = reader.Rank<GlobalRank>("wanted_rank", wire.wanted_rank());
  }
  hello.join_deadline =
      reader.Time("join_deadline", wire.has_join_deadline(), wire.join_deadline());
  if (reader.Present("report", wire.has_report())) {
    const WireReader::Scope scope(reader, "report");
    hello.report = ReadReport(reader, wire.report());
    if (wire.report().incarnation() != wire.incarnation()) {
      reader.Refuse("incarnation", "is another one than that of the hello, want the same");
    }
  }
  return hello;
}

}  // namespace

absl::StatusOr<int32_t> ChooseProtocol(const v1::ProtocolRange& wire) {
  WireReader reader("protocol");
  reader.Int32("min", wire.min(), 1);
  reader.Int32("max", wire.max(), std::max(1, wire.min()));
  if (!reader.ok()) return reader.status();
  if (wire.min() <= kProtocolMax && wire.max() >= kProtocolMin) {
    return std::min(wire.max(), kProtocolMax);
  }
  ErrorDetail detail;
  detail.kind = ErrorKind::kProtocolMismatch;
  detail.remedy = "Use a worker and a coordinator of the same or of neighbouring minor versions.";
  return MakeError(absl::StatusCode::kFailedPrecondition,
                   absl::StrCat("the worker speaks the protocols ", wire.min(), " to ", wire.max(),
                                ", want one of ", kProtocolMin, " to ", kProtocolMax),
                   std::move(detail));
}

v1::Report ToProto(const Report& report) {
  v1::Report wire;
  wire.set_incarnation(report.incarnation.value);
  wire.set_number(report.number);
  wire.set_store(report.store.value);
  wire.set_term(report.term.value);
  wire.set_revision(report.revision.value);
  wire.set_job_uid(report.job.value);
  for (const Holding& holding : report.holdings) *wire.add_holdings() = HoldingToProto(holding);
  for (const Leak& leak : report.leaks) {
    v1::Leak& added = *wire.add_leaks();
    added.set_epoch(leak.epoch.value);
    added.set_what(FitText(leak.what, kLeakBytesMax));
  }
  for (const GlobalRank rank : report.reset_peers) wire.add_reset_peers(rank.value);
  for (const Incarnation dead : report.proved_dead) wire.add_proved_dead(dead.value);
  wire.set_pong(report.pong);
  wire.set_doing(FitText(report.doing, kDoingBytesMax));
  for (const GroupTrace& trace : report.traces) *wire.add_traces() = ToProto(trace);
  return wire;
}

absl::StatusOr<Report> FromProto(const v1::Report& wire) {
  WireReader reader("report");
  Report report = ReadReport(reader, wire);
  return reader.Finish(std::move(report));
}

v1::Hello ToProto(const Hello& hello) {
  v1::Hello wire;
  wire.mutable_protocol()->set_min(kProtocolMin);
  wire.mutable_protocol()->set_max(kProtocolMax);
  WriteIdentity(hello, wire);
  wire.set_session(hello.session.value);
  *wire.mutable_host() = ToProto(hello.host);
  if (!hello.device.uuid.empty()) *wire.mutable_device() = ToProto(hello.device);
  if (hello.wanted_rank.has_value()) wire.set_wanted_rank(hello.wanted_rank->value);
  *wire.mutable_join_deadline() = WireTime(hello.join_deadline);
  *wire.mutable_report() = ToProto(hello.report);
  return wire;
}

absl::StatusOr<Hello> FromProto(const v1::Hello& wire) {
  MUSTER_RETURN_IF_ERROR(ChooseProtocol(wire.protocol()).status());
  WireReader reader("hello");
  Hello hello = ReadHello(reader, wire);
  return reader.Finish(std::move(hello));
}

}  // namespace muster
