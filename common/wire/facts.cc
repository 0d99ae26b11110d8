#include "common/wire/facts.h"

#include <optional>
#include <string_view>
#include <utility>

#include "common/wire/limits.h"
#include "common/wire/text.h"

namespace muster {
namespace {

constexpr std::pair<v1::LossCause, LossCause> kLossCauses[] = {
    {v1::LOSS_CAUSE_EXIT, LossCause::kExit},
    {v1::LOSS_CAUSE_SUPERSEDED, LossCause::kSuperseded},
    {v1::LOSS_CAUSE_LEFT, LossCause::kLeft},
    {v1::LOSS_CAUSE_RESET, LossCause::kReset},
    {v1::LOSS_CAUSE_SILENCE, LossCause::kSilence},
    {v1::LOSS_CAUSE_EARLIER, LossCause::kEarlier},
};

}  // namespace

v1::HostFacts ToProto(const HostFacts& host) {
  v1::HostFacts wire;
  wire.set_host_id(host.host_id);
  wire.set_hostname(FitText(host.hostname, kHostnameBytesMax));
  wire.set_boot_id(host.boot_id);
  wire.set_pid_namespace(host.pid_namespace);
  wire.set_pid(host.pid);
  wire.set_process_start(host.process_start);
  return wire;
}

HostFacts ReadHostFacts(WireReader& reader, const v1::HostFacts& wire) {
  HostFacts host;
  host.host_id = reader.Text("host_id", wire.host_id(), 1, kHostIdBytesMax);
  host.hostname = reader.Text("hostname", wire.hostname(), 0, kHostnameBytesMax);
  host.boot_id = reader.Text("boot_id", wire.boot_id(), 0, kBootIdBytesMax);
  host.pid_namespace = reader.Text("pid_namespace", wire.pid_namespace(), 0, kPidNamespaceBytesMax);
  host.pid = reader.Int64("pid", wire.pid(), 0);
  host.process_start = reader.Int64("process_start", wire.process_start(), 0);
  return host;
}

v1::DeviceFacts ToProto(const DeviceFacts& device) {
  v1::DeviceFacts wire;
  wire.set_uuid(device.uuid);
  wire.set_index(device.index);
  return wire;
}

DeviceFacts ReadDeviceFacts(WireReader& reader, const v1::DeviceFacts& wire) {
  DeviceFacts device;
  device.uuid = reader.Text("uuid", wire.uuid(), 1, kDeviceUuidBytesMax);
  device.index = reader.Int32("index", wire.index(), 0);
  return device;
}

v1::LostMember ToProto(const LostMember& member) {
  v1::LostMember wire;
  wire.set_rank(member.rank.value);
  wire.set_worker(member.worker);
  wire.set_hostname(FitText(member.hostname, kHostnameBytesMax));
  wire.set_incarnation(member.incarnation.value);
  wire.set_cause(WireEnum<v1::LossCause, LossCause>(member.cause, kLossCauses));
  *wire.mutable_silent_for() = WireTime(member.silent_for);
  wire.set_doing(FitText(member.doing, kDoingBytesMax));
  return wire;
}

LostMember ReadLostMember(WireReader& reader, const v1::LostMember& wire) {
  LostMember member;
  member.rank = reader.Rank<GlobalRank>("rank", wire.rank());
  member.worker = reader.Text("worker", wire.worker(), 1, kWorkerIdBytesMax);
  member.hostname = reader.Text("hostname", wire.hostname(), 0, kHostnameBytesMax);
  member.incarnation = Incarnation(reader.NonZero("incarnation", wire.incarnation()));
  member.cause = reader.Enum<v1::LossCause, LossCause>("cause", wire.cause(), kLossCauses);
  member.silent_for = reader.Time("silent_for", wire.has_silent_for(), wire.silent_for());
  member.doing = reader.Text("doing", wire.doing(), 0, kDoingBytesMax);
  return member;
}

v1::Deadlines ToProto(const Deadlines& deadlines) {
  v1::Deadlines wire;
  *wire.mutable_recovery() = WireTime(deadlines.recovery);
  *wire.mutable_lease() = WireTime(deadlines.lease);
  *wire.mutable_heartbeat() = WireTime(deadlines.heartbeat);
  *wire.mutable_margin() = WireTime(deadlines.margin);
  *wire.mutable_prepare() = WireTime(deadlines.prepare);
  *wire.mutable_build() = WireTime(deadlines.build);
  *wire.mutable_retire() = WireTime(deadlines.retire);
  *wire.mutable_abort() = WireTime(deadlines.abort);
  *wire.mutable_coordinator_lost() = WireTime(deadlines.coordinator_lost);
  *wire.mutable_join() = WireTime(deadlines.join);
  *wire.mutable_reattach_window() = WireTime(deadlines.reattach_window);
  *wire.mutable_reattach_grace() = WireTime(deadlines.reattach_grace);
  *wire.mutable_ping() = WireTime(deadlines.ping);
  *wire.mutable_verdict() = WireTime(deadlines.verdict);
  return wire;
}

Deadlines ReadDeadlines(WireReader& reader, const v1::Deadlines& wire) {
  Deadlines d;
  d.recovery = reader.Time("recovery", wire.has_recovery(), wire.recovery());
  d.lease = reader.Time("lease", wire.has_lease(), wire.lease());
  d.heartbeat = reader.Time("heartbeat", wire.has_heartbeat(), wire.heartbeat());
  d.margin = reader.Time("margin", wire.has_margin(), wire.margin());
  d.prepare = reader.Time("prepare", wire.has_prepare(), wire.prepare());
  d.build = reader.Time("build", wire.has_build(), wire.build());
  d.retire = reader.Time("retire", wire.has_retire(), wire.retire());
  d.abort = reader.Time("abort", wire.has_abort(), wire.abort());
  d.coordinator_lost =
      reader.Time("coordinator_lost", wire.has_coordinator_lost(), wire.coordinator_lost());
  d.join = reader.Time("join", wire.has_join(), wire.join());
  d.reattach_window =
      reader.Time("reattach_window", wire.has_reattach_window(), wire.reattach_window());
  d.reattach_grace =
      reader.Time("reattach_grace", wire.has_reattach_grace(), wire.reattach_grace());
  d.ping = reader.Time("ping", wire.has_ping(), wire.ping());
  d.verdict = reader.Time("verdict", wire.has_verdict(), wire.verdict());
  return d;
}

v1::DeadlineOverrides ToProto(const DeadlineOverrides& overrides) {
  v1::DeadlineOverrides wire;
  if (overrides.lease) *wire.mutable_lease() = WireTime(*overrides.lease);
  if (overrides.heartbeat) *wire.mutable_heartbeat() = WireTime(*overrides.heartbeat);
  if (overrides.prepare) *wire.mutable_prepare() = WireTime(*overrides.prepare);
  if (overrides.build) *wire.mutable_build() = WireTime(*overrides.build);
  if (overrides.retire) *wire.mutable_retire() = WireTime(*overrides.retire);
  if (overrides.abort) *wire.mutable_abort() = WireTime(*overrides.abort);
  if (overrides.coordinator_lost) {
    *wire.mutable_coordinator_lost() = WireTime(*overrides.coordinator_lost);
  }
  if (overrides.join) *wire.mutable_join() = WireTime(*overrides.join);
  return wire;
}

DeadlineOverrides ReadDeadlineOverrides(WireReader& reader, const v1::DeadlineOverrides& wire) {
  DeadlineOverrides o;
  const auto read = [&reader](std::string_view name, bool is_set,
                              const google::protobuf::Duration& value) {
    return is_set ? std::optional(reader.Time(name, is_set, value)) : std::nullopt;
  };
  o.lease = read("lease", wire.has_lease(), wire.lease());
  o.heartbeat = read("heartbeat", wire.has_heartbeat(), wire.heartbeat());
  o.prepare = read("prepare", wire.has_prepare(), wire.prepare());
  o.build = read("build", wire.has_build(), wire.build());
  o.retire = read("retire", wire.has_retire(), wire.retire());
  o.abort = read("abort", wire.has_abort(), wire.abort());
  o.coordinator_lost =
      read("coordinator_lost", wire.has_coordinator_lost(), wire.coordinator_lost());
  o.join = read("join", wire.has_join(), wire.join());
  return o;
}

}  // namespace muster
