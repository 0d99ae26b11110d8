#ifndef MUSTER_CLI_RUN_TLS_H_
#define MUSTER_CLI_RUN_TLS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/support/throwaway_ca.h"
#include "common/support/tls_files.h"

namespace muster::cli {

// The certificates of one `muster run`, each for what its holder may do. All files are empty if the
// job runs without TLS.
struct RunTls {
  std::unique_ptr<ThrowawayCa> ca;  // The files live as long as it.
  TlsFiles coordinator;
  TlsFiles admin;
  TlsFiles supervisor;      // For all workers of the job.
  std::string worker_cert;  // Of worker N, with N in place of {index}.
  std::string worker_key;
};

// Makes a throw-away CA in the folder for temporary files, and certificates for a coordinator, an
// admin and workers "<prefix>-0" to "<prefix>-<workers - 1>" of `job`. Call it before this process
// has threads.
//
// Errors: those of ThrowawayCa.
absl::StatusOr<RunTls> MakeRunTls(const std::string& job, const std::string& prefix,
                                  int64_t workers);

}  // namespace muster::cli

#endif  // MUSTER_CLI_RUN_TLS_H_
