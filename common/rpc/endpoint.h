#ifndef MUSTER_COMMON_RPC_ENDPOINT_H_
#define MUSTER_COMMON_RPC_ENDPOINT_H_

#include <grpc/support/time.h>
#include <grpcpp/channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

// How the programs of this project reach each other over gRPC: who may, with what limits, and how a
// dead peer is noticed.
namespace muster {

// PEM files of one side. All three are set, or none: then the connection is neither encrypted nor
// authenticated, which is allowed on loopback only.
struct TlsFiles {
  std::string cert;  // This side's certificate chain.
  std::string key;   // Its private key.
  std::string ca;    // Who signed the other side's.

  bool empty() const { return cert.empty() && key.empty() && ca.empty(); }
};

// A message is at most this long, in both directions.
inline constexpr int kMessageBytesMax = 64 << 20;

// A silent peer is asked for a sign of life after this long, and given up this much later.
inline constexpr int kKeepaliveTimeMs = 2000;
inline constexpr int kKeepaliveTimeoutMs = 2000;

// Refuses a plain connection to anything but loopback: kPermissionDenied, naming the address.
// `address` is HOST:PORT, an IPv6 host in brackets.
absl::Status CheckPlainAllowed(const std::string& address);

// Credentials from files. Plain ones if `files` is empty.
//
// Errors: kInvalidArgument (one of the three is missing), kNotFound (a file cannot be read); the
// file is named.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(
    const TlsFiles& files);
absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> MakeChannelCredentials(
    const TlsFiles& files);

// A channel to the coordinator at `address`. Connects when it is used first, by itself again later.
// Proxies in the environment are not used. Nothing blocks.
//
// Errors: as of MakeChannelCredentials() and CheckPlainAllowed().
absl::StatusOr<std::shared_ptr<grpc::Channel>> MakeChannel(const std::string& address,
                                                           const TlsFiles& files);

// The point in time `after` from now, on the monotonic clock, as calls and servers of gRPC take it.
gpr_timespec GrpcDeadline(absl::Duration after);

// What every server of this project has in common: limits, keepalive, and a port that nobody
// shares.
void SetServerDefaults(grpc::ServerBuilder& builder);

}  // namespace muster

#endif  // MUSTER_COMMON_RPC_ENDPOINT_H_
