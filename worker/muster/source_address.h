#ifndef MUSTER_WORKER_MUSTER_SOURCE_ADDRESS_H_
#define MUSTER_WORKER_MUSTER_SOURCE_ADDRESS_H_

#include <string>

#include "absl/status/statusor.h"

namespace muster {

// The address of this machine from which packets to `target`, HOST:PORT, would leave: a number, as
// peers on the same network can reach it. Sends nothing, but asks the resolver if HOST is a name,
// which may block for seconds.
//
// Errors: kInvalidArgument (not HOST:PORT), kUnavailable (HOST has no address, or no route leads
// there); both config_invalid, naming `target`.
absl::StatusOr<std::string> SourceAddressTo(const std::string& target);

}  // namespace muster

#endif  // MUSTER_WORKER_MUSTER_SOURCE_ADDRESS_H_
