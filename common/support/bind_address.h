#ifndef MUSTER_COMMON_SUPPORT_BIND_ADDRESS_H_
#define MUSTER_COMMON_SUPPORT_BIND_ADDRESS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace muster {

// Where to listen: one address of this machine and a port.
struct BindAddress {
  std::string host;  // Numeric, IPv4 or IPv6, without brackets.
  int port = 0;      // 0: any that is free.

  // As it is written: HOST:PORT, an IPv6 host in brackets.
  std::string Text() const;
};

// Reads HOST:PORT. Gives kInvalidArgument if the host is not numeric (a name may stand for several
// addresses) or the port no number from 0 to 65535.
absl::StatusOr<BindAddress> ParseBindAddress(const std::string& text);

// Why nobody can listen on `address` just now: kAlreadyExists if it is in use, kInvalidArgument if
// it is not of this machine, kPermissionDenied, or kUnavailable with the system's words; where
// nothing is in the way any more, kUnavailable, too.
absl::Status WhyNotBound(const BindAddress& address);

}  // namespace muster

#endif  // MUSTER_COMMON_SUPPORT_BIND_ADDRESS_H_
