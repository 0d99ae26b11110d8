#ifndef MUSTER_WORKER_AGENT_FAULT_POINT_H_
#define MUSTER_WORKER_AGENT_FAULT_POINT_H_

#include <optional>

#include "absl/status/status.h"
#include "common/base/ids.h"

// Named places at which a test makes a worker fail. Only builds with MUSTER_TEST_FAULTS have them.
//
// MUSTER_TEST_FAULT=KIND@STEP[#RANK] asks for one fault, once in a process, of the worker with that
// global rank, or of any. Kinds:
//   kill   SIGKILL
//   exit   ends the process at once with code 1
//   stop   SIGSTOP
//   error  the step fails: building (layout_received, connecting), or the operation (in_collective)
// The process ends with a message if the variable cannot be read.
namespace muster::worker {

enum class FaultStep {
  kRegistered,      // The coordinator took the Hello.
  kLayoutReceived,  // About to open endpoints.
  kEndpointsSent,   // The report with the endpoints is handed to the network.
  kConnecting,      // About to connect to the peers of a group.
  kBuilt,           // All communicators stand; the coordinator does not know it yet.
  kInCollective,    // A collective is under way.
};

#if defined(MUSTER_TEST_FAULTS) && MUSTER_TEST_FAULTS
// Carries out the fault that is asked for at `step`, if any. Gives kInternal for an error, else OK.
// `rank` is unset before it is known.
absl::Status FaultPoint(FaultStep step, std::optional<GlobalRank> rank);
#else
inline absl::Status FaultPoint(FaultStep, std::optional<GlobalRank>) { return absl::OkStatus(); }
#endif

}  // namespace muster::worker

#endif  // MUSTER_WORKER_AGENT_FAULT_POINT_H_
