#ifndef MUSTER_WORKER_SUPERVISOR_EXIT_REPORTER_H_
#define MUSTER_WORKER_SUPERVISOR_EXIT_REPORTER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/rpc/endpoint.h"
#include "common/wire/departure.h"

namespace muster {

// Tells a coordinator how processes ended. Best effort: an end that cannot be told is noticed by
// the reset of the process's stream or by its silence.
class ExitReporter {
 public:
  static absl::StatusOr<std::unique_ptr<ExitReporter>> Make(const std::string& coordinator,
                                                            const TlsFiles& tls);
  virtual ~ExitReporter() = default;

  // Starts to tell; does not wait.
  virtual void Report(const Exit& exit) = 0;

  // Waits until everything is told or given up, at most `deadline`.
  virtual void Flush(absl::Duration deadline) = 0;
};

}  // namespace muster

#endif  // MUSTER_WORKER_SUPERVISOR_EXIT_REPORTER_H_
