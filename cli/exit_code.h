#ifndef MUSTER_CLI_EXIT_CODE_H_
#define MUSTER_CLI_EXIT_CODE_H_

#include <string>

#include "absl/status/status.h"

namespace muster::cli {

// What `muster` ends with. Scripts rely on these numbers.
enum ExitCode : int {
  kOk = 0,
  kFailed = 1,
  kUsage = 2,
  kUnreachable = 3,  // Nobody answers, or not in time.
  kDenied = 4,       // Not authenticated, or not allowed.
  kNotFound = 5,
  kConflict = 6,  // The epoch moved, or something exists already.
  kNotReady = 7,
};

ExitCode ExitCodeOf(const absl::Status& status);

// Prints "Error: CODE: text" on stderr, and gives the exit code of `status`, which is not OK. With
// the output format "json" an object follows: code, message, and the fields of v1.ErrorDetail.
int Fail(const absl::Status& status, const std::string& format = "table");

// The same for a command line that cannot be.
int FailUsage(const absl::Status& status);

}  // namespace muster::cli

#endif  // MUSTER_CLI_EXIT_CODE_H_
