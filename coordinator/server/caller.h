#ifndef MUSTER_COORDINATOR_SERVER_CALLER_H_
#define MUSTER_COORDINATOR_SERVER_CALLER_H_

#include <grpcpp/server_context.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/rpc/identity.h"

namespace muster::coordinator {

// Whether calls are let in by the certificate of the caller, or all of them (no TLS, on loopback).
enum class Access { kByCertificate, kOpen };

// Who makes a call, as its certificate says.
class Caller {
 public:
  Caller(Access access, const grpc::ServerContextBase& context);

  // Whether this one may do what admins do: kPermissionDenied, saying what the certificate is for.
  absl::Status CheckAdmin() const;

  // Whether it may speak for this worker: it is the worker, or its certificate is for the whole
  // job. Errors as above.
  absl::Status CheckWorker(const std::string& job, const std::string& worker) const;

 private:
  absl::Status Deny(const std::string& wanted, const Identity& whom) const;

  bool open_ = false;
  std::vector<std::string> uris_;
  std::vector<Identity> identities_;
};

}  // namespace muster::coordinator

#endif  // MUSTER_COORDINATOR_SERVER_CALLER_H_
