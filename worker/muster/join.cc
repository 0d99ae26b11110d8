#include "worker/muster/join.h"

#include <atomic>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/error_detail.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/rpc/diagnosis.h"
#include "common/session/job_spec.h"
#include "common/support/log.h"
#include "worker/agent/agent_runner.h"
#include "worker/agent/host_facts.h"
#include "worker/comm/gloo/gloo_backend.h"
#include "worker/muster/member.h"
#include "worker/muster/source_address.h"

namespace muster {
namespace {

// The agent ends a join at its deadline by itself; this is for the time that it takes.
constexpr absl::Duration kJoinGrace = absl::Seconds(5);
constexpr absl::Duration kDiagnosisWithin = absl::Seconds(1);

absl::Status Invalid(const std::string& message) {
  ErrorDetail detail;
  detail.kind = ErrorKind::kConfigInvalid;
  return MakeError(absl::StatusCode::kInvalidArgument, message, std::move(detail));
}

absl::Status Check(const JoinOptions& options) {
  MUSTER_RETURN_IF_ERROR(CheckJobName(options.job));
  if (options.worker.empty() || options.worker.size() > kWorkerIdBytesMax) {
    return Invalid(absl::StrCat("worker id of ", options.worker.size(), " bytes, want 1 to ",
                                kWorkerIdBytesMax));
  }
  if (options.join_deadline <= absl::ZeroDuration()) {
    return Invalid(absl::StrCat("join deadline ", absl::FormatDuration(options.join_deadline),
                                ", want more than 0"));
  }
  if (options.wanted_rank.has_value() && options.wanted_rank->value < 0) {
    return Invalid(absl::StrCat("wanted rank ", options.wanted_rank->value, ", want 0 or more"));
  }
  return absl::OkStatus();
}

worker::AgentOptions AgentOptionsOf(const JoinOptions& options) {
  worker::AgentOptions agent;
  agent.job = options.job;
  agent.worker = options.worker;
  agent.incarnation =
      options.incarnation.value != 0 ? options.incarnation : Incarnation(DrawNonZero64());
  agent.host = worker::ReadHostFacts(options.host_id);
  if (!options.device.empty()) agent.device = {options.device, options.device_index};
  agent.wanted_rank = options.wanted_rank;
  agent.join_deadline = options.join_deadline;
  agent.seed = SystemSeed();
  return agent;
}

// The machine knows that no coordinator answered; the channel knows more.
absl::Status AddStreamError(const absl::Status& status, const std::string& stream_error) {
  if (!absl::IsDeadlineExceeded(status) || stream_error.empty()) return status;
  return MakeError(status.code(),
                   absl::StrCat(absl::string_view(status.message()),
                                "; its stream ended last with: ", stream_error),
                   DetailOf(status).value_or(ErrorDetail{}));
}

}  // namespace

absl::StatusOr<JoinOptions> JoinOptions::FromEnvironment(const Environment& environment) {
  JoinOptions options;
  Config config("join", "Makes this process a member of a job.");
  int64_t wanted_rank = -1;
  int64_t device_index = 0;
  config.AddString({.name = "coordinator", .required = true}, &options.coordinator);
  config.AddString({.name = "job", .required = true}, &options.job);
  config.AddString({.name = "worker-id"}, &options.worker);
  config.AddString({.name = "host-id"}, &options.host_id);
  config.AddString({.name = "advertise-address"}, &options.advertise_address);
  config.AddString({.name = "device"}, &options.device);
  config.AddInt({.name = "device-index"}, &device_index, {.least = 0, .most = INT32_MAX});
  config.AddInt({.name = "wanted-rank"}, &wanted_rank, {.least = 0, .most = kWorldSizeMax - 1});
  std::string incarnation;
  config.AddString({.name = "incarnation"}, &incarnation);
  config.AddString({.name = "tls-cert"}, &options.tls.cert);
  config.AddString({.name = "tls-key"}, &options.tls.key);
  config.AddString({.name = "tls-ca"}, &options.tls.ca);
  config.AddDuration({.name = "join-deadline"}, &options.join_deadline,
                     {.least = absl::Milliseconds(1)});
  std::string log_level = "info";
  config.AddChoice({.name = "log-level"}, &log_level, {"debug", "info", "warning", "error"});
  MUSTER_RETURN_IF_ERROR(config.Parse({}, environment));
  if (environment("MUSTER_LOG_LEVEL").has_value()) options.log_level = ParseLogLevel(log_level);
  options.device_index = static_cast<int32_t>(device_index);
  static std::atomic<bool> incarnation_taken = false;
  if (!incarnation.empty() && !incarnation_taken.exchange(true)) {
    if (!absl::SimpleAtoi(incarnation, &options.incarnation.value)) {
      return Invalid(absl::StrCat("MUSTER_INCARNATION is '", incarnation, "', want a number"));
    }
  }
  if (wanted_rank < 0) {
    const std::string rank = environment("RANK").value_or("");
    if (!rank.empty() && (!absl::SimpleAtoi(rank, &wanted_rank) || wanted_rank < 0 ||
                          wanted_rank >= kWorldSizeMax)) {
      return Invalid(
          absl::StrCat("RANK is '", rank, "', want a rank from 0 to ", kWorldSizeMax - 1));
    }
  }
  if (wanted_rank >= 0) options.wanted_rank = GlobalRank(static_cast<int32_t>(wanted_rank));
  if (options.worker.empty()) {
    const HostFacts host = worker::ReadHostFacts(options.host_id);
    options.worker = absl::StrCat(host.hostname.substr(0, 64), "-", host.pid);
  }
  return options;
}

absl::StatusOr<std::unique_ptr<Context>> Join(const JoinOptions& options) {
  MUSTER_RETURN_IF_ERROR(Check(options));
  if (options.log_level.has_value()) SetLogLevel(*options.log_level);
  MUSTER_ASSIGN_OR_RETURN(std::shared_ptr<grpc::Channel> channel,
                          MakeChannel(options.coordinator, options.tls));
  GlooOptions gloo{.address = options.advertise_address};
  if (gloo.address.empty()) {
    MUSTER_ASSIGN_OR_RETURN(gloo.address, SourceAddressTo(options.coordinator));
  }
  auto member = std::make_unique<Member>(
      AgentOptionsOf(options), std::move(channel),
      [address = options.coordinator, tls = options.tls] {
        return DiagnoseTls(address, tls, kDiagnosisWithin);
      },
      gloo);
  const absl::Status joined = member->WaitForFirstEpoch(options.join_deadline + kJoinGrace);
  if (!joined.ok()) return AddStreamError(joined, member->last_stream_error());
  return member;
}

}  // namespace muster
