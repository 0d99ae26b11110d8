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
#include "common/support/tls_files.h"

// How the programs of this project reach each other over gRPC: who may, with what limits, and how a
// dead peer is noticed.
namespace muster {

// A message is at most this long, in both directions; an admin's request is shorter.
inline constexpr int kMessageBytesMax = 64 << 20;
inline constexpr int kAdminRequestBytesMax = 4 << 20;

// A silent peer is asked for a sign of life after this long, and given up this much later.
inline constexpr int kKeepaliveTimeMs = 2000;
inline constexpr int kKeepaliveTimeoutMs = 2000;

// One attempt to connect has this long; the next one follows at once, then ever later.
inline constexpr int kConnectTimeoutMs = 2000;

// Refuses a plain connection to anything but loopback: kPermissionDenied, naming the address.
// `address` is HOST:PORT, an IPv6 host in brackets.
absl::Status CheckPlainAllowed(const std::string& address);

// Credentials from files. Plain ones if `files` is empty. Each side wants a certificate of the
// other that its CA signed. A client wants one that names a coordinator (identity.h), and does not
// care for the name of the host; what a client's certificate names is for the services to judge.
//
// Errors: those of ReadTlsFiles().
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
