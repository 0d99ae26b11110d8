#ifndef MUSTER_COMMON_RPC_DIAGNOSIS_H_
#define MUSTER_COMMON_RPC_DIAGNOSIS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/rpc/endpoint.h"

namespace muster {

// Finds out whether TLS is why the coordinator at `address` cannot be reached, for gRPC says no
// more than that the connection ended. Gives kUnauthenticated, saying what was found, what was
// wanted and what to do, if one side takes TLS and the other does not, or one does not trust the
// other's certificate, or the certificate is not a coordinator's. Gives OK if there is no such
// reason, or none could be found.
//
// Blocks for at most twice `within`, besides the look-up of a name. Makes a connection of its own.
absl::Status DiagnoseTls(const std::string& address, const TlsFiles& files, absl::Duration within);

}  // namespace muster

#endif  // MUSTER_COMMON_RPC_DIAGNOSIS_H_
