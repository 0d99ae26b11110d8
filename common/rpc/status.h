#ifndef MUSTER_COMMON_RPC_STATUS_H_
#define MUSTER_COMMON_RPC_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace muster {

// A status as a call ends with it, its ErrorDetail included, and back. What the transport itself
// says (no detail) keeps its code and text.
grpc::Status ToGrpc(const absl::Status& status);
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace muster

#endif  // MUSTER_COMMON_RPC_STATUS_H_
