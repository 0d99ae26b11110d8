#ifndef MUSTER_WORKER_SUPERVISOR_SUPERVISOR_H_
#define MUSTER_WORKER_SUPERVISOR_SUPERVISOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/rpc/endpoint.h"

namespace muster {

// What a supervisor starts and where its children dial.
struct SupervisorOptions {
  std::string coordinator;  // HOST:PORT.
  std::string job;
  std::string worker_prefix;        // Child i is worker "<prefix>-<i>".
  std::string advertise_address;    // Where peers reach the children, a number; empty: found out.
  std::string health_http_address;  // HOST:PORT of /livez and /readyz; empty: not served.
  std::string host_id;              // Empty: each child finds out by itself.
  int64_t nproc = 1;
  int64_t node_rank = 0;  // For the torchrun variables only.
  int64_t nnodes = 1;
  TlsFiles tls;  // To report ends with; of the children, too, unless the next are set.
  // Of child i, with i in place of "{index}"; both or neither are empty.
  std::string child_tls_cert;
  std::string child_tls_key;
  absl::Duration grace = absl::Seconds(10);  // From SIGTERM to SIGKILL.
  std::vector<std::string> command;
};

// Runs `nproc` processes as workers until all have ended, and gives the exit code of the first that
// failed, 0 if none did.
//
// Each child gets MUSTER_COORDINATOR, MUSTER_JOB, MUSTER_WORKER_ID, MUSTER_INCARNATION and the
// torchrun variables. Its lines come out behind its number. SIGINT and SIGTERM are passed on. When
// one fails, the others get SIGTERM and, after `grace`, SIGKILL. Each end is reported to the
// coordinator at once. No child outlives this process.
//
// Blocks until the last child has ended. Call it from a process without other threads.
//
// Errors: those of StartChild() and MakeChannel(); children that were started are ended then.
absl::StatusOr<int> Supervise(const SupervisorOptions& options);

}  // namespace muster

#endif  // MUSTER_WORKER_SUPERVISOR_SUPERVISOR_H_
