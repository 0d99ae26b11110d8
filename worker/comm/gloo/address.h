#ifndef MUSTER_WORKER_COMM_GLOO_ADDRESS_H_
#define MUSTER_WORKER_COMM_GLOO_ADDRESS_H_

#include <sys/socket.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace muster {

// An IPv4 or IPv6 address with a port. Never a name: looking up an unknown one crashes the packaged
// gloo, so that nothing but numbers may reach it.
class SocketAddress {
 public:
  // From "127.0.0.1", "::1" and a port. kInvalidArgument for anything that is not a plain number of
  // one machine: names, scopes ("fe80::1%eth0"), wildcard and multicast addresses, nothing at all.
  static absl::StatusOr<SocketAddress> Parse(std::string_view ip, uint16_t port);

  // From "127.0.0.1:4321" or "[::1]:4321", as ToString() gives it. The port is not 0.
  static absl::StatusOr<SocketAddress> ParseEndpoint(std::string_view text);

  // From what the system gives; the family must be IPv4 or IPv6.
  static SocketAddress FromStorage(const sockaddr_storage& storage);

  std::string ToString() const;
  uint16_t port() const;
  bool is_ipv6() const { return storage_.ss_family == AF_INET6; }
  const sockaddr_storage& storage() const { return storage_; }
  socklen_t length() const;

  // Tells whether the end with this address dials the end with `other`: gloo dials from the larger
  // address to the smaller one, comparing bytes of the address, then the port as the wire has it.
  bool Dials(const SocketAddress& other) const;

 private:
  sockaddr_storage storage_ = {};
};

// Binds a socket to `address` and closes it again. kInvalidArgument if the address is not one of
// this machine, kResourceExhausted if there is no descriptor left.
absl::Status CheckBindable(const SocketAddress& address);

// The ports on which a socket of this network namespace listens; empty if the system does not say.
std::set<uint16_t> ListeningPorts();

// How many bytes the sockets of this process with a local port out of `ports` hold that the system
// at the other end has not taken. Closing such a socket with a reset would lose them.
int64_t UntakenBytes(const std::set<uint16_t>& ports);

}  // namespace muster

#endif  // MUSTER_WORKER_COMM_GLOO_ADDRESS_H_
