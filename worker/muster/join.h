#ifndef MUSTER_WORKER_MUSTER_JOIN_H_
#define MUSTER_WORKER_MUSTER_JOIN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/ids.h"
#include "common/rpc/endpoint.h"
#include "common/support/config.h"
#include "common/support/log_record.h"
#include "worker/muster/context.h"

namespace muster {

// Who joins what, and from where.
struct JoinOptions {
  std::string coordinator;  // HOST:PORT of its worker port.
  std::string job;
  std::string worker;             // Stable across restarts, unique in the job.
  std::string host_id;            // Empty: from the machine; see worker/agent/host_facts.h.
  std::string advertise_address;  // A number. Empty: where packets to the coordinator leave from.
  std::string device;             // Uuid of the device that this process owns; empty: none.
  int32_t device_index = 0;       // Its place on the host.
  std::optional<GlobalRank> wanted_rank;
  TlsFiles tls;
  absl::Duration join_deadline = absl::Minutes(10);
  // By which a supervisor knows this process, so that it can report its end. 0: drawn at random.
  Incarnation incarnation;
  // From Join() on, the least urgent level that this library logs, in the whole process; none: as
  // it is, at first info.
  std::optional<LogLevel> log_level;

  // Reads MUSTER_COORDINATOR, MUSTER_JOB, MUSTER_WORKER_ID, MUSTER_HOST_ID,
  // MUSTER_ADVERTISE_ADDRESS, MUSTER_DEVICE, MUSTER_DEVICE_INDEX, MUSTER_WANTED_RANK (else RANK),
  // MUSTER_TLS_CERT, MUSTER_TLS_KEY, MUSTER_TLS_CA, MUSTER_JOIN_DEADLINE and MUSTER_LOG_LEVEL
  // (debug, info, warning or error). The first two are required; a worker without an id is called
  // "<hostname>-<pid>". MUSTER_INCARNATION is given to the first caller in a process only, since no
  // two joins may have the same.
  //
  // Errors: kInvalidArgument (config_invalid), naming the variable and what is wanted.
  static absl::StatusOr<JoinOptions> FromEnvironment(
      const Environment& environment = ProcessEnvironment);
};

// Makes this process a member of a job. Blocks until its first epoch is active with all groups
// built, the coordinator refuses, or the deadline.
//
// Errors:
//   kInvalidArgument     an option cannot be used; it is named
//   kNotFound            a TLS file cannot be read
//   kPermissionDenied    a plain connection beyond loopback
//   kUnauthenticated     one side takes TLS and the other does not, or one does not trust the
//                        other's certificate; what was found and what to do is said
//   kDeadlineExceeded    not formed in time: who or what was waited for, or why the newest attempt
//                        could not be built
//   kUnavailable         not formed in time, since members were lost and nobody came for them: they
//                        are named (member_lost); or built in time, but nobody says whether it is
//                        committed (verdict_unknown); or the name of the coordinator has no address
//   or the coordinator's refusal, as protos/muster/v1/worker.proto lists for Session
absl::StatusOr<std::unique_ptr<Context>> Join(const JoinOptions& options);

}  // namespace muster

#endif  // MUSTER_WORKER_MUSTER_JOIN_H_
