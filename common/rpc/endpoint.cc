#include "common/rpc/endpoint.h"

#include <grpcpp/create_channel.h>

#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/error_detail.h"
#include "common/base/status_macros.h"

namespace muster {
namespace {

absl::Status Error(absl::StatusCode code, const std::string& message, std::string remedy) {
  ErrorDetail detail;
  detail.kind = ErrorKind::kConfigInvalid;
  detail.remedy = std::move(remedy);
  return MakeError(code, message, std::move(detail));
}

absl::StatusOr<std::string> ReadPem(const std::string& path, const char* flag) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  if (!file || content.str().empty()) {
    return Error(absl::StatusCode::kNotFound,
                 absl::StrCat(flag, ": cannot read '", path, "', want a PEM file"),
                 "check the path and its permissions");
  }
  return content.str();
}

struct Pems {
  std::string cert;
  std::string key;
  std::string ca;
};

absl::StatusOr<Pems> ReadPems(const TlsFiles& files) {
  if (files.cert.empty() || files.key.empty() || files.ca.empty()) {
    return Error(absl::StatusCode::kInvalidArgument,
                 "--tls-cert, --tls-key and --tls-ca belong together: only some are set",
                 "set all three");
  }
  Pems pems;
  MUSTER_ASSIGN_OR_RETURN(pems.cert, ReadPem(files.cert, "--tls-cert"));
  MUSTER_ASSIGN_OR_RETURN(pems.key, ReadPem(files.key, "--tls-key"));
  MUSTER_ASSIGN_OR_RETURN(pems.ca, ReadPem(files.ca, "--tls-ca"));
  return pems;
}

bool IsLoopback(const std::string& address) {
  return absl::StartsWith(address, "127.") || absl::StartsWith(address, "localhost:") ||
         absl::StartsWith(address, "[::1]:") || absl::StartsWith(address, "unix:");
}

}  // namespace

absl::Status CheckPlainAllowed(const std::string& address) {
  if (IsLoopback(address)) return absl::OkStatus();
  return Error(absl::StatusCode::kPermissionDenied,
               absl::StrCat("a plain connection at ", address,
                            " is refused: without TLS only loopback is allowed"),
               "give --tls-cert, --tls-key and --tls-ca");
}

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(
    const TlsFiles& files) {
  if (files.empty()) return grpc::InsecureServerCredentials();
  MUSTER_ASSIGN_OR_RETURN(Pems pems, ReadPems(files));
  grpc::SslServerCredentialsOptions options(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = pems.ca;
  options.pem_key_cert_pairs.push_back({pems.key, pems.cert});
  return grpc::SslServerCredentials(options);
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> MakeChannelCredentials(
    const TlsFiles& files) {
  if (files.empty()) return grpc::InsecureChannelCredentials();
  MUSTER_ASSIGN_OR_RETURN(Pems pems, ReadPems(files));
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = pems.ca;
  options.pem_private_key = pems.key;
  options.pem_cert_chain = pems.cert;
  return grpc::SslCredentials(options);
}

absl::StatusOr<std::shared_ptr<grpc::Channel>> MakeChannel(const std::string& address,
                                                           const TlsFiles& files) {
  if (files.empty()) MUSTER_RETURN_IF_ERROR(CheckPlainAllowed(address));
  MUSTER_ASSIGN_OR_RETURN(std::shared_ptr<grpc::ChannelCredentials> credentials,
                          MakeChannelCredentials(files));
  grpc::ChannelArguments args;
  args.SetMaxReceiveMessageSize(kMessageBytesMax);
  args.SetMaxSendMessageSize(kMessageBytesMax);
  args.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveTimeMs);
  args.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  args.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  args.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 50);
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  return grpc::CreateCustomChannel(address, credentials, args);
}

gpr_timespec GrpcDeadline(absl::Duration after) {
  const int64_t nanos = absl::ToInt64Nanoseconds(after);
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_nanos(nanos, GPR_TIMESPAN));
}

void SetServerDefaults(grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(kMessageBytesMax);
  builder.SetMaxSendMessageSize(kMessageBytesMax);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveTimeMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             kKeepaliveTimeMs / 2);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
}

}  // namespace muster
