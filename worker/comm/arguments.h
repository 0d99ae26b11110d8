#ifndef MUSTER_WORKER_COMM_ARGUMENTS_H_
#define MUSTER_WORKER_COMM_ARGUMENTS_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "worker/comm/operation.h"

// What every backend checks before anything moves. The same at size 1 and size n.
namespace muster {

// kInvalidArgument if the timeout is not above 0 or is above kOperationTimeoutMax.
absl::Status CheckTimeout(absl::Duration timeout);

// Checks one rank's own part of an operation, of the rank `self` in a group of `size`.
//
// Errors, for the first thing that is wrong, with what was found and what was wanted:
//   kInvalidArgument  a negative or overflowing count, memory that is missing, sizes that do not
//                     fit, an overlap that is not allowed, a rank outside the group
//   kUnimplemented    elements of this dtype are not reduced this way; `backend` is named
absl::Status CheckArguments(const OperationCall& call, GroupRank self, int32_t size,
                            std::string_view backend);

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_ARGUMENTS_H_
